// Reconstructs a lost or damaged file `metadata` from the packet headers.
//
//   Salvage salvage;
//   for (each packet header of the directory) salvage.add(header);
//   if (salvage.complete(metadata)) ...;   // it is a skein trace and can be read
//
// Events need no metadata: their layout is fixed by the format, and every packet has the format's
// version. The variable parts are the uuid, which every packet has, and the clock frequency, which
// is computed from two packets with known ticks and nanoseconds. UTC and the environment are lost.
#pragma once

#include <cstdint>
#include <map>

#include "trace/read/ctf/chunk.h"
#include "trace/read/ctf/metadata.h"

namespace skein::ctf {

// Whether only skein's recorder could have made this packet. Its magic number is common to all CTF
// traces.
bool is_our_packet(const PacketHeader& header);

class Salvage {
 public:
  void add(const PacketHeader& header);

  // Fills in what is missing in `metadata`, using the trace to which most packets belong. Returns
  // false if no packet is skein's. Without two known times, the frequency is a guess: a tick of 16
  // ns.
  bool complete(Metadata& metadata) const;

 private:
  struct Moment {
    uint64_t ticks = 0;
    uint64_t ns = 0;  // 0: unknown
  };
  struct Packets {
    uint64_t count = 0;
    Moment first;
    Moment last;
  };
  std::map<Uuid, Packets> traces_;
};

}  // namespace skein::ctf
