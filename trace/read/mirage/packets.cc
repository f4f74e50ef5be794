#include "trace/read/mirage/packets.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/cursor.h"
#include "base/stable_sort.h"
#include "trace/read/mirage/wire.h"

namespace skein::mirage {

namespace {

constexpr std::array<uint8_t, signature_size> signature = [] {
  std::array<uint8_t, signature_size> bytes{};
  for (size_t i = 0; i < 4; i++) bytes[i] = static_cast<uint8_t>(packet_magic >> (8 * i));
  std::copy(packet_uuid.begin(), packet_uuid.end(), bytes.begin() + 4);
  return bytes;
}();

bool all_zero(std::span<const uint8_t> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == 0; });
}

bool header_at(std::span<const uint8_t> file, size_t at) {
  return signature_matches(file, at) >= enough_matches;
}

// Divides the file into packets, in file order.
class Scan {
 public:
  Scan(std::span<const uint8_t> file, std::vector<Loss>& losses) : file_(file), losses_(losses) {}

  std::vector<Packet> run() {
    size_t at = 0;
    while (at < file_.size()) at = header_at(file_, at) ? with_header(at) : without_header(at);
    return std::move(packets_);
  }

 private:
  // Adds the packet whose header is at `at`; returns where it ends.
  size_t with_header(size_t at) {
    if (signature_matches(file_, at) < signature_size)
      lose("packet header damaged", at, signature_size, 0, 0);
    Cursor header(file_.subspan(at + signature_size), at + signature_size);
    const uint32_t size_bits = header.u32();
    const uint16_t count = header.u16();
    const uint32_t content_bits = header.u32();
    if (header.failed()) {
      lose("file truncated in a packet header", at, file_.size() - at, 1, {});
      return file_.size();
    }
    const size_t left = file_.size() - at;
    size_t size = size_bits / 8;
    if (size < header_size || size > left || (size < left && !header_at(file_, at + size))) {
      // Its size is wrong, the data after it is damaged, or the file is truncated.
      const size_t next = find_signature(file_, at + header_size);
      const bool plausible = size_bits % 8 == 0 && size >= header_size;
      if (next < file_.size() && (!plausible || at + size > next)) {
        lose("packet size damaged", at + signature_size, 4, 0, 0);
        size = next - at;
      } else if (plausible && size > left) {
        lose("file truncated", file_.size(), size - left, {}, {});
        size = left;
      } else if (!plausible) {
        lose("packet size damaged", at + signature_size, 4, 0, 0);
        size = left;
      }
    }
    Packet packet{.begin = at,
                  .first_event = at + header_size,
                  .content_end = at + content_bits / 8,
                  .end = at + size,
                  .count = count};
    if (size < header_size) packet.first_event = packet.end;
    const bool aligned = content_bits % 8 == 0 && content_bits / 8 >= header_size;
    if (!aligned || content_bits > size_bits) {
      lose("content size damaged", at + 26, 4, 0, 0);
      packet.content_end = aligned ? packet.end : packet.first_event;
    }
    packet.content_end = std::min(packet.content_end, packet.end);
    if (packet.content_end - packet.first_event >= long_header_size - header_size &&
        all_zero(file_.subspan(packet.first_event, long_header_size - header_size)))
      packet.first_event += long_header_size - header_size;
    packets_.push_back(packet);
    return packet.end;
  }

  // Handles a missing header at `at`. Returns the position of the next one.
  size_t without_header(size_t at) {
    const size_t next = find_signature(file_, at);
    if (all_zero(file_.subspan(at, next - at))) {
      // At the end of a ring that has not wrapped: unwritten space.
      if (next < file_.size() || packets_.empty() || packets_.front().count != 0)
        lose("packet is all zeros", at, next - at, 1, {});
      return next;
    }
    lose("packet header damaged", at, header_size, 1, {});
    packets_.push_back({.begin = at,
                        .first_event = at,
                        .content_end = next,
                        .end = next,
                        .count = packets_.empty() ? 0 : packets_.back().count + 1,
                        .has_header = false});
    return next;
  }

  void lose(const char* what, size_t offset, size_t bytes, std::optional<uint64_t> packets,
            std::optional<uint64_t> events) {
    add_loss(
        losses_,
        {.what = what, .offset = offset, .bytes = bytes, .packets = packets, .events = events});
  }

  std::span<const uint8_t> file_;
  std::vector<Loss>& losses_;
  std::vector<Packet> packets_;
};

