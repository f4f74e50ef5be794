// A chunk file: one packet of one stream (log mode may have several in a row), and how to read it
// while its program runs on.
//
//    auto bytes = copy_chunk(files, path);    // never a torn event
//    if (bytes) for (PacketReader packets(*bytes); packets.next();) use(packets.packet());
//
// The writer of a ring recycles a chunk under a sequence lock (skein/format.h); a file of a log is
// only added to. Reading by read() and not through a mapping costs a copy, and cannot end in
// SIGBUS.
#pragma once

#include <skein/format.h>

#include <cstdint>
#include <span>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "trace/read/ctf/metadata.h"

namespace skein::ctf {

// What a packet header says; nothing in it is checked but magic and that there are 128 bytes.
struct PacketHeader {
  Uuid uuid{};
  uint32_t stream_class = 0;
  uint64_t stream = 0;
  uint64_t content_bits = 0;
  uint64_t packet_bits = 0;
  uint64_t begin = 0;
  uint64_t sequence = 0;
  uint64_t discarded = 0;
  uint64_t lock = 0;
  uint64_t current_task = 0;
  uint64_t monotonic_ns = 0;
  uint32_t tid = 0;
  uint32_t flags = 0;
  uint32_t version = 0;
};
inline constexpr size_t packet_header_size = sizeof(format::PacketHeader);

Result<PacketHeader> read_packet_header(std::span<const uint8_t> bytes, uint64_t origin = 0);

// One packet of a file.
struct Packet {
  PacketHeader header;
  std::span<const uint8_t> content;  // the events; what was committed and lies in the file
  uint64_t offset = 0;               // of the header in the file
  uint64_t missing = 0;              // bytes that the header promises and the file has not
};

// The packets that lie in a chunk file, one after the other.
class PacketReader {
 public:
  explicit PacketReader(std::span<const uint8_t> file) : file_(file) {}

  // False at the end of the file or of what is readable.
  bool next();
  const Packet& packet() const { return packet_; }

  // From where on the file is not made of packets; the file's size if all of it is. Zeros at the
  // end are not damage: they are room for what was not written any more.
  uint64_t readable() const { return at_; }

 private:
  std::span<const uint8_t> file_;
  uint64_t at_ = 0;
  Packet packet_;
};

// Reads a chunk as far as it is committed, consistently even while it is being written or recycled:
// it is copied anew when the lock has changed meanwhile. A lock that stays odd (its writer was
// killed, or sleeps, in the middle of a recycle) is fine when nothing changes: no event is written
// under it. Fails when the file cannot be read, or when `tries` copies in a row were overtaken.
// Not for big logs: the result is in memory.
Result<Contents> copy_chunk(Files& files, const std::string& path, unsigned tries = 100);

}  // namespace skein::ctf
