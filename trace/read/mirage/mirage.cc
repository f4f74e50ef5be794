#include "trace/read/mirage/mirage.h"

#include <algorithm>

#include "trace/read/mirage/decode.h"
#include "trace/read/mirage/packets.h"
#include "trace/read/mirage/wire.h"

namespace skein::mirage {

namespace {

// Clocks that count from 1970 have exceeded this since September 2001; clocks that count from boot
// exceed it after 31 years.
constexpr uint64_t since_1970 = 1'000'000'000'000'000'000;

void fill_facts(Trace& trace, const std::vector<Packet>& packets,
                const std::array<uint64_t, ops>& counts) {
  TraceInfo& info = trace.info;
  info.format = "mirage-profile";
  info.clock = "nanoseconds";
  if (info.start >= since_1970) info.utc_offset = 0;
  info.streams = 1;
  for (const Packet& packet : packets) info.packets += packet.has_header;
  for (size_t op = 0; op < ops; op++) {
    if (counts[op] == 0) continue;
    const std::string_view name = op_names[op];
    const auto known = std::find_if(info.wire_kinds.begin(), info.wire_kinds.end(),
                                    [&](const auto& kind) { return kind.first == name; });
    if (known != info.wire_kinds.end())
      known->second += counts[op];
    else
      info.wire_kinds.emplace_back(name, counts[op]);
  }
}

}  // namespace

bool looks_like_mirage(std::span<const uint8_t> bytes) {
  return signature_matches(bytes, 0) >= enough_matches;
}

bool contains_mirage(std::span<const uint8_t> bytes) {
  return find_signature(bytes, 0) < bytes.size();
}

Trace read(std::span<const uint8_t> file, const Progress& progress) {
  Trace trace;
  trace.executors.push_back({});
  for (const std::string_view kind : task_kinds) trace.kinds.push_back(trace.strings.intern(kind));
  trace.kinds.push_back(trace.strings.intern("unknown"));

  const std::vector<Packet> packets = ordered_packets(file, trace.losses);
  Decoder decoder(file, trace);
  uint64_t done = 0;
  for (const Packet& packet : packets) {
    decoder.decode(packet);
    done += packet.end - packet.begin;
    if (progress && !progress(done, file.size())) break;
  }
  fill_facts(trace, packets, decoder.counts());
  add_dropped(trace, file.size());
  return trace;
}

}  // namespace skein::mirage
