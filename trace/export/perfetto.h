// Exports a trace as Perfetto protobuf: a stream of TracePackets with track descriptors and track
// events.
//
//   process                     the program
//     thread per executor       slices: the current task, sleeps, pauses
//       track per task          a slice for its lifetime; in it slices where it ran, waited for a
//                               target and was runnable; labels and other events as instants
//         track per span level  its spans, which may cross the slices above
//     track per counter
//
// Interactions are flows between instants on the tracks of the two tasks.
#pragma once

#include "trace/export/out.h"
#include "trace/read/trace.h"

namespace skein {

Omissions export_perfetto(const Trace& trace, Out& out);

}  // namespace skein
