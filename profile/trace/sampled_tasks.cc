#include "profile/trace/sampled_tasks.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/stable_sort.h"
#include "trace/read/kinds.h"

namespace skein {

namespace {

constexpr uint32_t none = UINT32_MAX;

// A coroutine of the samples.
struct Instance {
  uint32_t function = 0;
  uint32_t awaiter = none;  // of the instances
  uint32_t last = 0;        // the last sample in which it is
  bool is_over = false;     // its awaiter has gone on since
  uint32_t place = 0;       // where it awaits `targets`
  std::vector<uint32_t> targets = {};
};

class InstanceFinder {
 public:
  explicit InstanceFinder(const Trace& trace) : trace_(trace) {}

  // The instances of the sample's coroutines.
  void add(uint32_t number, const TimedSample& sample, std::vector<uint32_t>& found) {
    found.assign(sample.coroutines.size(), none);
    uint32_t awaiter = none;
    for (size_t i = found.size(); i-- > 0;) {
      const SampledCoroutine& one = sample.coroutines[i];
      found[i] = find(number, process_of(sample), one, awaiter);
      if (awaiter != none) await(awaiter, found[i]);
      awaiter = found[i];
      // At another line than before, or if it runs, what it awaited there is over. At the same one,
      // it may await both.
      if (i == 0 || all_[awaiter].place != one.place) end_targets(awaiter);
      all_[awaiter].place = one.place;
    }
  }

  const std::vector<Instance>& all() const { return all_; }

 private:
  uint32_t process_of(const TimedSample& sample) const {
    return trace_.executors[sample.executor].process;
  }

  uint32_t find(uint32_t number, uint32_t process, const SampledCoroutine& one, uint32_t awaiter) {
    uint32_t& known = by_frame_.try_emplace({process, one.frame}, none).first->second;
    if (known != none) {
      Instance& old = all_[known];
      const bool is_awaited_by_same = old.awaiter == none || old.awaiter == awaiter;
      // A frame that is twice in a chain is damage, and must not make a cycle.
      if (old.function == one.function && is_awaited_by_same && !old.is_over &&
          old.last != number) {
        old.awaiter = awaiter;
        old.last = number;
        return known;
      }
    }
    known = static_cast<uint32_t>(all_.size());
    all_.push_back({.function = one.function, .awaiter = awaiter, .last = number});
    return known;
  }

  void await(uint32_t awaiter, uint32_t target) {
    std::vector<uint32_t>& targets = all_[awaiter].targets;
    if (std::find(targets.begin(), targets.end(), target) == targets.end())
      targets.push_back(target);
    // A loop that awaits a new task each time: most have ended.
    constexpr size_t most = 64;
    if (targets.size() > most) targets.erase(targets.begin());
  }

  void end_targets(uint32_t awaiter) {
    for (const uint32_t target : all_[awaiter].targets) all_[target].is_over = true;
    all_[awaiter].targets.clear();
  }

  const Trace& trace_;
  std::vector<Instance> all_;
  std::map<std::pair<uint32_t, uint64_t>, uint32_t> by_frame_;  // by process and frame
};

class EventMaker {
 public:
  EventMaker(std::span<const Instance> instances, uint64_t period, Trace& trace)
      : instances_(instances),
        period_(period),
        trace_(trace),
        tasks_(instances.size()),
        threads_(trace.executors.size()),
        no_sample_(trace.strings.intern("no sample")) {}

  // `chain`: the instances of its coroutines.
  void add(uint32_t number, const TimedSample& sample, std::span<const uint32_t> chain) {
    Thread& thread = threads_[sample.executor];
    const bool goes_on =
        thread.is_running && sample.time - std::min(sample.time, thread.last) <= 2 * period_;
    if (!goes_on) end_stretch(sample.executor);
    if (!goes_on || !continues(thread, sample, chain)) begin(sample, chain, goes_on);
    if (sample.wait != 0) return wait(number, sample, chain);
    emit({.time = sample.time,
          .task = chain.empty() ? no_task : id(chain[0]),
          .value = sample.stack,
          .executor = sample.executor,
          .kind = EventKind::Sample});
    thread.last = sample.time;
    end_tasks(number, chain, sample.time + 1, sample.executor);
  }

