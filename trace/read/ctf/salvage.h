// What a lost or damaged file `metadata` said, as far as the headers of the packets say it too.
//
//   Salvage salvage;
//   for (each packet header of the directory) salvage.add(header);
//   if (salvage.complete(metadata)) ...;   // it is a trace of ours, and can be read
//
// Events need no metadata: their layout is the format's, and every packet has the format's version.
// What varies is the uuid, which every packet has; the clock's rate, which follows from two packets
// that began at known ticks and nanoseconds; UTC and the environment, which are lost.
#pragma once

#include <cstdint>
#include <map>

#include "trace/read/ctf/chunk.h"
#include "trace/read/ctf/metadata.h"

namespace skein::ctf {

// Is it a packet as only our recorder makes it? Its magic alone is that of every CTF trace.
bool is_our_packet(const PacketHeader& header);

class Salvage {
 public:
  void add(const PacketHeader& header);

  // Fills in what is missing in `metadata`, by the trace to which most packets belong. False when
  // no packet is ours. Without two moments the rate is a guess: a tick of 16 ns.
  bool complete(Metadata& metadata) const;

 private:
  struct Moment {
    uint64_t ticks = 0;
    uint64_t ns = 0;  // 0: none
  };
  struct Packets {
    uint64_t count = 0;
    Moment first;
    Moment last;
  };
  std::map<Uuid, Packets> traces_;
};

}  // namespace skein::ctf
