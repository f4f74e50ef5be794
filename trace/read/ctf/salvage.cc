#include "trace/read/ctf/salvage.h"

#include <algorithm>

namespace skein::ctf {

bool is_our_packet(const PacketHeader& header) {
  return format::is_readable(header.version) && header.stream_class == 0 &&
         header.content_bits % 8 == 0 && header.packet_bits % 8 == 0 && header.uuid != Uuid{};
}

void Salvage::add(const PacketHeader& header) {
  if (!is_our_packet(header)) return;
  Packets& packets = traces_[header.uuid];
  packets.count++;
  if (header.monotonic_ns == 0) return;
  const Moment moment{header.begin, header.monotonic_ns};
  if (packets.first.ns == 0 || moment.ns < packets.first.ns) packets.first = moment;
  if (moment.ns > packets.last.ns) packets.last = moment;
}

bool Salvage::complete(Metadata& metadata) const {
  const auto most = std::max_element(
      traces_.begin(), traces_.end(),
      [](const auto& a, const auto& b) { return a.second.count < b.second.count; });
  if (most == traces_.end()) return false;
  const auto& [uuid, packets] = *most;
  if (!metadata.uuid) metadata.uuid = uuid;
  metadata.tracer = "skein";
  metadata.salvaged = true;
  if (metadata.version == 0) metadata.version = format::kVersion;
  if (metadata.frequency != 0) return true;
  constexpr uint64_t second = 1'000'000'000;
  metadata.clock_source = "unknown";
  metadata.frequency = second >> format::kTickShift;
  const auto [first, last] = std::pair(packets.first, packets.last);
  if (last.ns <= first.ns || last.ticks <= first.ticks) return true;
  const unsigned __int128 ticks = last.ticks - first.ticks;
  const auto rate = static_cast<uint64_t>(ticks * second / (last.ns - first.ns));
  if (rate == 0 || ticks > (uint64_t{1} << 60)) return true;  // damaged header
  metadata.clock_source = "estimated";
  metadata.frequency = rate;
  return true;
}

}  // namespace skein::ctf