// Counts have 16 bits. Those of neighbours in the file differ little, so the difference shows how
// often they wrapped. It can be wrong only in a file of more than 32767 packets of a wrapped ring.
void unwrap_counts(std::vector<Packet>& packets) {
  for (size_t i = 1; i < packets.size(); i++) {
    const auto step =
        static_cast<int16_t>(static_cast<uint16_t>(packets[i].count - packets[i - 1].count));
    packets[i].count = packets[i - 1].count + step;
  }
}

uint64_t first_time(std::span<const uint8_t> file, const Packet& packet) {
  if (!packet.has_header || packet.content_end - packet.first_event < smallest_event) return 0;
  return Cursor(file.subspan(packet.first_event)).u64();
}

bool consecutive(const std::vector<Packet>& packets) {
  for (size_t i = 1; i < packets.size(); i++)
    if (packets[i].count != packets[i - 1].count + 1) return false;
  return true;
}

// Counts that are not consecutive are damaged or have gaps. If the first times of the packets
// contradict them, the times take precedence.
void order_by_time(std::span<const uint8_t> file, std::vector<Packet>& packets,
                   std::vector<Loss>& losses) {
  uint64_t latest = 0;
  const Packet* wrong = nullptr;
  for (const Packet& packet : packets) {
    const uint64_t time = first_time(file, packet);
    if (time == 0) continue;
    if (time < latest) wrong = &packet;
    latest = std::max(latest, time);
  }
  if (!wrong) return;
  add_loss(losses, {.what = "packet counts contradict the times; sorted by time",
                    .offset = wrong->begin + 24,
                    .bytes = 2,
                    .packets = 0,
                    .events = 0});
  // A packet without a time stays after its predecessor.
  uint64_t time = 0;
  stable_sort_by(packets, [&](const Packet& packet) {
    const uint64_t own = first_time(file, packet);
    return time = own ? own : time;
  });
}

void report_gaps(const std::vector<Packet>& packets, std::vector<Loss>& losses) {
  for (size_t i = 1; i < packets.size(); i++) {
    const int64_t step = packets[i].count - packets[i - 1].count;
    if (step <= 1 || !packets[i].has_header || !packets[i - 1].has_header) continue;
    add_loss(losses, {.what = "packets missing before this one, by packet count",
                      .offset = packets[i].begin,
                      .packets = static_cast<uint64_t>(step - 1)});
  }
}

// A trace normally ends in the middle of a packet, hardly ever where the next event would not have
// fitted. A file that has not wrapped and ends after a full packet was truncated at a packet
// boundary. Both writers create four packets at startup, so at least the rest of these is missing.
void report_cut_at_boundary(size_t file_size, const std::vector<Packet>& packets,
                            std::vector<Loss>& losses) {
  if (packets.empty() || packets.front().begin != 0) return;
  const Packet& last = packets.back();
  const size_t room = last.end - last.content_end;
  const size_t most = std::clamp((last.end - last.begin) / 64, smallest_event, size_t{64});
  if (last.end != file_size || !last.has_header || room == 0 || room >= most) return;
  Loss loss{.what = "file ends after a full packet: truncated", .offset = last.end};
  if (packets.size() < ring_packets) loss.packets = ring_packets - packets.size();
  add_loss(losses, std::move(loss));
}

}  // namespace

size_t signature_matches(std::span<const uint8_t> file, size_t at) {
  if (at > file.size() || file.size() - at < signature_size) return 0;
  size_t matches = 0;
  for (size_t i = 0; i < signature_size; i++) matches += file[at + i] == signature[i];
  return matches;
}

size_t find_signature(std::span<const uint8_t> file, size_t from) {
  if (from >= file.size()) return file.size();
  const void* found =
      memmem(file.data() + from, file.size() - from, signature.data(), signature.size());
  if (!found) return file.size();
  return static_cast<size_t>(static_cast<const uint8_t*>(found) - file.data());
}

std::vector<Packet> ordered_packets(std::span<const uint8_t> file, std::vector<Loss>& losses) {
  std::vector<Packet> packets = Scan(file, losses).run();
  const size_t damaged = losses.size();
  unwrap_counts(packets);
  stable_sort_by(packets, [](const Packet& packet) { return packet.count; });
  if (!consecutive(packets)) {
    const size_t before = losses.size();
    order_by_time(file, packets, losses);
    if (losses.size() == before) report_gaps(packets, losses);
  }
  if (damaged == 0) report_cut_at_boundary(file.size(), packets, losses);
  return packets;
}

}  // namespace skein::mirage
