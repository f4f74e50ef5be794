// A trace for tests, built event by event.
#pragma once

#include <string>
#include <string_view>

#include "view/viewer/viewer.h"

namespace skein {

struct TestTrace {
  Trace trace;

  TestTrace() {
    trace.info.format = "skein";
    trace.executors.resize(1);
  }

  void add(EventRow row) { trace.events.append(row); }
  uint32_t kind(std::string_view name) {
    const StringId id = trace.strings.intern(name);
    for (uint32_t i = 0; i < trace.kinds.size(); i++)
      if (trace.kinds[i] == id) return i;
    trace.kinds.push_back(id);
    return static_cast<uint32_t>(trace.kinds.size() - 1);
  }

  void create(uint64_t time, TaskId task, TaskId parent, std::string_view label,
              std::string_view of_kind = "coroutine", uint32_t executor = 0) {
    add({.time = time,
         .task = task,
         .other = parent,
         .value = kind(of_kind),
         .executor = executor,
         .kind = EventKind::Create});
    if (!label.empty())
      add({.time = time,
           .task = task,
           .text = trace.strings.intern(label),
           .executor = executor,
           .kind = EventKind::Label});
  }
  void event(uint64_t time, EventKind what, TaskId task, TaskId other = no_task,
             uint32_t executor = 0) {
    add({.time = time, .task = task, .other = other, .executor = executor, .kind = what});
  }
  void counter(uint64_t time, std::string_view name, uint64_t value) {
    add({.time = time,
         .value = value,
         .text = trace.strings.intern(name),
         .kind = EventKind::CounterSet});
  }
};

// A server (#1) with two sessions: #2 reads (#4) and ends; #3 waits for a lock (#5) forever.
//
//   us   0    100   200   300   400   500   600   700   800   900   1000
//   1    |----------------------------------------------------------->
//   2          |==   ...   ==---------]
//   4             |---------]
//   3                                     |==---------------------------  should have ended
//   5                                   |----------------------------->
inline TestTrace server() {
  using K = EventKind;
  TestTrace t;
  constexpr uint64_t us = 1'000;
  t.create(0, 1, no_task, "Server");
  t.create(100 * us, 2, 1, "session A");
  t.event(100 * us, K::Resume, 2);
  t.create(150 * us, 4, 2, "ring.read", "operation");
  t.event(160 * us, K::Suspend, 2, 4);
  t.event(300 * us, K::Resolve, 4);
  t.event(310 * us, K::Resume, 2, 4);
  t.counter(310 * us, "bytes", 100);
  t.event(350 * us, K::Suspend, 2);
  t.event(500 * us, K::Resolve, 2);
  t.create(550 * us, 5, 1, "lock", "operation");
  t.create(600 * us, 3, 1, "session B");
  t.event(600 * us, K::ShouldResolve, 3);
  t.event(600 * us, K::Resume, 3);
  t.counter(620 * us, "bytes", 250);
  t.event(650 * us, K::Suspend, 3, 5);
  t.add({.time = 1000 * us, .task = 1, .text = t.trace.strings.intern("tick"), .kind = K::Label});
  return t;
}

inline Trace server_trace() { return std::move(server().trace); }

}  // namespace skein
