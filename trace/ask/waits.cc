#include "trace/ask/waits.h"

#include <algorithm>

#include "base/stable_sort.h"
#include "trace/ask/none.h"
#include "trace/ask/task_kinds.h"

namespace skein {

namespace {

// Many queues of waits; a wait is in at most one. Each operation takes O(1).
class Queues {
 public:
  explicit Queues(size_t count) : ends_(count) {}

  uint32_t first(TaskIndex queue) const { return ends_[queue].first; }
  uint32_t next(uint32_t wait) const { return links_[wait].next; }

  void push(TaskIndex queue, uint32_t wait) {
    if (links_.size() <= wait) links_.resize(wait + 1);
    Ends& ends = ends_[queue];
    links_[wait] = {ends.last, none, queue};
    (ends.last == none ? ends.first : links_[ends.last].next) = wait;
    ends.last = wait;
  }
  // Does nothing if the wait is in no queue.
  void remove(uint32_t wait) {
    if (wait >= links_.size() || links_[wait].queue == no_index) return;
    const Link link = links_[wait];
    Ends& ends = ends_[link.queue];
    (link.before == none ? ends.first : links_[link.before].next) = link.next;
    (link.next == none ? ends.last : links_[link.next].before) = link.before;
    links_[wait] = {};
  }

 private:
  struct Ends {
    uint32_t first = none;
    uint32_t last = none;
  };
  struct Link {
    uint32_t before = none;
    uint32_t next = none;
    TaskIndex queue = no_index;
  };
  std::vector<Ends> ends_;
  std::vector<Link> links_;
};

class WaitFinder {
 public:
  WaitFinder(const Trace& trace, const Model& model)
      : trace_(trace),
        model_(model),
        open_(model.tasks.size()),
        waiters_(model.tasks.size()),
        holdings_(model.tasks.size()) {
    const size_t tasks = model.tasks.size();
    found_.last_wait.assign(tasks, none);
    found_.last_notification.assign(tasks, none);
    found_.last_holding.assign(tasks, none);
    found_.last_events.resize(tasks);
    found_.first_run.assign(tasks, Waits::never);
    found_.started_by.assign(tasks, no_index);
    found_.running.assign(tasks, false);
    became_.assign(tasks, no_index);
    ended_.assign(tasks, false);
    continued_by_.assign(tasks, no_index);
    started_last_.assign(tasks, no_index);
    for (const StringId kind : trace.kinds) kinds_.push_back(kind_class(trace.strings[kind]));
    current_.assign(std::max<size_t>(1, trace.executors.size()), no_index);
    operator_names_ = awaitable_operator_names(trace);
    if (!operator_names_.empty()) branch_finders_.resize(current_.size());
    begin_live_tasks();
  }

  Waits find() {
    const std::vector<AwaitedObject>& objects = trace_.awaited_objects;
    trace_.events.for_each(
        [&](const EventRow& event) {
          now_ = event.time;
          add_live_tasks(now_);
          while (next_object_ < objects.size() && objects[next_object_].event < index_)
            next_object_++;
          object_ = next_object_ < objects.size() && objects[next_object_].event == index_
                        ? next_object_++
                        : none;
          index_++;
          follow(event);
        },
        model_.events);
    object_ = none;
    add_live_tasks(now_ + 1);
    for (const uint32_t wait : detached_)
      if (found_.waits[wait].is_open()) found_.waits[wait].on = no_index;
    for (const TaskIndex task : current_)
      if (task != no_index) found_.running[task] = found_.any_running = true;
    end_live_tasks();
    follow_operators();
    return std::move(found_);
  }

 private:
  using Wait = Waits::Wait;

