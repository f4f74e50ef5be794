#include "trace/ask/doctor/runs.h"

#include <algorithm>
#include <utility>

namespace skein {

namespace {

// Processes activations by start and waits by begin in parallel: a wait ends its task's run.
class RunFinder {
 public:
  RunFinder(const Model& model, const Waits& waits, uint64_t least)
      : model_(model), waits_(waits), least_(least), current_(model.tasks.size(), none) {}

  std::vector<Run> find() {
    for (const Model::Activation& a : model_.activations) {
      close_until(a.start);
      if (a.task != no_index && a.start < a.end) add(a);
    }
    close_until(UINT64_MAX);
    for (TaskIndex task = 0; task < current_.size(); task++) close(task, 0);
    return std::move(found_);
  }

 private:
  static constexpr uint32_t none = UINT32_MAX;

  void close_until(uint64_t time) {
    for (; next_ < waits_.waits.size() && waits_.waits[next_].begin <= time; next_++)
      close(waits_.waits[next_].task, waits_.waits[next_].location);
  }

  void close(TaskIndex task, uint32_t location) {
    const uint32_t index = std::exchange(current_[task], none);
    if (index == none) return;
    Run& run = open_[index];
    run.location = location;
    if (run.ran >= least_) run.ran -= std::min(run.ran, pauses_in(run));
    if (run.ran >= least_) found_.push_back(run);
    free_.push_back(index);
  }

  void add(const Model::Activation& a) {
    const Model::Task& task = model_.tasks[a.task];
    const bool ends = task.how != Model::End::Open && task.end <= a.end;
    // Most runs are one activation, and short.
    if (current_[a.task] == none && a.end - a.start < least_ && (ends || suspends_at_its_end(a)))
      return;
    if (current_[a.task] == none) begin(a);
    Run& run = open_[current_[a.task]];
    run.end = a.end;
    run.ran += a.end - a.start;
    if (ends) close(a.task, 0);
  }

  void begin(const Model::Activation& a) {
    if (free_.empty()) {
      free_.push_back(static_cast<uint32_t>(open_.size()));
      open_.emplace_back();
    }
    current_[a.task] = free_.back();
    free_.pop_back();
    open_[current_[a.task]] = {.task = a.task, .begin = a.start, .executor = a.executor};
  }

  bool suspends_at_its_end(const Model::Activation& a) const {
    for (size_t i = next_; i < waits_.waits.size() && waits_.waits[i].begin <= a.end; i++)
      if (waits_.waits[i].task == a.task) return true;
    return false;
  }

  // Pauses of the program: by a garbage collector, by a profiler.
  uint64_t pauses_in(const Run& run) const {
    uint64_t sum = 0;
    auto at = std::lower_bound(
        model_.pauses.begin(), model_.pauses.end(), run.begin,
        [](const Model::ExecutorInterval& pause, uint64_t time) { return pause.start < time; });
    for (; at != model_.pauses.end() && at->start < run.end; ++at)
      if (at->executor == run.executor) sum += std::min(at->end, run.end) - at->start;
    return sum;
  }

  const Model& model_;
  const Waits& waits_;
  const uint64_t least_;
  std::vector<uint32_t> current_;  // by task, its run since its last suspension, in open_
  std::vector<Run> open_;
  std::vector<uint32_t> free_;
  std::vector<Run> found_;
  size_t next_ = 0;  // index into the waits
};

}  // namespace

std::vector<Run> long_runs(const Subject& subject, uint64_t least) {
  std::vector<Run> runs = RunFinder(subject.model, subject.waits, least).find();
  const CpuUses uses(subject.trace);
  for (Run& run : runs) {
    run.cpu = uses.of(run.executor, run.begin, run.end);
    if (!run.cpu) continue;
    const uint64_t others = run.end - run.begin - std::min(run.end - run.begin, run.ran);
    run.cpu->most = std::min(run.cpu->most, run.ran);
    run.cpu->least -= std::min(run.cpu->least, others);
    run.cpu->least = std::min(run.cpu->least, run.cpu->most);
  }
  return runs;
}

}  // namespace skein
