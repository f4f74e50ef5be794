#include "trace/ask/on_their_way.h"

#include "trace/ask/busy_thread.h"

namespace skein {

std::optional<OnTheirWay> find_on_their_way(const Subject& s, TaskIndex receive, const Traffic& own,
                                            const Traffic& other, bool is_end_known) {
  if (other.sent <= own.received || !s.trace.losses.empty()) return {};
  OnTheirWay found{.bytes = other.sent - own.received};
  if (const auto thread = find_busy_thread(s, receive, is_end_known)) {
    found.busy = thread->task;
    found.busy_since = thread->since;
  }
  return found;
}

}  // namespace skein