  // Whether a task is one of Asio's operators, by its name or its function.
  bool is_operator(TaskIndex task) const {
    const Model::Task& t = model_.tasks[task];
    return operator_names_[t.name] || operator_names_[trace_.locations[t.location].function];
  }
  void find_branch(const EventRow& event, TaskIndex task, TaskIndex other) {
    if (event.executor >= branch_finders_.size() || task == no_index) return;
    BranchFinder& finder = branch_finders_[event.executor];
    if (event.kind == EventKind::Suspend) {
      if (other == no_index && is_operator(task)) finder.suspends(task);
      return;
    }
    if (event.kind == EventKind::Resume && is_invoked_once(task)) finder.runs_next_handler();
    if (finder.open() == no_index) return;
    // The recorder takes the first operation for one that the operator itself has started.
    const bool is_operation =
        event.kind == EventKind::Create && kinds_[model_.tasks[task].kind] == KindClass::Operation &&
        other != no_index &&
        (other == finder.open() || (event.location == 0 && other == current(event.executor)));
    const bool is_coroutine = event.kind == EventKind::Resume &&
                              found_.first_run[task] == Waits::never &&
                              model_.tasks[task].parent == model_.tasks[finder.open()].parent;
    if (is_operation || is_coroutine)
      if (const auto branches = finder.add(task)) found_.branches.push_back(*branches);
  }

  void follow_operators() {
    std::vector<bool> known(model_.tasks.size());
    for (const Branches& branches : found_.branches) known[branches.operation] = true;
    for (const Branches& branches : find_branches(trace_, model_, operator_names_, found_.first_run))
      if (!known[branches.operation]) found_.branches.push_back(branches);
    std::erase_if(found_.branches, [&](const Branches& branches) {
      const uint32_t index = found_.last_wait[branches.operation];
      if (index == none) return true;
      Wait& wait = found_.waits[index];
      const auto operand = std::find_if(branches.operands.begin(), branches.operands.end(),
                                        [&](TaskIndex task) { return model_.is_open(task); });
      const bool is_known = wait.on != no_index && wait.on != branches.operands[0] &&
                            wait.on != branches.operands[1];
      if (!wait.is_open() || is_known || operand == branches.operands.end()) return true;
      wait.on = *operand;
      return false;
    });
  }

  // The task with this id at the current event: the last successor so far.
  TaskIndex get(TaskId id) {
    if (id == no_task) return no_index;
    TaskIndex task = model_.find(id);
    while (task != no_index && became_[task] != no_index) {
      const TaskIndex next = became_[became_[task]];  // path compression
      if (next != no_index) became_[task] = next;
      task = became_[task];
    }
    return task;
  }

  // In a ring, pre-existing tasks ran before the trace, unless the live task table lists them as
  // created.
  void begin_live_tasks() {
    if (trace_.live_tasks.empty()) return;
    for (TaskIndex task = 0; task < model_.tasks.size(); task++)
      if (model_.tasks[task].pre_existing) found_.first_run[task] = 0;
    for (const LiveTaskEntry& entry : trace_.live_tasks) {
      entries_.push_back(&entry);
      const TaskIndex task = get(entry.id);
      if (task != no_index && entry.state == LiveTaskEntry::State::Created)
        found_.first_run[task] = Waits::never;
    }
    stable_sort_by(entries_, [](const LiveTaskEntry* entry) { return entry->since; });
  }

  // Adds the waits and holdings of the table that began before `time` and are not in the events.
  void add_live_tasks(uint64_t time) {
    for (; next_entry_ < entries_.size(); next_entry_++) {
      const LiveTaskEntry& entry = *entries_[next_entry_];
      const auto since = static_cast<uint64_t>(std::max<int64_t>(entry.since, 0));
      if (entry.since >= 0 && since >= time) return;
      const TaskIndex task = get(entry.id);
      if (task == no_index) continue;
      const EventRow event{.time = since, .location = entry.at, .executor = entry.executor};
      end_stale_wait(task, entry, since);
      if (entry.state == LiveTaskEntry::State::Suspended && open_.first(task) == none)
        begin(event, task, get(entry.on));
      if (entry.state == LiveTaskEntry::State::Resource && holdings_.first(task) == none)
        if (entry.on != no_task) {
          acquire({.time = since, .location = entry.at}, get(entry.on), task);
          found_.holdings.back().holder_ended = get(entry.on) == no_index;
        }
    }
  }

