#include "trace/read/ctf/chunk.h"

#include <algorithm>

#include "base/cursor.h"

namespace skein::ctf {

namespace {
// Larger than any ring chunk. A log file may be larger, but is never recycled.
constexpr uint64_t largest_copy = uint64_t{1} << 28;
}  // namespace

Result<PacketHeader> read_packet_header(std::span<const uint8_t> bytes, uint64_t origin) {
  Cursor cursor(bytes, origin);
  if (const uint32_t magic = cursor.u32(); cursor.failed() || magic != format::kPacketMagic)
    return Error{.what = "no packet begins here", .offset = origin};
  PacketHeader header;
  const auto uuid = cursor.bytes(header.uuid.size());
  std::copy(uuid.begin(), uuid.end(), header.uuid.begin());
  header.stream_class = cursor.u32();
  header.stream = cursor.u64();
  header.content_bits = cursor.u64();
  header.packet_bits = cursor.u64();
  header.begin = cursor.u64();
  header.sequence = cursor.u64();
  header.discarded = cursor.u64();
  header.lock = cursor.u64();
  header.current_task = cursor.u64();
  header.monotonic_ns = cursor.u64();
  header.tid = cursor.u32();
  header.flags = cursor.u32();
  header.version = cursor.u32();
  cursor.skip(sizeof(format::PacketHeader::reserved));
  if (cursor.failed()) return Error{.what = "packet header truncated", .offset = origin};
  return header;
}

bool PacketReader::next() {
  const auto rest = file_.subspan(static_cast<size_t>(at_));
  const auto header = read_packet_header(rest, at_);
  if (!header) {
    if (std::all_of(rest.begin(), rest.end(), [](uint8_t byte) { return byte == 0; }))
      at_ = file_.size();
    return false;
  }
  packet_.header = *header;
  packet_.offset = at_;
  const uint64_t promised = std::max<uint64_t>(header->content_bits / 8, packet_header_size);
  const uint64_t there = std::min<uint64_t>(promised, rest.size());
  packet_.missing = promised - there;
  packet_.content =
      rest.subspan(packet_header_size, static_cast<size_t>(there) - packet_header_size);
  // An invalid packet size cannot be used to find the next packet.
  const uint64_t size = header->packet_bits / 8;
  at_ += size < promised || size > rest.size() ? rest.size() : size;
  return true;
}

Result<Contents> copy_chunk(Files& files, const std::string& path, unsigned tries) {
  for (unsigned i = 0; i < tries; i++) {
    const auto before = files.head(path, packet_header_size);
    if (!before) return before.error();
    const auto header = read_packet_header(*before);
    if (!header) return files.open(path, Access::Copy);  // not a packet: the caller decides
    if (header->content_bits / 8 > largest_copy) return files.open(path, Access::Map);
    auto bytes = files.head(path, static_cast<size_t>(header->content_bits / 8));
    if (!bytes) return bytes.error();
    const auto after = files.head(path, packet_header_size);
    if (!after) return after.error();
    const auto now = read_packet_header(*after);
    const bool even = header->lock % 2 == 0;
    if (now && now->lock == header->lock && (even || *before == *after)) {
      // The content may have grown since `before`; the copy contains what was committed by then.
      bytes->resize(std::max(bytes->size(), std::min(before->size(), packet_header_size)));
      std::copy(before->begin(), before->end(), bytes->begin());
      return Contents(*std::move(bytes));
    }
  }
  return Error{.what = "overwritten faster than it can be read", .file = path};
}

}  // namespace skein::ctf
