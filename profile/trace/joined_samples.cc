#include "profile/trace/joined_samples.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "profile/perf/logical_stacks.h"
#include "profile/trace/chosen_event.h"
#include "profile/trace/sample_stacks.h"
#include "profile/trace/thread_switches.h"
#include "trace/model/model.h"

namespace skein {

namespace {

constexpr uint64_t second = 1'000'000'000;
constexpr uint8_t has_no_task = 1;  // EventRow::flags, until it is looked up

class Joiner {
 public:
  Joiner(const PerfFile& file, Files& files, const PerfOptions& options, uint32_t pid,
         const TimeOfTrace& time_of_trace, const ThreadNumbers& numbers, Trace& trace)
      : file_(file),
        names_(file, files, options),
        pid_(pid),
        time_of_(time_of_trace),
        numbers_(numbers),
        trace_(trace) {
    for (uint32_t i = 0; i < trace.executors.size(); i++)
      if (trace.executors[i].tid != 0) executors_.try_emplace(trace.executors[i].tid, i);
    trace.events.for_each([&](const EventRow& event) {
      if (event.task != no_task) tasks_.insert(event.task);
    });
    for (const LiveTaskEntry& one : trace.live_tasks) tasks_.insert(one.id);
  }

  JoinedSamples join(const ShownEvents& events) {
    file_.for_each([&](const PerfRecord& record) {
      names_.use(record);
      if (record.type == PerfRecord::Type::Sample) {
        if (record.event == events.cpu_time) add(record);
        if (record.event == events.waits) add_wait(record);
      }
      if (record.pid == pid_ &&
          (record.type == PerfRecord::Type::Switch || record.type == PerfRecord::Type::Exit))
        switches_.add(record);
    });
    if (trace_.thread_states.empty()) changes_ = switches_.changes(placed_waits());
    for (ThreadStateChange& change : changes_) change.tid = number_of(change.tid);
    std::stable_sort(samples_.begin(), samples_.end(),
                     [](const EventRow& a, const EventRow& b) { return a.time < b.time; });
    set_times();
    set_tasks();
    merge();
    if (!events.cpu_time) return joined_;
    if (const PerfEvent& one = file_.events()[*events.cpu_time]; one.counts_ns() && one.period != 0)
      trace_.info.sample_rate = (second + one.period / 2) / one.period;
    return joined_;
  }

 private:
  void add(const PerfRecord& record) {
    if (record.pid != pid_) {
      joined_.outside++;
      return;
    }
    const std::optional<LogicalSample> noted = LogicalSample::read(record.raw);
    const TaskId task = noted ? noted->task.value_or(no_task) : no_task;
    samples_.push_back({.time = record.time,
                        .task = tasks_.contains(task) ? task : no_task,
                        .value = stacks_.add(names_.functions(record)),
                        .executor = executor_of(record),
                        .kind = EventKind::Sample,
                        .flags = noted && noted->task ? uint8_t{0} : has_no_task});
  }

  void add_wait(const PerfRecord& record) {
    if (record.pid != pid_) return;
    waits_.push_back({.tid = record.tid,
                      .begin = record.time,
                      .end = record.time + record.period,
                      .stack = stacks_.add(names_.functions(record))});
    executor_of(record);
  }

  std::vector<ThreadWait> placed_waits() {
    std::erase_if(waits_, [&](ThreadWait& wait) { return !switches_.place(wait); });
    return std::move(waits_);
  }

  uint32_t number_of(uint32_t tid) const {
    const auto known = numbers_.find(tid);
    return known == numbers_.end() ? tid : known->second;
  }

  uint32_t executor_of(const PerfRecord& record) {
    const uint32_t tid = number_of(record.tid);
    const auto [at, is_new] =
        executors_.try_emplace(tid, static_cast<uint32_t>(trace_.executors.size()));
    if (is_new)
      trace_.executors.push_back(
          {.name = trace_.strings.intern(names_.thread_name(record)), .tid = tid});
    return at->second;
  }

  // Both are in order, and the times are to be asked for in order.
  void set_times() {
    std::vector<EventRow> inside;
    auto change = changes_.begin();
    const auto add_changes = [&](uint64_t until) {
      for (; change != changes_.end() && change->time <= until; ++change) {
        change->time = time_of_(change->time).value_or(0);
        trace_.thread_states.push_back(*change);
      }
    };
    for (EventRow& sample : samples_) {
      add_changes(sample.time);
      const std::optional<uint64_t> time = time_of_(sample.time);
      if (!time) {
        joined_.outside++;
        continue;
      }
      sample.time = *time;
      inside.push_back(sample);
    }
    add_changes(UINT64_MAX);
    samples_ = std::move(inside);
    joined_.added = samples_.size();
  }

  // Those that are not known, by the trace.
  void set_tasks() {
    if (std::none_of(samples_.begin(), samples_.end(),
                     [](const EventRow& one) { return one.flags == has_no_task; }))
      return;
    const Model model = build_model(trace_, {.simplify = false});
    std::map<uint64_t, std::vector<Model::Activation>> runs;  // by thread
    for (const Model::Activation& one : model.activations)
      runs[trace_.executors[one.executor].tid].push_back(one);
    for (EventRow& sample : samples_) {
      if (std::exchange(sample.flags, 0) != has_no_task) continue;
      const auto& all = runs[trace_.executors[sample.executor].tid];
      auto next = std::upper_bound(
          all.begin(), all.end(), sample.time,
          [](uint64_t time, const Model::Activation& one) { return time < one.start; });
      if (next == all.begin() || (--next)->end <= sample.time) continue;
      sample.task = model.tasks[next->task].id;
      joined_.looked_up++;
    }
  }

  // Behind the events of the same time. Awaited objects are known by the numbers of events.
  void merge() {
    Events all;
    auto next = samples_.begin();
    auto object = trace_.awaited_objects.begin();
    size_t number = 0;
    trace_.events.for_each([&](const EventRow& event) {
      for (; next != samples_.end() && next->time < event.time; ++next) all.append(*next);
      for (; object != trace_.awaited_objects.end() && object->event == number; ++object)
        object->event = all.size();
      all.append(event);
      number++;
    });
    for (; next != samples_.end(); ++next) all.append(*next);
    trace_.events = std::move(all);
  }

  const PerfFile& file_;
  SampleNames names_;
  const uint32_t pid_;
  const TimeOfTrace& time_of_;
  const ThreadNumbers& numbers_;
  Trace& trace_;
  JoinedSamples joined_ = {};
  std::vector<EventRow> samples_ = {};
  std::unordered_set<TaskId> tasks_ = {};
  std::map<uint64_t, uint32_t> executors_ = {};  // by thread
  ThreadSwitches switches_ = {};
  std::vector<ThreadWait> waits_ = {};
  std::vector<ThreadStateChange> changes_ = {};  // with the file's times
  SampleStacks stacks_{names_, trace_};
};

}  // namespace

Result<JoinedSamples> join_samples(std::span<const uint8_t> bytes, const std::string& path,
                                   Files& files, const PerfOptions& options, uint32_t pid,
                                   const TimeOfTrace& time_of_trace, const ThreadNumbers& numbers,
                                   Trace& trace) {
  const Result<PerfFile> file = PerfFile::read(bytes, path);
  if (!file) return file.error();
  const Result<ShownEvents> events = shown_events(*file, options.event, path);
  if (!events) return events.error();
  return Joiner(*file, files, options, pid, time_of_trace, numbers, trace).join(*events);
}

}  // namespace skein