  // A ring keeps the events of each thread for another time. If the table has a later state of a
  // task, a thread that has overwritten it ended the wait that another thread has kept.
  void end_stale_wait(TaskIndex task, const LiveTaskEntry& entry, uint64_t since) {
    using enum LiveTaskEntry::State;
    if ((entry.state != Suspended && entry.state != Running) || since >= trace_.info.complete_from)
      return;
    for (uint32_t i = open_.first(task); i != none; i = open_.next(i)) {
      const Wait& wait = found_.waits[i];
      const bool is_same =
          entry.state == Suspended && wait.on == get(entry.on) && wait.location == entry.at;
      if (wait.begin >= since || is_same) return;
    }
    close_overwritten(task, since);
  }

  // Ends the open waits of a task at `time`, because the ring has overwritten when they ended.
  void close_overwritten(TaskIndex task, uint64_t time) {
    for (uint32_t i = open_.first(task); i != none; i = open_.next(i))
      found_.waits[i].end_overwritten = true;
    close_all(task, time, no_index);
  }

  // Ends the waits of tasks whose end is overwritten, and adds targets from the table: the target
  // of a wait may be recorded after its suspension.
  void end_live_tasks() {
    for (TaskIndex task = 0; task < model_.tasks.size(); task++)
      if (model_.tasks[task].how == Model::End::Overwritten) {
        const uint64_t latest = std::min(now_, trace_.info.complete_from);
        close_overwritten(task, std::max(model_.tasks[task].end, latest));
      }
    assume_overwritten_runs();
    for (const LiveTaskEntry& entry : trace_.live_tasks) {
      const TaskIndex task = get(entry.id);
      if (task == no_index || !model_.is_open(task)) continue;
      const uint32_t wait = open_.first(task);
      if (wait == none) {
        if (entry.state == LiveTaskEntry::State::Running && !model_.tasks[task].is_scope)
          found_.running[task] = true;
      } else if (entry.state == LiveTaskEntry::State::Suspended &&
                 found_.waits[wait].on == no_index) {
        wait_on(wait, get(entry.on));
      }
    }
  }

  // A ring keeps the events of each thread for another time: a task whose creation is in the trace
  // may have run on a thread that has overwritten it. It has not if the task table says so.
  void assume_overwritten_runs() {
    const uint64_t complete_from = trace_.info.complete_from;
    for (TaskIndex task = 0; task < model_.tasks.size(); task++) {
      if (found_.first_run[task] != Waits::never || model_.tasks[task].start >= complete_from)
        continue;
      const LiveTaskEntry* entry = trace_.find_live_task(model_.tasks[task].id);
      if (entry == nullptr || entry->state != LiveTaskEntry::State::Created)
        found_.first_run[task] = complete_from;
    }
  }

  void set_last_event(TaskIndex task, TaskIndex by, const EventRow& event) {
    if (task != no_index && by != task)
      found_.last_events[task] = {event.time, by, event.location, event.kind};
  }

