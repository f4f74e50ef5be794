#include <algorithm>

#include "trace/ask/doctor/blocked_loops.h"
#include "trace/ask/doctor/lints.h"
#include "trace/ask/doctor/runs.h"
#include "trace/ask/handler_queue.h"
#include "trace/ask/invoked.h"
#include "trace/ask/none.h"

namespace skein::detail {

namespace {

// What ran directly after a run may have been ready before.
constexpr uint64_t directly = 1'000'000;  // ns

// Whether another task or handler of the thread had to wait for the run, or may have.
class Delays {
 public:
  explicit Delays(const LintContext& context)
      : context_(context), model_(context.model), waits_(context.waits) {}

  bool by(const Run& run) {
    constexpr uint64_t most = 200'000'000;  // rows; beyond that: assume so
    looked_at_ += waits_.waits.size() + model_.tasks.size();
    if (looked_at_ > most || context_.is_mirage) return true;
    const bool lasts = lasts_until_end(run);
    // A task that runs an event loop delays none of the others that this resumes.
    const bool serves = std::any_of(waits_.waits.begin(), waits_.waits.end(), [&](const auto& w) {
      return w.task != run.task && w.executor == run.executor && w.on == no_index &&
             w.end > run.begin && w.end < run.end;
    });
    const auto delayed_wait = [&](const Waits::Wait& w) {
      if (w.task == run.task || w.executor != run.executor || w.begin >= run.end) return false;
      if (w.ready >= run.begin && w.ready < run.end) return w.end >= run.end;
      if (w.on == no_index && w.is_open()) return lasts && is_overdue(run, w);
      return !serves && w.on == no_index && is_directly_after(run, w.end);
    };
    return std::any_of(waits_.waits.begin(), waits_.waits.end(), delayed_wait) ||
           has_delayed_task(run);
  }

 private:
  static bool is_waiting(KindClass kind) {
    return kind == KindClass::Callback || kind == KindClass::Operation ||
           kind == KindClass::Runnable;
  }
  static bool is_directly_after(const Run& run, uint64_t time) {
    return time >= run.end && time - run.end < directly;
  }

  // Nothing happens behind it, at most the end of the program.
  bool lasts_until_end(const Run& run) const {
    constexpr uint64_t exit = 100'000'000;  // ns: destructors, and what runs at exit
    const uint64_t behind = run.end + std::min(directly, UINT64_MAX - run.end);
    if (behind >= model_.end) return true;
    return context_.trace.info.ended != 0 && behind >= model_.last_event &&
           model_.end - run.end < exit;
  }

  // Whether the task has waited there before, and for less than the run: then it waits for a timer.
  bool is_overdue(const Run& run, const Waits::Wait& w) const {
    if (w.before == none || context_.may_have_ended(w.task)) return false;
    const Waits::Wait& before = waits_.waits[w.before];
    return before.location == w.location &&
           context_.length(before) < run.end - std::max(run.begin, w.begin);
  }

  // Whether the task was created in the run, by its task or a task that this one called.
  bool is_own(const Run& run, TaskIndex task) const {
    constexpr int deepest = 100;
    for (int depth = 0; depth < deepest && model_.tasks[task].start >= run.begin; depth++) {
      task = model_.tasks[task].parent;
      if (task == run.task) return true;
      if (task == no_index) break;
    }
    return false;
  }

  // A timer that was due, a handler, an operation, a task that has not started.
  bool has_delayed_task(const Run& run) const {
    for (TaskIndex i = 0; i < model_.tasks.size(); i++) {
      const Model::Task& task = model_.tasks[i];
      const uint64_t first = waits_.first_run[i];
      if (i == run.task || task.is_resource || task.is_scope || task.start >= run.end) continue;
      if (first < run.end) continue;
      const bool never = first == Waits::never;
      if (never && task.how != Model::End::Open && task.end < run.end) continue;
      if (!never && task.executor != run.executor) continue;
      const KindClass kind = context_.kind_class(i);
      const bool is_due = never || is_directly_after(run, first);
      if (is_own(run, i)) {  // it continues with it, unless it waits for it itself
        if (kind == KindClass::Handler && never) return true;
        continue;
      }
      const Model::Concern* use = model_.concern(i);
      if (use != nullptr && use->expires != 0) {
        const bool is_same_thread = task.executor == run.executor;
        if (is_same_thread && use->expires > run.begin && use->expires + directly < run.end)
          return true;
      } else if (kind == KindClass::Handler ? is_due : !never && is_due && is_waiting(kind)) {
        return true;
      }
    }
    return false;
  }

  const LintContext& context_;
  const Model& model_;
  const Waits& waits_;
  uint64_t looked_at_ = 0;
};

// Whether the task occupied its thread for that long, although it may have waited for a CPU as
// well.
bool is_own_doing(const Run& run, uint64_t limit) {
  return !run.cpu || run.cpu->least >= limit ||
         reason_off_cpu(*run.cpu, run.ran) == OffCpu::Blocked;
}

}  // namespace

void add_run_findings(const LintContext& context, Findings& found) {
  if (!context.is_enabled(Lint::RanTooLong) && !context.is_enabled(Lint::LockAcrossWait)) return;
  std::vector<Run>& runs = found.sources.runs;
  const uint64_t limit = context.limit(Lint::RanTooLong);
  const Subject subject{context.trace, context.model, context.waits};
  runs = long_runs(subject, limit);
  const std::vector<bool> pool_threads = find_pool_threads(context.trace, context.model);
  const auto is_pool_thread = [&](const Run& run) {
    return run.executor < pool_threads.size() && pool_threads[run.executor];
  };
  Delays delays(context);
  BlockedLoops loops(context);
  for (uint32_t i = 0; i < runs.size(); i++) {
    const Run& run = runs[i];
    const std::string_view kind = context.kind(run.task);
    if (kind == "thread" || kind == "process") continue;  // these may run long
    // An unfinished job of a batch, whose CPU time is not known yet.
    const auto is_like = [&](const Run& other) {
      const Model::Task& task = context.task(run.task);
      const Model::Task& like = context.task(other.task);
      return !loops.is_unfinished(other) && other.ran >= run.ran / 2 && like.name == task.name &&
             like.location == task.location;
    };
    const bool is_usual =
        loops.is_unfinished(run) && !run.cpu && std::any_of(runs.begin(), runs.end(), is_like);
    const bool matters = !is_usual && (delays.by(run) || loops.by(run));
    const bool is_long = loops.is_unfinished(run) && run.ran >= BlockedLoops::long_run_ns;
    if (!matters && !is_long && !context.options.strict) continue;
    found.add(
        {.lint = Lint::RanTooLong,
         .severity = matters && is_own_doing(run, limit) && !is_pool_thread(run)
                         ? Finding::Severity::Warning
                         : Finding::Severity::Note,
         .task = run.task,
         .begin = run.begin,
         .end = run.end,
         .duration = run.ran,
         .location = run.location != 0 ? run.location : location_of_invoked(subject, run.task),
         .index = i});
  }
}

}  // namespace skein::detail