  void finish() {
    for (uint32_t i = 0; i < threads_.size(); i++) end_stretch(i);
    stable_sort_by(events_, [](const EventRow& event) { return event.time; });
    for (const EventRow& event : events_) trace_.events.append(event);
  }

 private:
  struct Task {
    bool exists = false;
    uint64_t created = 0;  // when, on `created_by`
    uint32_t created_by = none;
    uint32_t executor = none;  // on which it runs
    uint32_t place = 0;
    std::vector<uint32_t> targets = {};
    uint64_t changed = 0;  // its last event, on `changed_by`
    uint32_t changed_by = none;
  };
  struct Thread {
    bool is_running = false;  // in a stretch
    uint32_t task = none;
    uint64_t last = 0;  // sample
  };

  void wait(uint32_t number, const TimedSample& sample, std::span<const uint32_t> chain) {
    Thread& thread = threads_[sample.executor];
    thread.last = sample.time;
    const uint64_t end = sample.time + sample.wait;
    if (chain.empty() && !sample.is_preempted) {
      emit({.time = sample.time, .executor = sample.executor, .kind = EventKind::Idle});
      emit({.time = end, .executor = sample.executor, .kind = EventKind::Wake});
    }
    thread.last = end;
    end_tasks(number, chain, end + 1, sample.executor);
  }

  static TaskId id(uint32_t task) { return uint64_t{task} + 1; }

  void emit(const EventRow& event) { events_.push_back(event); }
  void emit_of(uint32_t task, EventRow event) {
    event.task = id(task);
    tasks_[task].changed = event.time;
    tasks_[task].changed_by = event.executor;
    emit(event);
  }

  bool awaits(uint32_t awaiter, uint32_t place, uint32_t target) const {
    const Task& task = tasks_[awaiter];
    return task.executor == none && task.place == place &&
           std::find(task.targets.begin(), task.targets.end(), target) != task.targets.end();
  }

  // Whether the thread still runs the same task, for the same awaiters.
  bool continues(const Thread& thread, const TimedSample& sample,
                 std::span<const uint32_t> chain) const {
    if (chain.empty()) return thread.task == none;
    if (thread.task != chain[0]) return false;
    for (size_t i = 1; i < chain.size(); i++)
      if (!awaits(chain[i], sample.coroutines[i].place, chain[i - 1])) return false;
    return true;
  }

  void begin(const TimedSample& sample, std::span<const uint32_t> chain, bool goes_on) {
    Thread& thread = threads_[sample.executor];
    stop(sample.executor);
    uint64_t time = sample.time - std::min(sample.time, period_);
    if (thread.last != 0) time = std::max(time, thread.last + 1);
    for (const uint32_t task : chain) {
      if (tasks_[task].executor != none) stop(tasks_[task].executor);
      // Equal times of different threads have no order.
      if (const Task& known = tasks_[task]; known.exists)
        time = std::max(time, known.changed + (known.changed_by == sample.executor ? 0 : 1));
    }
    time = std::min(time, sample.time);
    const uint32_t executor = sample.executor;
    thread.is_running = true;
    if (!goes_on) emit({.time = time, .executor = executor, .kind = EventKind::Wake});
    for (size_t i = chain.size(); i-- > 0;)
      create(chain[i], sample.coroutines[i].function, time, executor);
    for (size_t i = chain.size(); i-- > 1;)
      await(chain[i], sample.coroutines[i].place, chain[i - 1], time, executor);
    if (chain.empty()) return;
    tasks_[chain[0]].targets.clear();
    emit_of(chain[0], {.time = time, .executor = executor, .kind = EventKind::Resume});
    tasks_[chain[0]].executor = executor;
    thread.task = chain[0];
  }

