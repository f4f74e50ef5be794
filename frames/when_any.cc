#include "frames/when_any.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace skein {

namespace {

using State = SuspendedCoroutine::State;
constexpr uint32_t no_coroutine = SuspendedCoroutine::none;
constexpr std::string_view of_library = "coro::detail::make_when_any";

class WhenAny {
 public:
  WhenAny(SuspendedCoroutines& found, const Waiters& waiters) : found_(found), waiters_(waiters) {}

  void connect() {
    find_events();
    if (events_.empty()) return;
    find_waiters();
    std::unordered_map<uint32_t, std::unordered_set<uint32_t>> controllers;  // by when_any
    for (uint32_t i = 0; i < found_.coroutines.size(); i++) {
      if (!name(i).starts_with(of_library)) continue;
      for (const uint64_t word : waiters_.words(i))
        if (const auto event = events_.find(word); event != events_.end())
          if (const uint32_t controller = controller_of(i); controller != no_coroutine)
            controllers[event->second].insert(controller);
    }
    for (const auto& [waiter, all] : controllers)
      if (all.size() == 1) set(waiter, *all.begin());
  }

 private:
  const std::string& name(uint32_t coroutine) const {
    return found_.functions[found_.coroutines[coroutine].function].name;
  }

  void find_events() {
    for (uint32_t i = 0; i < found_.coroutines.size(); i++) {
      const SuspendedCoroutine& one = found_.coroutines[i];
      if (one.awaited == no_coroutine || name(i) != "coro::when_any") continue;
      const WaitObject& object = found_.awaited[one.awaited];
      if (object.is_linked && object.waiters.size() == 1 && object.type == "coro::event" &&
          waiters_.frame_around(object.address) == i)
        events_.emplace(object.address, i);
    }
  }

  void find_waiters() {
    for (uint32_t i = 0; i < found_.coroutines.size(); i++) {
      const SuspendedCoroutine& one = found_.coroutines[i];
      if (one.awaits != no_coroutine && name(one.awaits).starts_with(of_library))
        waiter_of_.emplace(one.awaits, i);
      if (one.joined_by != no_coroutine && one.state == State::Final) ended_.insert(one.joined_by);
    }
  }

  // Of the controller itself, or of an operand: the coroutine that awaits that is joined by it.
  uint32_t controller_of(uint32_t at) const {
    if (const auto waiter = waiter_of_.find(at); waiter != waiter_of_.end())
      at = found_.coroutines[waiter->second].joined_by;
    if (at == no_coroutine || name(at).find("controller_task") == std::string::npos ||
        found_.coroutines[at].joined_by != no_coroutine || ended_.contains(at))
      return no_coroutine;
    return at;
  }

  void set(uint32_t waiter, uint32_t controller) {
    WaitObject& object = found_.awaited[found_.coroutines[waiter].awaited];
    object.kind = WaitObject::Kind::WhenAll;
    object.type = libcoro_when_any;
    found_.coroutines[controller].joined_by = waiter;
  }

  SuspendedCoroutines& found_;
  const Waiters& waiters_;
  std::unordered_map<uint64_t, uint32_t> events_ = {};     // the when_any, by the event's address
  std::unordered_map<uint32_t, uint32_t> waiter_of_ = {};  // by operand
  std::unordered_set<uint32_t> ended_ = {};                // of which a joined coroutine has ended
};

}  // namespace

void connect_when_any(SuspendedCoroutines& found, const Waiters& waiters) {
  WhenAny(found, waiters).connect();
}

}  // namespace skein