  void follow(const EventRow& event) {
    const TaskIndex task = get(event.task);
    const TaskIndex other = get(event.other);
    if (!branch_finders_.empty()) find_branch(event, task, other);
    using K = EventKind;
    switch (event.kind) {
      case K::Create:
        reuse_id(model_.find(event.task));
        continues(event, task, other);
        return set_last_event(task, other, event);
      case K::Resume:
        set_last_event(task, other, event);
        close_all(task, event.time, other);
        starts(event, task, other);
        return runs(event, task);
      case K::SwitchTo:
        return runs(event, task);
      case K::Suspend:
        close_all(task, event.time, no_index);  // closes a wait without a recorded end
        begin(event, task, other);
        return stops(event.executor, task);
      case K::Await:
        return awaits(event, task, other);
      case K::TryRead:
        return begin(event, task, other);
      case K::Ready:
        close_on(task, other, event.time);
        if (event.flags & flag::makes_current) runs(event, task);
        return;
      case K::Resolve:
      case K::Fail:
      case K::Cancel:
        set_last_event(task, other, event);
        if (event.kind == K::Cancel)
          cancel_waits(task);  // a destroyed task does not wake its waiters
        else if (!was_invoked(event.executor, task))
          make_ready(task, other, event.time, UINT64_MAX);
        else
          pass_on(task);
        close_all(task, event.time, no_index);
        ends(task);
        return stops(event.executor, task);
      case K::Become:
        return becomes(event, task, other);
      case K::Notify:
        set_last_event(task, other, event);
        notify(event, task, other);
        if (event.flags & flag::makes_current) runs(event, task);
        return;
      case K::Acquire:
        set_last_event(other, task, event);
        return acquire(event, task, other);
      case K::Release:
        set_last_event(other, task, event);
        return release(event, task, other);
      case K::ScopeCancel:
      case K::ScopeExit:
        set_last_event(other, task, event);
        make_ready(other, task, event.time, UINT64_MAX);
        close_all(other, event.time, no_index);
        return ends(other);
      case K::ExecutorEnd:
        if (event.executor < current_.size()) current_[event.executor] = no_index;
        return;
      default:
        return;
    }
  }

  TaskIndex current(uint32_t executor) const {
    return executor < current_.size() ? current_[executor] : no_index;
  }

  void runs(const EventRow& event, TaskIndex task) {
    if (event.executor < current_.size()) current_[event.executor] = task;
    if (task == no_index) return;
    if (found_.first_run[task] == Waits::never) found_.first_run[task] = event.time;
  }

  void stops(uint32_t executor, TaskIndex task) {
    if (executor < current_.size() && current_[executor] == task) current_[executor] = no_index;
  }

  void ends(TaskIndex task) {
    if (task != no_index) ended_[task] = true;
  }

  // The handler of an operation has returned and has not resumed the task that waits for it. Then
  // the wait is not over: the handler started another operation (Asio's async_read reads until the
  // message is complete), posted to another context, or was only a part of what the task waits for
  // (co_spawn starts a coroutine by one).
  bool was_invoked(uint32_t executor, TaskIndex task) const {
    return task != no_index && current(executor) == task && is_invoked_once(task);
  }
  bool is_invoked_once(TaskIndex task) const {
    const uint32_t kind = model_.tasks[task].kind;
    return kind < kinds_.size() &&
           (kinds_[kind] == KindClass::Operation || kinds_[kind] == KindClass::Handler);
  }
  void continues(const EventRow& event, TaskIndex task, TaskIndex parent) {
    if (task == no_index) return;
    continued_by_[task] = started_last_[task] = no_index;
    if (parent == no_index || parent == task) return;
    if (current(event.executor) == parent && is_invoked_once(task) && is_invoked_once(parent))
      continued_by_[parent] = task;
  }
  void starts(const EventRow& event, TaskIndex task, TaskIndex by) {
    if (task == no_index || found_.first_run[task] != Waits::never) return;
    found_.started_by[task] = by;
    if (by != no_index && current(event.executor) == by && is_invoked_once(by))
      started_last_[by] = task;
  }
  // Its waiters wait for the operation that its handler started last, or for the coroutine that it
  // started for them: they or the handler created it. Without either, for an unknown target, unless
  // they are resumed later.
  void pass_on(TaskIndex task) {
    TaskIndex next = continued_by_[task];
    if (next != no_index && ended_[next]) next = no_index;
    TaskIndex started = started_last_[task];
    if (started != no_index && ended_[started]) started = no_index;
    while (waiters_.first(task) != none) {
      const uint32_t index = waiters_.first(task);
      waiters_.remove(index);
      if (next != no_index)
        wait_on(index, next);
      else if (started != no_index && was_created_by(started, task, found_.waits[index].task))
        wait_on(index, started);
      else
        detached_.push_back(index);
    }
  }
  bool was_created_by(TaskIndex task, TaskIndex one, TaskIndex other) const {
    const TaskIndex parent = model_.tasks[task].parent;
    return parent == one || parent == other;
  }

