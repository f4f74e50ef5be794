#include "trace/ask/logical_samples.h"

#include <charconv>
#include <map>
#include <utility>

#include "base/function_name.h"
#include "base/stable_sort.h"
#include "trace/ask/name_tree.h"
#include "trace/ask/number_table.h"
#include "trace/model/names.h"

namespace skein {

namespace {

struct SampleKey {
  uint32_t group = UINT32_MAX;
  uint32_t chain = LogicalTimes::root;
  TaskIndex task = no_index;  // whose function ends the sample's; no_index: outside any
  uint32_t sample = 0;        // of Trace::stacks
  bool operator==(const SampleKey&) const = default;
  uint64_t hash() const { return hash_of(hash_of(group, task), uint64_t{chain} << 32 | sample); }
};

std::string frame_name(const Trace& trace, const StackFrame& frame) {
  if (frame.function != 0) return short_function_name(trace.strings[frame.function]);
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, frame.address, 16).ptr;
  return "0x" + std::string(digits, end);
}

class SampleFinder {
 public:
  SampleFinder(const Subject& subject, const LogicalTimes& times, const LogicalSelection& selection,
               std::span<const std::string> wanted)
      : s_(subject),
        times_(times),
        selection_(selection),
        wanted_(wanted),
        thread_of_(subject.trace.executors.size()) {
    join_executors();
    for (uint32_t i = 0; i < times.intervals.size(); i++) {
      const LogicalTimes::Interval& one = times.intervals[i];
      if (one.state == LogicalTimes::State::Running && one.executor < thread_of_.size())
        threads_[thread_of_[one.executor]].runs.push_back(i);
    }
    for (Thread& thread : threads_)
      stable_sort(thread.runs, [&](uint32_t a, uint32_t b) {
        return times.intervals[a].begin < times.intervals[b].begin;
      });
  }

  LogicalSamples find(double least_share) {
    found_.tasks.resize(s_.model.tasks.size());
    s_.trace.events.for_each(
        [&](const EventRow& event) {
          if (event.kind == EventKind::Sample) add(event);
        },
        s_.model.events);
    for (uint32_t i = 0; i < counts_.size(); i++) add_stack(keys_[i], counts_[i]);
    found_.tree = tree_.build(least_share);
    return std::move(found_);
  }

 private:
  struct Thread {
    std::vector<uint32_t> runs;  // of the intervals, in order
    size_t next = 0;
  };

  // A thread has a second stream for the events of signal handlers that interrupt the recorder: a
  // sample may be in one, and the runs of tasks in the other.
  void join_executors() {
    std::map<std::pair<uint32_t, uint64_t>, uint32_t> numbers;  // by process and thread
    for (uint32_t i = 0; i < thread_of_.size(); i++) {
      const Executor& executor = s_.trace.executors[i];
      const auto next = static_cast<uint32_t>(threads_.size());
      const std::pair<uint32_t, uint64_t> thread(executor.process, executor.tid);
      thread_of_[i] = executor.tid == 0 ? next : numbers.try_emplace(thread, next).first->second;
      if (thread_of_[i] == next) threads_.emplace_back();
    }
  }

  const LogicalTimes::Interval* run_at(uint32_t executor, uint64_t time) {
    if (executor >= thread_of_.size()) return nullptr;
    Thread& thread = threads_[thread_of_[executor]];
    const auto interval = [&](size_t at) -> const LogicalTimes::Interval& {
      return times_.intervals[thread.runs[at]];
    };
    while (thread.next < thread.runs.size() && interval(thread.next).end <= time) thread.next++;
    if (thread.next == thread.runs.size() || interval(thread.next).begin > time) return nullptr;
    return &interval(thread.next);
  }

  void add(const EventRow& event) {
    const LogicalTimes::Interval* run = run_at(event.executor, event.time);
    LogicalTimes::Interval one{.begin = event.time, .end = event.time + 1};
    one.executor = std::min(event.executor, LogicalTimes::no_executor) & LogicalTimes::no_executor;
    if (run != nullptr) {
      one.task = run->task;
      one.label = run->label;
    }
    const bool is_in_range = selection_.from <= event.time && event.time < selection_.to;
    const bool is_of_tasks =
        selection_.tasks == nullptr || (one.task != no_index && (*selection_.tasks)[one.task]);
    if (!is_in_range || !is_of_tasks ||
        (selection_.executor && *selection_.executor != one.executor))
      return;
    (run != nullptr ? found_.in_tasks : found_.outside)++;
    if (run != nullptr && event.task != no_task && s_.model.tasks[run->task].id != event.task)
      found_.other_tasks++;
    const uint32_t at = keys_.add({.group = stacks_group(selection_.by, one),
                                   .chain = run == nullptr ? LogicalTimes::root : run->stack,
                                   .task = one.task,
                                   .sample = static_cast<uint32_t>(event.value)});
    if (at == counts_.size()) counts_.push_back(0);
    counts_[at]++;
  }

  void add_stack(const SampleKey& key, double count) {
    path_.clear();  // the innermost first
    const auto frames = s_.trace.stacks.frames(key.sample);
    std::string own;
    if (key.task != no_index) {
      const Model::Task& task = s_.model.tasks[key.task];
      own = short_function_name(s_.trace.strings[s_.trace.locations[task.location].function]);
      if (own.empty()) own = task_name(s_.trace, 0, task.name, task.location);
    }
    for (const StackFrame& frame : frames) {
      std::string name = frame_name(s_.trace, frame);
      if (!own.empty() && name == own) break;
      path_.push_back(tree_.name(name));
    }
    for (uint32_t stack = key.chain; stack != LogicalTimes::root;
         stack = times_.stacks[stack].parent)
      path_.push_back(tree_.name(times_.names[times_.stacks[stack].name]));
    if (selection_.by != StacksBy::None) {
      const bool is_known = selection_.by != StacksBy::Task || key.task != no_index;
      path_.push_back(tree_.name(is_known ? stacks_group_name(s_, selection_.by, key.group)
                                          : "(outside any task)"));
    }
    if (path_.empty()) path_.push_back(tree_.name("(unknown)"));
    uint32_t node = NameTree::root;
    for (size_t i = path_.size(); i-- > 0;) node = tree_.child(node, path_[i]);
    tree_.add(node, count);
    if (key.task != no_index && is_wanted()) found_.tasks[key.task] = 1;
  }

  bool is_wanted() const {
    if (wanted_.size() > path_.size()) return false;
    for (size_t i = 0; i < wanted_.size(); i++)
      if (tree_.name_of(path_[path_.size() - 1 - i]) != wanted_[i]) return false;
    return true;
  }

  const Subject& s_;
  const LogicalTimes& times_;
  const LogicalSelection& selection_;
  std::span<const std::string> wanted_;  // a path
  std::vector<uint32_t> thread_of_;  // by executor
  std::vector<Thread> threads_;
  NumberTable<SampleKey> keys_;
  std::vector<double> counts_;  // by key
  NameTree tree_;
  std::vector<uint32_t> path_;
  LogicalSamples found_;
};

}  // namespace

LogicalSamples find_logical_samples(const Subject& subject, const LogicalTimes& times,
                                    const LogicalSelection& selection, double least_share,
                                    std::span<const std::string> path) {
  return SampleFinder(subject, times, selection, path).find(least_share);
}

}  // namespace skein
