// A trace as Perfetto's protobuf: a stream of TracePackets with track descriptors and track events.
//
//   process                     the program
//     thread per executor       slices: who was current, sleeps, pauses
//       track per task          a slice for its life; in it where it ran, waited (for what) and
//                               could have run; labels and what happened to it as instants
//         track per span level  its spans, which may cross those
//     track per counter
//
// Interactions are flows between instants on the tracks of the two tasks.
#pragma once

#include "trace/export/out.h"
#include "trace/read/trace.h"

namespace skein {

Omissions export_perfetto(const Trace& trace, Out& out);

}  // namespace skein
