// The recorder's C++ front door: what a program says of itself beyond what the adapters see.
//
//   skein::recorder::start({.directory = "trace"});   // or SKEIN_TRACE=trace in the environment
//   SKEIN_LABEL("request 17");                        // of the task that runs here
//   SKEIN_COUNT("bytes sent", n);
//   SKEIN_SPAN("parse");                              // to the end of the block
//
// Cost of each: docs/performance.md; while off one load and one branch; with SKEIN_DISABLE defined
// nothing at all, the object code is that of a program without them (tests/adapters checks it).
// Any thread may call any of it; nothing throws.
//
// Named primitives (condition, mutex, semaphore, channel): skein/sync.h. Own tasks: skein/task.h.
#pragma once
#include <skein/counter.h>
#include <skein/skein.h>
#include <skein/task.h>

namespace skein {

// The one recorder of the process.
struct recorder {
  using options = skein_options;
  using state = skein_status;

  // Starts a trace. Returns 0 or an errno value (EALREADY: one is running).
  static int start(const options& how = {}) { return skein_start(&how); }
  // Goes on with the trace that was stopped.
  static int go_on() { return skein_start(nullptr); }
  // Stops. The trace stays valid, and can be read while the program runs on.
  static void stop() { skein_stop(); }
  static bool on() { return skein_enabled() != 0; }
  static state status() {
    state s;
    skein_get_status(&s);
    return s;
  }
};

// For the execution so far: nothing of the program ran for `nanoseconds`, until now. Kinds:
// skein/format.h, SKEIN_FORMAT_PAUSES.
inline void pause(uint32_t kind, uint64_t nanoseconds) {
  if (skein_enabled()) skein_pause(kind, nanoseconds);
}

// A message to another machine, and from one; the same correlation at both ends makes the arrow.
inline void send(uint64_t correlation, uint64_t peer = 0) {
  if (skein_enabled()) skein_send(correlation, peer);
}
inline void receive(uint64_t correlation, uint64_t peer = 0) {
  if (skein_enabled()) skein_receive(correlation, peer);
}

}  // namespace skein
