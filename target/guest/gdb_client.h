// A machine behind a server of the gdb remote protocol: its memory and its registers. Servers are
// QEMU's (-gdb), Xen's gdbsx, solo5-hvt's and others.
//
//   GdbClient client(**connect_to_gdb(address));
//   if (const Result<void> done = client.start(); !done) return done.error();
//   Piece page = {.address = 0x1000, .to = bytes};
//   client.read(std::span(&page, 1));
//
// The machine is stopped while a client is connected, but between resume() and interrupt(). It goes
// on when the socket is released (GdbSocket). Any error ends the session: the replies that follow
// cannot be assigned to requests.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "target/guest/gdb_packets.h"
#include "target/target.h"

namespace skein {

struct GdbStop {
  bool has_ended = false;  // it has ended: there is nothing to read
  unsigned signal = 0;     // or the exit status
};
// Nothing: the packet reports no stop.
std::optional<GdbStop> parse_gdb_stop(std::string_view packet);

class GdbClient {
 public:
  // `guardian` is informed of what it must undo; null: there is none. Both must outlive it.
  explicit GdbClient(GdbStream& stream, GdbGuardian* guardian = nullptr)
      : packets_(stream), guardian_(guardian) {}
  explicit GdbClient(GdbSocket& socket) : GdbClient(socket, socket.guardian()) {}

  // Learns what the server can do. First of all calls.
  Result<void> start();
  // Whether the server reported a stop when this client connected: the guest ran until then. QEMU
  // before 8.1 does so.
  bool was_stopped_by_connecting() const { return was_stopped_; }
  // The largest number of bytes that one request reads.
  size_t largest_read() const { return largest_read_; }

  // Why it stands still.
  Result<GdbStop> stop_reason();

  // Physical addresses instead of those of the selected thread. False: the server cannot.
  Result<bool> set_physical(bool is_physical);

  // Reads memory until its first byte that the server does not read, and sets `count` of each
  // piece. Requests are sent before the replies to earlier ones have come, if the server accepts
  // that (QEMU: 9 us instead of 60 us for each).
  Result<void> read(std::span<Piece> pieces);
  Result<size_t> read(uint64_t address, std::span<uint8_t> to);

  // The ids of the processors or threads, for select().
  Result<std::vector<std::string>> threads();
  // The one whose registers and addresses the following calls use.
  Result<void> select(const std::string& thread);
  // General registers; those that the server does not know are missing.
  Result<Registers> registers(Architecture architecture);
  // A register of up to 8 bytes by the server's number; nothing: it has none.
  Result<std::optional<uint64_t>> register_value(unsigned number);
  // Of the server's description; nothing: another one, or unknown.
  Result<std::optional<Architecture>> architecture();

  // The output of a command of the server's monitor; nothing: it has no monitor.
  Result<std::optional<std::string>> monitor(std::string_view command);

  // Lets it run, until interrupt().
  Result<void> resume();
  Result<GdbStop> interrupt();

 private:
  struct Request {
    size_t piece;
    size_t offset;
    size_t size;
  };
  Request request_at(const Piece& piece, size_t number, size_t offset) const;
  Result<std::string> reply();
  Result<std::string> query(std::string_view request);
  void add_read(const Request& request, std::span<const Piece> pieces);
  Result<size_t> store(const std::string& reply, const Request& request, std::span<Piece> pieces);
  Result<void> read_rest(size_t number, std::span<Piece> pieces);

  GdbPackets packets_;
  GdbGuardian* guardian_;
  bool was_stopped_ = false;
  bool can_pipeline_ = false;
  bool has_binary_read_ = false;
  bool has_description_ = false;
  bool is_running_ = false;
  std::optional<bool> has_continue_ = {};  // vCont;c
  size_t largest_read_ = 32;
};

}  // namespace skein