  // The waits of an ended task with this id are not those of the new task.
  void reuse_id(TaskIndex task) {
    if (task == no_index || (!ended_[task] && became_[task] == no_index)) return;
    ended_[task] = false;
    became_[task] = no_index;
    found_.last_wait[task] = none;
    found_.first_run[task] = Waits::never;
    found_.started_by[task] = no_index;
  }

  void begin(const EventRow& event, TaskIndex task, TaskIndex on) {
    if (task == no_index || ended_[task]) return;
    const auto index = static_cast<uint32_t>(found_.waits.size());
    found_.waits.push_back({.begin = event.time,
                            .task = task,
                            .location = event.location,
                            .executor = event.executor,
                            .before = found_.last_wait[task],
                            .object = object_});
    found_.last_wait[task] = index;
    open_.push(task, index);
    wait_on(index, on);
  }

  void wait_on(uint32_t index, TaskIndex on) {
    found_.waits[index].on = on;
    if (on != no_index) waiters_.push(on, index);
  }

  // Recorded after the suspension: the target of that wait.
  void awaits(const EventRow& event, TaskIndex task, TaskIndex on) {
    if (task == no_index) return;
    const uint32_t last = found_.last_wait[task];
    const bool waits = last != none && found_.waits[last].is_open();
    if (waits && on != no_index && found_.waits[last].on == on) return;  // from the task table
    if (waits && found_.waits[last].on == no_index)
      wait_on(last, on);
    else
      begin(event, task, on);
  }

  void close(uint32_t index, uint64_t time, TaskIndex waker) {
    Wait& wait = found_.waits[index];
    wait.end = time;
    wait.ready = std::min(wait.ready, time);
    if (wait.waker == no_index) wait.waker = waker;
    open_.remove(index);
    waiters_.remove(index);
  }

  void close_all(TaskIndex task, uint64_t time, TaskIndex waker) {
    if (task == no_index) return;
    while (open_.first(task) != none) close(open_.first(task), time, waker);
  }

  void cancel_waits(TaskIndex task) {
    if (task == no_index) return;
    for (uint32_t i = open_.first(task); i != none; i = open_.next(i))
      found_.waits[i].cancelled = true;
  }

  void close_on(TaskIndex task, TaskIndex on, uint64_t time) {
    if (task == no_index) return;
    for (uint32_t i = open_.first(task); i != none; i = open_.next(i))
      if (found_.waits[i].on == on) return close(i, time, on);
  }

  // Makes at most `count` waiters of `on` runnable, the oldest first. A wait that is runnable is in
  // no queue of waiters.
  void make_ready(TaskIndex on, TaskIndex by, uint64_t time, uint64_t count) {
    if (on == no_index) return;
    for (uint64_t i = 0; i < count && waiters_.first(on) != none; i++) {
      const uint32_t index = waiters_.first(on);
      found_.waits[index].ready = time;
      found_.waits[index].waker = by;
      waiters_.remove(index);
    }
  }

  // Its waiters now wait for the successor; its own wait is over.
  void becomes(const EventRow& event, TaskIndex task, TaskIndex other) {
    set_last_event(task, other, event);
    if (task == no_index || other == no_index || task == other || ended_[task]) return;
    close_all(task, event.time, no_index);
    const bool over = !model_.is_open(other) && model_.tasks[other].how != Model::End::Became &&
                      model_.tasks[other].end <= event.time;
    while (waiters_.first(task) != none) {
      const uint32_t index = waiters_.first(task);
      waiters_.remove(index);
      wait_on(index, other);
    }
    if (over) make_ready(other, no_index, event.time, UINT64_MAX);
    became_[task] = other;
    if (current(event.executor) == task) current_[event.executor] = other;
  }

