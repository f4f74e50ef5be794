#include "trace/ask/mutual_receives.h"

#include <algorithm>

#include "base/stable_sort.h"
#include "trace/ask/direction.h"

namespace skein {

namespace {

constexpr uint64_t shortest_pause = 1'000'000'000;  // ns

// The ends of what has been sent and received on the sockets, and the longest time between two.
struct Pauses {
  uint64_t last = 0;
  uint64_t longest = 0;
};

Pauses find_pauses(const Subject& s, uint32_t one, uint32_t other) {
  std::vector<uint64_t> ends;
  for (const uint32_t object : {one, other})
    for (uint32_t u = s.model.objects[object].last_use; u != Model::Object::none;
         u = s.model.concerns[u].before) {
      const Model::Task& task = s.model.tasks[s.model.concerns[u].task];
      if (direction_of(s.trace.strings[task.name]) != Direction::None &&
          task.how == Model::End::Resolved)
        ends.push_back(task.end);
    }
  sort_numbers(ends);
  Pauses found{.last = ends.empty() ? 0 : ends.back()};
  for (size_t i = 1; i < ends.size(); i++)
    found.longest = std::max(found.longest, ends[i] - ends[i - 1]);
  return found;
}

bool has_connected(const Subject& s, uint32_t socket) {
  for (uint32_t u = s.model.objects[socket].last_use; u != Model::Object::none;
       u = s.model.concerns[u].before)
    if (s.trace.strings[s.model.tasks[s.model.concerns[u].task].name] == "socket.async_connect")
      return true;
  return false;
}

// Whether an earlier receive of this place followed another one, without a send between.
bool follows_receives(const Subject& s, TaskIndex receive) {
  const auto next_before = [&](uint32_t u) {
    do u = s.model.concerns[u].before;
    while (u != Model::Object::none &&
           direction_of(s.trace.strings[s.model.tasks[s.model.concerns[u].task].name]) ==
               Direction::None);
    return u;
  };
  const auto direction = [&](uint32_t u) {
    return direction_of(s.trace.strings[s.model.tasks[s.model.concerns[u].task].name]);
  };
  const Model::Concern* use = s.model.concern(receive);
  if (use == nullptr) return false;
  const auto own = static_cast<uint32_t>(use - s.model.concerns.data());
  for (uint32_t u = next_before(own); u != Model::Object::none; u = next_before(u)) {
    const Model::Task& task = s.model.tasks[s.model.concerns[u].task];
    if (direction(u) != Direction::Receives || task.location != s.model.tasks[receive].location)
      continue;
    const uint32_t before = next_before(u);
    if (before != Model::Object::none && direction(before) == Direction::Receives) return true;
  }
  return false;
}

// Whether the trace contains all bytes that both have moved, and none is on its way.
bool have_received_all(const Traffic& a, const Traffic& b) {
  const auto is_unseen = [](const Traffic& t) {
    return t.of_kernel || (t.unseen && (t.unseen->sent != 0 || t.unseen->received != 0 ||
                                        t.unseen->sent_before != 0 || t.unseen->received_before));
  };
  return a.sent == b.received && b.sent == a.received && !is_unseen(a) && !is_unseen(b);
}

// Whether all tasks that have ever sent on the socket have ended, or wait for its receive.
bool only_senders_wait(const Subject& s, const OpenWaiters& waiters, uint32_t object,
                       TaskIndex receive) {
  if (waiters.of(receive) == no_index) return false;
  for (uint32_t u = s.model.objects[object].last_use; u != Model::Object::none;
       u = s.model.concerns[u].before) {
    const TaskIndex use = s.model.concerns[u].task;
    if (direction_of(s.trace.strings[s.model.tasks[use].name]) == Direction::Sends &&
        waiters.may_repeat(use, receive))
      return false;
  }
  return true;
}

}  // namespace

std::optional<MutualReceives> find_mutual_receives(const Subject& s, const OpenWaiters& waiters,
                                                   TaskIndex receive, uint32_t object,
                                                   const BothEnds& ends,
                                                   const std::vector<Traffic>& traffic) {
  const auto is_pending = [&](TaskIndex task) {
    return task != no_index && s.model.is_open(task) && s.waits.first_run[task] == Waits::never;
  };
  if (ends.own.receives != receive || !is_pending(receive) || !is_pending(ends.other.receives))
    return {};
  if (is_pending(ends.own.sends) || is_pending(ends.other.sends)) return {};
  const Pauses pauses = find_pauses(s, object, ends.object);
  MutualReceives found{.receive = ends.other.receives, .since = pauses.last};
  for (const uint32_t end : {object, ends.object}) {
    const int64_t last = std::max(traffic[end].sent_at, traffic[end].received_at);
    if (last > 0) found.since = std::max(found.since, static_cast<uint64_t>(last));
  }
  if (found.since == 0)
    found.since = std::max(s.model.tasks[receive].start, s.model.tasks[ends.other.receives].start);
  const uint64_t pause = s.model.end - std::min(s.model.end, found.since);
  if (pause < shortest_pause || pause <= pauses.longest) return {};
  found.expects_more = traffic[object].awaits_reply() || follows_receives(s, receive);
  found.has_accepted = has_connected(s, ends.object);
  found.only_senders_wait = s.trace.info.overwritten_packets == 0 && s.trace.losses.empty() &&
                            traffic[object].sent + traffic[object].received != 0 &&
                            have_received_all(traffic[object], traffic[ends.object]) &&
                            only_senders_wait(s, waiters, object, receive) &&
                            only_senders_wait(s, waiters, ends.object, ends.other.receives);
  return found;
}

}  // namespace skein
