// Two tasks that wake each other through a timer for which both wait: a disguised busy loop. Each
// sets the timer again before it waits, which cancels the wait of the other.
//
//   while (!ready) {
//     timer.expires_at(deadline);  // cancels all waits
//     co_await timer.async_wait();
//   }
#include <algorithm>
#include <map>
#include <utility>

#include "trace/ask/doctor/lints.h"
#include "trace/ask/none.h"

namespace skein::detail {

namespace {

// Cancels of one timer, by two tasks in turn.
struct Turns {
  TaskIndex last = no_index;
  TaskIndex other = no_index;
  uint64_t count = 0;
  uint64_t begin = 0;
  uint64_t end = 0;

  void add(const Model::Cancel& cancel) {
    const uint64_t before = std::exchange(end, cancel.time);
    if (cancel.by == last) return;
    if (cancel.by != other) {
      count = last != no_index ? 1 : 0;
      begin = last != no_index ? before : cancel.time;
    }
    other = std::exchange(last, cancel.by);
    count++;
  }
};

// Work that is cut into pieces takes longer for each.
constexpr uint64_t longest_turn = 20'000;  // ns
// Turns that ended longer before the end of the trace are over, ns.
constexpr uint64_t longest_rest = 100'000'000;

class CancelLints {
 public:
  CancelLints(const LintContext& context, Findings& found)
      : context_(context), model_(context.model), found_(found) {}

  void run() {
    std::map<uint32_t, Turns> timers;  // by object
    for (const Model::Cancel& cancel : model_.cancels) timers[cancel.object].add(cancel);
    for (const auto& [object, turns] : timers) look_at(object, turns);
  }

 private:
  void look_at(uint32_t object, const Turns& turns) {
    if (turns.count < context_.options.posts || model_.end - turns.end > longest_rest) return;
    if ((turns.end - turns.begin) / turns.count > longest_turn) return;
    const auto is_open = [&](TaskIndex task) { return task != no_index && context_.is_open(task); };
    if (!is_open(turns.last) || !is_open(turns.other) || does_more(object, turns)) return;
    // The other one may run.
    const TaskIndex waiter = waits_for(turns.last, object) ? turns.last : turns.other;
    if (!waits_for(waiter, object)) return;
    found_.add({.lint = Lint::SelfWake,
                .severity = Finding::Severity::Note,
                .task = std::min(turns.last, turns.other),
                .other = std::max(turns.last, turns.other),
                .begin = turns.begin,
                .end = turns.end,
                .duration = turns.count,
                .location = context_.waits.open(waiter)->location,
                .value = turns.count});
  }

  // Whether the task waits for the timer, which is to expire.
  bool waits_for(TaskIndex task, uint32_t object) const {
    const Waits::Wait* wait = context_.waits.open(task);
    if (wait == nullptr || !wait->is_open() || wait->on == no_index) return false;
    const Model::Concern* use = model_.concern(model_.last_self(wait->on));
    return use != nullptr && use->object == object && use->expires != 0 &&
           use->expires != Model::Object::never;
  }

  // Whether one of both has begun anything but waits for the timer.
  bool does_more(uint32_t object, const Turns& turns) const {
    for (TaskIndex i = 0; i < model_.tasks.size(); i++) {
      const Model::Task& task = model_.tasks[i];
      if (task.start < turns.begin || task.start > turns.end || task.parent == no_index) continue;
      if (task.parent != turns.last && task.parent != turns.other) continue;
      const Model::Concern* use = model_.concern(i);
      if (use == nullptr || use->object != object) return true;
    }
    return false;
  }

  const LintContext& context_;
  const Model& model_;
  Findings& found_;
};

}  // namespace

void add_cancel_findings(const LintContext& context, Findings& found) {
  if (context.is_enabled(Lint::SelfWake)) CancelLints(context, found).run();
}

}  // namespace skein::detail