  void notify(const EventRow& event, TaskIndex target, TaskIndex by) {
    if (target == no_index) return;
    found_.notifications.push_back({.time = event.time,
                                    .woken = event.value,
                                    .target = target,
                                    .by = by,
                                    .location = event.location,
                                    .before = found_.last_notification[target]});
    found_.last_notification[target] = static_cast<uint32_t>(found_.notifications.size() - 1);
    if (event.value != unknown_value) make_ready(target, by, event.time, event.value);
    // A notified task is the waiter itself.
    for (uint32_t i = open_.first(target); i != none; i = open_.next(i)) {
      Wait& wait = found_.waits[i];
      if (wait.ready != Waits::never) continue;
      wait.ready = event.time;
      wait.waker = by;
      waiters_.remove(i);
    }
  }

  void acquire(const EventRow& event, TaskIndex task, TaskIndex resource) {
    if (resource == no_index) return;
    found_.holdings.push_back({.begin = event.time,
                               .holder = task,
                               .resource = resource,
                               .location = event.location,
                               .before = found_.last_holding[resource]});
    const auto index = static_cast<uint32_t>(found_.holdings.size() - 1);
    found_.last_holding[resource] = index;
    holdings_.push(resource, index);
  }

  // A semaphore may be released by another task than its holder; then the oldest holding ends.
  void release(const EventRow& event, TaskIndex task, TaskIndex resource) {
    if (resource == no_index) return;
    uint32_t ended = holdings_.first(resource);
    for (uint32_t i = ended; i != none; i = holdings_.next(i))
      if (found_.holdings[i].holder == task) {
        ended = i;
        break;
      }
    if (ended == none) return;
    found_.holdings[ended].end = event.time;
    holdings_.remove(ended);
  }

  const Trace& trace_;
  const Model& model_;
  Waits found_;
  Queues open_;      // the open waits of each task
  Queues waiters_;   // the waits for each task or resource that are not runnable
  Queues holdings_;  // by resource
  std::vector<TaskIndex> became_;
  std::vector<bool> ended_;                    // events after the end of a task are damage
  std::vector<TaskIndex> continued_by_;        // the operation that it started when it completed
  std::vector<bool> operator_names_;           // awaitable_operator_names()
  std::vector<BranchFinder> branch_finders_;   // by executor; empty: the same
  std::vector<TaskIndex> started_last_;        // the coroutine that it resumed first and last
  std::vector<KindClass> kinds_;               // by kind
  std::vector<uint32_t> detached_;             // waits whose target was invoked without effect
  std::vector<TaskIndex> current_;             // by executor
  std::vector<const LiveTaskEntry*> entries_;  // by since
  size_t next_entry_ = 0;
  uint32_t next_object_ = 0;  // index into Trace::awaited_objects, as is object_
  uint32_t object_ = none;    // of the current event
  size_t index_ = 0;          // of the next event
  uint64_t now_ = 0;
};

}  // namespace

const Waits::Wait* Waits::open(TaskIndex task) const {
  const Wait* oldest = nullptr;
  for (uint32_t i = last_wait[task]; i != none; i = waits[i].before)
    if (waits[i].is_open() || waits[i].cancelled) oldest = &waits[i];
  return oldest;
}

const Waits::Holding* Waits::held(TaskIndex resource) const {
  const Holding* oldest = nullptr;
  for (uint32_t i = last_holding[resource]; i != none; i = holdings[i].before)
    if (holdings[i].end == Waits::never) oldest = &holdings[i];
  return oldest;
}

TaskIndex outermost(const Model& model, const Waits& waits, TaskIndex task) {
  constexpr int deepest = 1'000;
  for (int depth = 0; depth < deepest; depth++) {
    const TaskIndex parent = model.tasks[task].parent;
    const Waits::Wait* wait = parent == no_index ? nullptr : waits.open(parent);
    if (wait == nullptr || wait->on != task) break;
    task = parent;
  }
  return task;
}

Waits find_waits(const Trace& trace, const Model& model) { return WaitFinder(trace, model).find(); }

}  // namespace skein
