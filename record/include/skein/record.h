// The recorder's C++ interface: start and stop it, and annotate what the adapters cannot see.
//
//   skein::recorder::start({.directory = "trace"});   // or SKEIN_TRACE=trace in the environment
//   SKEIN_LABEL("request 17");                        // labels the current task
//   SKEIN_COUNT("bytes sent", n);
//   SKEIN_SPAN("parse");                              // to the end of the block
//
// Threads: any thread may call any function. Nothing throws.
// Cost: docs/performance.md. While the recorder is off, one load and one branch. With SKEIN_DISABLE
// defined, nothing: the object code is that of a program without annotations (tests/adapters checks
// this).
//
// skein/sync.h has condition, mutex, semaphore and channel with names; skein/task.h has tasks that
// the program defines itself.
#pragma once
#include <skein/counter.h>
#include <skein/skein.h>
#include <skein/task.h>

namespace skein {

// The recorder of the process; there is one.
struct recorder {
  using options = skein_options;
  using state = skein_status;

  // Starts a trace. Returns 0 or an errno value (EALREADY: a trace is running); see skein_start.
  static int start(const options& how = {}) { return skein_start(&how); }
  // Resumes the stopped trace. Returns 0 or an errno value (EINVAL: there is none).
  static int resume() { return skein_start(nullptr); }
  // Stops recording. The trace stays valid and can be read while the program runs.
  static void stop() { skein_stop(); }
  // True while recording.
  static bool enabled() { return skein_enabled() != 0; }
  // Returns the recorder's state; see skein_status.
  static state status() {
    state s;
    skein_get_status(&s);
    return s;
  }
};

// No code of the program ran for `nanoseconds`, until now. `kind` is one of SKEIN_FORMAT_PAUSES in
// skein/format.h.
inline void pause(uint32_t kind, uint64_t nanoseconds) {
  if (skein_enabled()) skein_pause(kind, nanoseconds);
}

// The current task sends a message to another machine, or receives one. Both sides pass the same
// correlation, which no other message between them has.
inline void send(uint64_t correlation, uint64_t peer = 0) {
  if (skein_enabled()) skein_send(correlation, peer);
}
inline void receive(uint64_t correlation, uint64_t peer = 0) {
  if (skein_enabled()) skein_receive(correlation, peer);
}

}  // namespace skein
