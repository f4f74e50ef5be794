// A chunk file: one packet of one stream (log mode may append several), and how to read it while
// the program is still running.
//
//    auto bytes = copy_chunk(files, path);    // never a torn event
//    if (bytes) for (PacketReader packets(*bytes); packets.next();) use(packets.packet());
//
// In ring mode, the writer recycles a chunk under a sequence lock (skein/format.h); a log file only
// grows. Reading with read() instead of mapping the file costs a copy, but cannot raise SIGBUS.
#pragma once

#include <skein/format.h>

#include <cstdint>
#include <span>
#include <string>

#include "base/file.h"
#include "base/result.h"
#include "trace/read/ctf/metadata.h"

namespace skein::ctf {

// The fields of a packet header. Only the magic number and the size (128 bytes) are checked.
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
  std::span<const uint8_t> content;  // the events: the committed bytes that are in the file
  uint64_t offset = 0;               // of the header, in the file
  uint64_t missing = 0;              // bytes that the header declares but the file lacks
};

// Iterates over the packets of a chunk file.
class PacketReader {
 public:
  explicit PacketReader(std::span<const uint8_t> file) : file_(file) {}

  // Moves to the next packet. Returns false at the end of the file or of its readable part.
  bool next();
  const Packet& packet() const { return packet_; }

  // The offset from which the file does not consist of packets; the file's size if all of it does.
  // Zeros at the end are not damage: they are unused space.
  uint64_t readable() const { return at_; }

 private:
  std::span<const uint8_t> file_;
  uint64_t at_ = 0;
  Packet packet_;
};

// Copies the committed part of a chunk. The copy is consistent even if the chunk is being written
// or recycled: copying is repeated if the lock has changed. A lock that stays odd (its writer was
// killed or is asleep during recycling) is accepted if nothing changes: no event is written under
// it. Fails if the file cannot be read, or if `tries` consecutive copies were overtaken by the
// writer. Not for large logs: the result is in memory.
Result<Contents> copy_chunk(Files& files, const std::string& path, unsigned tries = 100);

}  // namespace skein::ctf
