#include "trace/ask/held_objects.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string>

#include "base/stable_sort.h"
#include "trace/ask/rows_by.h"

namespace skein {

namespace {

constexpr uint64_t shortest_hold = 1'000'000;  // of the waits of a holder, ns
constexpr uint64_t fewest_waits = 10;
constexpr uint64_t fewest_waiters = 3;

// The number of tasks that wait, at each time, and their waits added up.
class QueueLengths {
 public:
  explicit QueueLengths(const std::vector<ObjectWait>& all, uint64_t end) {
    for (const ObjectWait& one : all) {
      if (one.is_at_once()) continue;
      steps_.push_back({.time = one.begin, .change = 1});
      steps_.push_back({.time = std::min(one.end, end), .change = -1});
    }
    stable_sort_by(steps_, [](const Step& step) { return step.time; });
    int64_t count = 0;
    uint64_t sum = 0;
    uint64_t before = 0;
    for (Step& step : steps_) {
      sum += static_cast<uint64_t>(std::max<int64_t>(count, 0)) * (step.time - before);
      before = step.time;
      step.count = count += step.change;
      step.sum = sum;
    }
  }
  uint64_t waiters_at(uint64_t time) const {
    const Step* step = before(time);
    return step == nullptr ? 0 : static_cast<uint64_t>(std::max<int64_t>(step->count, 0));
  }
  uint64_t waited_until(uint64_t time) const {
    const Step* step = before(time);
    return step == nullptr ? 0 : step->sum + waiters_at(time) * (time - step->time);
  }

 private:
  struct Step {
    uint64_t time = 0;
    int64_t change = 0;
    int64_t count = 0;  // from `time` on
    uint64_t sum = 0;   // up to `time`
  };
  const Step* before(uint64_t time) const {
    const auto at = std::upper_bound(steps_.begin(), steps_.end(), time,
                                     [](uint64_t t, const Step& step) { return t < step.time; });
    return at == steps_.begin() ? nullptr : &*(at - 1);
  }
  std::vector<Step> steps_;  // by time
};

// By its name, without the arguments of templates.
bool is_lock(const Trace& trace, StringId type) {
  std::string text;
  int depth = 0;
  for (const char c : trace.strings[type]) {
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    if (depth == 0) text += c;
  }
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text.find("mutex") != std::string::npos || text.find("::lock") != std::string::npos;
}

class HolderFinder {
 public:
  explicit HolderFinder(const Subject& subject)
      : s_(subject),
        waits_(subject.waits.waits),
        by_task_(waits_, subject.model.tasks.size(), [](const Waits::Wait& w) { return w.task; }) {}

  // Of one object.
  std::optional<HeldObject> find(uint64_t address, std::vector<ObjectWait> all) const {
    if (all.size() < fewest_waits || may_have_conditions(s_.trace, all.front().type)) return {};
    const QueueLengths queue(all, s_.model.end);
    std::vector<ObjectWait> passes = all;
    std::erase_if(passes, [](const ObjectWait& one) { return one.is_open(); });
    std::stable_sort(passes.begin(), passes.end(),
                     [](const ObjectWait& a, const ObjectWait& b) { return a.end < b.end; });
    struct Place {
      HeldObject held = {};
      uint64_t crowded = 0;    // while enough tasks waited
      bool is_passed = false;  // a task passed during such a wait
    };
    std::map<uint32_t, Place> places;  // by location
    for (size_t i = 0; i + 1 < passes.size(); i++) {
      const ObjectWait& next = passes[i + 1];
      const Stay stay = stay_of(passes[i], next.end);
      if (stay.during != Waits::none) places[waits_[stay.during].location].is_passed = true;
      if (stay.before == Waits::none || next.is_at_once() || next.task == passes[i].task) continue;
      const Waits::Wait& wait = waits_[stay.before];
      Place& place = places[wait.location];
      const uint64_t waiters = queue.waiters_at(wait.end - 1);
      place.crowded += waiters >= fewest_waiters;
      HeldObject& held = place.held;
      if (held.count == 0 || length(wait) > length(waits_[held.wait])) held.wait = stay.before;
      if (held.count == 0 || length(waits_[next.wait]) > length(waits_[held.victim]))
        held.victim = next.wait;
      held.count++;
      held.others = std::max(held.others, waiters);
      held.waited += queue.waited_until(wait.end) - queue.waited_until(wait.begin);
    }
    std::optional<HeldObject> found;
    for (auto& [location, place] : places)
      if (location != 0 && !place.is_passed && place.crowded >= fewest_waits &&
          (!found || place.held.waited > found->waited))
        found = place.held;
    if (!found) return {};
    found->address = address;
    found->type = all.front().type;
    found->is_lock = is_lock(s_.trace, found->type);
    return found;
  }

 private:
  // What the task that passed did until the next one passed.
  struct Stay {
    uint32_t before = Waits::none;  // a long wait that ended right before that
    uint32_t during = Waits::none;  // a wait that had begun long before that, and lasted longer
  };

  uint64_t length(const Waits::Wait& wait) const {
    return std::min(wait.end, s_.model.end) - std::min(wait.begin, s_.model.end);
  }

  Stay stay_of(const ObjectWait& pass, uint64_t until) const {
    Stay stay;
    const auto rows = by_task_.of(pass.task);
    auto at = std::lower_bound(rows.begin(), rows.end(), pass.end,
                               [&](uint32_t w, uint64_t time) { return waits_[w].begin < time; });
    for (; at != rows.end() && waits_[*at].begin < until; ++at) {
      const Waits::Wait& wait = waits_[*at];
      const uint64_t gap = until - std::min(wait.end, until);
      if (wait.end > until) {
        if (until - wait.begin >= shortest_hold) stay.during = *at;
      } else if (length(wait) >= shortest_hold &&
                 gap <= std::max(shortest_hold, length(wait) / 10)) {
        stay.before = *at;
      } else {
        stay.before = Waits::none;
      }
    }
    return stay;
  }

  const Subject s_;
  const std::vector<Waits::Wait>& waits_;
  const RowsBy by_task_;
};

}  // namespace

std::vector<HeldObject> find_held_objects(const Subject& subject) {
  std::vector<HeldObject> found;
  if (subject.trace.awaited_objects.empty()) return found;
  const HolderFinder finder(subject);
  for (auto& [address, all] : find_object_waits(subject))
    if (const auto held = finder.find(address, all)) found.push_back(*held);
  stable_sort_by(found, [](const HeldObject& one) { return one.address; });
  return found;
}

}  // namespace skein