  void create(uint32_t task, uint32_t function, uint64_t time, uint32_t executor) {
    if (std::exchange(tasks_[task].exists, true)) return;
    tasks_[task].created = time;
    tasks_[task].created_by = executor;
    const uint32_t awaiter = instances_[task].awaiter;
    const bool is_known = awaiter != none && is_created(awaiter, time, executor);
    emit_of(task, {.time = time,
                   .other = is_known ? id(awaiter) : no_task,
                   .value = kind_,
                   .location = function,
                   .executor = executor,
                   .kind = EventKind::Create});
  }

  // One that awaits a task later may have been created after it. A task that an earlier event names
  // would begin with the trace. Equal times of different threads have no order.
  bool is_created(uint32_t task, uint64_t time, uint32_t executor) const {
    const Task& known = tasks_[task];
    return known.exists &&
           (known.created < time || (known.created == time && known.created_by == executor));
  }

  void await(uint32_t awaiter, uint32_t place, uint32_t target, uint64_t time, uint32_t executor) {
    if (awaits(awaiter, place, target)) return;
    Task& task = tasks_[awaiter];
    const bool is_another = task.place == place && !task.targets.empty();
    if (!is_another) {
      task.targets.clear();
      emit_of(awaiter, {.time = time, .executor = executor, .kind = EventKind::Resume});
    }
    emit_of(awaiter, {.time = time,
                      .other = id(target),
                      .location = place,
                      .executor = executor,
                      .kind = is_another ? EventKind::Await : EventKind::Suspend});
    task.place = place;
    task.targets.push_back(target);
  }

  // The thread's task does not run after its last sample, as far as is known.
  void stop(uint32_t executor) {
    Thread& thread = threads_[executor];
    if (thread.task == none) return;
    emit_of(thread.task,
            {.time = thread.last + 1, .executor = executor, .kind = EventKind::Suspend});
    tasks_[std::exchange(thread.task, none)].executor = none;
  }

  void end_stretch(uint32_t executor) {
    Thread& thread = threads_[executor];
    if (!thread.is_running) return;
    stop(executor);
    emit({.time = thread.last + 1,
          .text = no_sample_,
          .executor = executor,
          .kind = EventKind::Idle});
    thread.is_running = false;
  }

  // Those in no later sample; and their awaiters go on, if these await nothing else.
  void end_tasks(uint32_t number, std::span<const uint32_t> chain, uint64_t time,
                 uint32_t executor) {
    for (size_t i = 0; i < chain.size(); i++) {
      Task& task = tasks_[chain[i]];
      if (instances_[chain[i]].last != number) continue;
      emit_of(chain[i], {.time = time, .executor = executor, .kind = EventKind::Resolve});
      if (task.executor != none) threads_[task.executor].task = none;
      task.executor = none;
      if (i + 1 == chain.size()) continue;
      Task& awaiter = tasks_[chain[i + 1]];
      std::erase(awaiter.targets, chain[i]);
      if (!awaiter.targets.empty()) {
        // Or the awaiter would look ready while it waits for the others.
        emit({.time = time,
              .task = id(chain[i + 1]),
              .other = id(chain[i]),
              .executor = executor,
              .kind = EventKind::Ready});
        continue;
      }
      emit_of(
          chain[i + 1],
          {.time = time, .other = id(chain[i]), .executor = executor, .kind = EventKind::Resume});
      if (instances_[chain[i + 1]].last != number)
        emit_of(chain[i + 1], {.time = time, .executor = executor, .kind = EventKind::Suspend});
    }
  }

  std::span<const Instance> instances_;
  const uint64_t period_;
  Trace& trace_;
  const uint64_t kind_ = kind_index(trace_, "coroutine");
  std::vector<Task> tasks_;
  std::vector<Thread> threads_;
  const StringId no_sample_;
  std::vector<EventRow> events_;
};

}  // namespace

void append_sampled_tasks(std::span<const TimedSample> samples, uint64_t period, Trace& trace) {
  InstanceFinder finder(trace);
  std::vector<std::vector<uint32_t>> chains(samples.size());
  for (uint32_t i = 0; i < samples.size(); i++) finder.add(i, samples[i], chains[i]);
  EventMaker maker(finder.all(), period, trace);
  for (uint32_t i = 0; i < samples.size(); i++) maker.add(i, samples[i], chains[i]);
  maker.finish();
}

}  // namespace skein
