#include "frames/deadlines.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "frames/resume_index.h"
#include "frames/wait_shapes.h"

namespace skein {

namespace {

// Whether what it waits for, as far as it is known, may be the event loop.
bool may_wait_for_loop(const SuspendedCoroutines& found, const SuspendedCoroutine& one) {
  if (one.state != SuspendedCoroutine::State::Waits || one.object != SuspendedCoroutine::none ||
      one.awaits != SuspendedCoroutine::none)
    return false;
  if (one.awaited == SuspendedCoroutine::none) return true;
  const WaitObject::Kind kind = found.awaited[one.awaited].kind;
  return kind == WaitObject::Kind::Unknown || kind == WaitObject::Kind::Executor;
}

// In the awaiter of this type, of the point where the coroutine is if its number shows it. Nothing:
// there are none, or several, such as those of loops.
std::optional<TimePoint> only_time_point(const FrameLayout& layout, const std::string& awaiter,
                                         uint32_t point) {
  const auto is_one = [&](const FrameMember& member) {
    return member.is_awaiter && !member.is_reference && is_awaiter_of(member.type, awaiter);
  };
  const auto is_here = [&](const FrameMember& member) {
    return is_one(member) && point != SuspendedCoroutine::unknown &&
           is_awaiter_of_point(member.name, point);
  };
  const bool is_known = std::any_of(layout.members.begin(), layout.members.end(), is_here);
  std::optional<TimePoint> only;
  for (const FrameMember& member : layout.members) {
    if (is_known ? !is_here(member) : !is_one(member)) continue;
    if (only || member.type.time_points.size() != 1) return {};
    only = member.type.time_points.front();
    only->offset += member.offset;
  }
  return only;
}

}  // namespace

void find_deadlines(SuspendedCoroutines& found, const Waiters& waiters, CoroutineProgram& program,
                    const Clocks& now) {
  std::map<std::pair<uint32_t, uint32_t>, std::optional<TimePoint>> times;  // by function and point
  for (uint32_t i = 0; i < found.coroutines.size(); i++) {
    SuspendedCoroutine& one = found.coroutines[i];
    const auto words = waiters.words(i);
    if (words.empty() || !may_wait_for_loop(found, one)) continue;
    const auto [at, is_new] = times.try_emplace({one.function, one.point});
    const std::string& awaiter = found.places[one.place].awaiter;
    if (is_new && !awaiter.empty() && is_program_type(awaiter))
      at->second = only_time_point(program.layout(one.function), awaiter, one.point);
    const std::optional<TimePoint>& time = at->second;
    if (!time || time->offset % 8 != 0 || time->offset / 8 >= words.size()) continue;
    const std::optional<int64_t>& clock = time->is_steady ? now.steady : now.system;
    const auto expires = static_cast<int64_t>(words[time->offset / 8]);
    if (!clock || expires <= *clock || expires == AsioObject::never) continue;
    one.object = static_cast<uint32_t>(found.objects.size());
    found.objects.push_back(
        {.kind = AsioObject::Kind::Timer,
         .clock = time->is_steady ? AsioObject::Clock::Steady : AsioObject::Clock::System,
         .expires = expires,
         .address = one.frame + time->offset});
  }
}

}  // namespace skein
