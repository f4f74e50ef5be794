// A connection to a server of the gdb remote protocol, as a stream of bytes.
//
//   const std::optional<GdbAddress> address = parse_gdb_address("localhost:1234");
//   Result<std::unique_ptr<GdbSocket>> socket = connect_to_gdb(*address);
//
// A server stops its machine when a client connects, and QEMU does not start it again when the
// client is gone. So another process, the guardian (gdb_guardian.h), watches over each connection.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "target/guest/gdb_guardian.h"

namespace skein {

class GdbStream {
 public:
  virtual ~GdbStream() = default;
  // Writes all of it. Fails if the peer is gone or takes nothing for too long.
  virtual Result<void> write(std::string_view bytes) = 0;
  // Waits for bytes and returns how many there are, at least one. Fails if the peer is gone or
  // silent for too long.
  virtual Result<size_t> read(std::span<char> to) = 0;
};

struct GdbAddress {
  std::string host = {};  // empty: `path` is a Unix socket
  std::string port = {};
  std::string path = {};
};

// "HOST:PORT", ":PORT" on this machine, "[::1]:PORT", or a path, which has a '/'. Nothing: it is
// none of these.
std::optional<GdbAddress> parse_gdb_address(std::string_view text);

class GdbSocket : public GdbStream {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kPatience{5000};

  // Takes over a connected stream socket.
  explicit GdbSocket(int descriptor, std::chrono::milliseconds patience = kPatience);
  GdbSocket(const GdbSocket&) = delete;
  GdbSocket& operator=(const GdbSocket&) = delete;
  // Releases the guest, see release().
  ~GdbSocket() override;

  Result<void> write(std::string_view bytes) override;
  Result<size_t> read(std::span<char> to) override;

  // Everything fails after this moment, whatever arrives.
  void set_deadline(Clock::time_point deadline) { deadline_ = deadline; }

  // Null: there is none.
  GdbGuardian* guardian() { return guardian_ ? &*guardian_ : nullptr; }
  void set_guardian(GdbGuardian guardian) { guardian_ = std::move(guardian); }
  // Ends the session as the guardian knows that it must end, and closes the connection. Returns
  // false if the server has not confirmed that the guest runs again.
  bool release();

 private:
  bool wait_for(short events) const;

  int descriptor_;
  std::chrono::milliseconds patience_;
  Clock::time_point deadline_ = Clock::time_point::max();
  std::optional<GdbGuardian> guardian_;
};

// Connects, with a guardian. From then on the guest is stopped.
Result<std::unique_ptr<GdbSocket>> connect_to_gdb(
    const GdbAddress& address, std::chrono::milliseconds patience = GdbSocket::kPatience);

}  // namespace skein
