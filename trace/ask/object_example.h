// Examples with diagrams (trace/model/example.h) in which tasks await an object that the trace
// knows only by its address, for tests of analyses.
//
//   const ObjectExample run("0 create 1 as coroutine a\n 1 resume 1\n 2 suspend 1");
//   find_forgotten(run.subject());
#pragma once

#include <string>
#include <string_view>

#include "trace/ask/waits.h"
#include "trace/model/example.h"

namespace skein {

struct ObjectExample {
  // Each ready, and each suspend without a target, is for an object of this type at 0x10.
  explicit ObjectExample(const std::string& text, std::string_view type = "Event")
      : e(ours(text)), waits(find_waits(e.trace, e.model)) {
    const StringId id = e.trace.strings.intern(type);
    for (size_t i = 0; i < e.trace.events.size(); i++) {
      const EventRow event = e.trace.events.row(i);
      if ((event.kind == EventKind::Suspend && event.other == no_task) ||
          event.kind == EventKind::Ready)
        e.trace.awaited_objects.push_back({i, 0x10, id});
    }
  }
  Subject subject() const { return {e.trace, e.model, waits}; }

  Example e;
  Waits waits;
};

}  // namespace skein
