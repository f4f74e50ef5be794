// The packets of the gdb remote protocol (gdb's manual, "Remote Protocol"): $content#checksum.
//
//   GdbPackets packets(stream);
//   packets.send("qSupported");
//   Result<std::string> reply = packets.receive();
//
// The peer is not trusted: what it sends is bounded, and its checksums are verified.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "target/guest/gdb_stream.h"

namespace skein {

class GdbPackets {
 public:
  static constexpr size_t kLargestPacket = size_t{1} << 18;

  // `stream` must outlive it.
  explicit GdbPackets(GdbStream& stream) : stream_(stream) {}

  // Adds a packet to those that flush() or receive() will write. `content` needs no escapes.
  void add(std::string_view content);
  Result<void> flush();
  Result<void> send(std::string_view content) {
    add(content);
    return flush();
  }
  // Bytes outside packets: an interrupt.
  Result<void> write_raw(std::string_view bytes);

  // The content of the next packet, with its runs expanded and its escapes as they are.
  // Notifications are ignored. Writes what was added, if it must wait.
  Result<std::string> receive();

  // From the next packet on, none is acknowledged (QStartNoAckMode).
  void stop_acknowledging() { acknowledges_ = false; }

 private:
  Result<void> fill();
  Result<char> next();
  Result<void> on_acknowledgement(char kind);

  GdbStream& stream_;
  std::string out_ = {};   // not yet written
  std::string last_ = {};  // the last packet that was added, for a peer that wants it again
  std::vector<char> buffer_ = std::vector<char>(size_t{1} << 15);
  std::string in_ = {};
  size_t at_ = 0;  // of `in_`: what is before has been used
  bool acknowledges_ = true;
  unsigned repeats_ = 0;  // since the last packet that was right
};

// "3f" of 0x3f; nothing: these are no digits.
std::optional<uint8_t> gdb_hex_byte(char high, char low);
// A number of hexadecimal digits, all of the text.
std::optional<uint64_t> gdb_hex_number(std::string_view text);
std::string gdb_hex(uint64_t number);
// Bytes as in the replies to `m`; nothing: it is no such text.
std::optional<std::string> gdb_hex_bytes(std::string_view text);
// Of a binary reply, without its escapes.
std::string gdb_unescaped(std::string_view text);

}  // namespace skein
