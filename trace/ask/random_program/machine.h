// The machine that random programs run on. It runs the scripts of their tasks one after another, on
// a simulated clock, and records a skein trace.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <queue>
#include <random>
#include <string_view>

#include "trace/ask/random_program/script.h"

namespace skein::detail {

class Machine {
 public:
  Trace trace;
  TaskId victim = no_task;  // waits and never resumes
  TaskId thing = no_task;   // its target; EndedHolding: the lock; cycles: one of the tasks

 protected:
  static constexpr uint64_t long_time = 200'000'000;

  // `timers_are_late`: timers fire late at random.
  Machine(uint32_t seed, bool timers_are_late) : random_(seed), timers_are_late_(timers_are_late) {
    trace.info.format = "skein";
    for (const char* kind :
         {"unknown", "coroutine", "timer", "mutex", "condition", "handler", "io", "channel"})
      trace.kinds.push_back(trace.strings.intern(kind));
    trace.executors.resize(2);
    trace.locations.push_back({.file = trace.strings.intern("program.cc"), .line = 1});
  }

  void reseed(uint32_t seed) { random_.seed(seed); }
  uint64_t below(uint64_t n) { return random_() % n; }
  uint64_t some_time() { return 1000 + below(5'000'000); }

  void say(EventKind kind, TaskId task, TaskId other = no_task, uint64_t value = 0,
           std::string_view text = "", uint32_t executor = 0) {
    trace.events.append({.time = now_,
                         .task = task,
                         .other = other,
                         .value = value,
                         .text = text.empty() ? 0 : trace.strings.intern(text),
                         .location = 1,
                         .executor = executor,
                         .kind = kind});
  }

  TaskId resource(uint64_t kind, std::string_view text) {
    const TaskId id = next_id_++;
    say(EventKind::Resource, no_task, id, kind, text);
    resources_[id];
    return id;
  }

  TaskId spawn(TaskId parent, Script script) {
    const TaskId id = next_id_++;
    say(EventKind::Create, id, parent, 1, "task");
    Task& task = tasks_[id];
    task.id = id;
    task.script = std::move(script);
    if (parent == no_task) ready_.push_back(id);
    return id;
  }

  void set_script(TaskId task, Script script) { tasks_[task].script = std::move(script); }

  // Runs until all tasks have ended or wait forever.
  void run() {
    while (!ready_.empty() || !timers_.empty()) {
      if (!ready_.empty()) {
        const TaskId id = ready_.front();
        ready_.pop_front();
        go_on(tasks_[id]);
        continue;
      }
      const Timer timer = timers_.top();
      timers_.pop();
      now_ = std::max(now_, timer.time);
      say(EventKind::Resume, timer.id, no_task);
      tasks_[timer.task].resumed_by = timer.id;
      say(EventKind::Resolve, timer.id, timer.id);
      ready_.push_back(timer.task);
    }
  }

  // Adds a task that becomes runnable by a timer on the other executor, while another task keeps
  // its own executor busy until the trace ends.
  void starve() {
    thing = next_id_++;
    victim = spawn(no_task, {});
    say(EventKind::Resume, victim);
    say(EventKind::Create, thing, victim, 2, "timer");
    now_ += 1000;
    say(EventKind::Suspend, victim, thing);
    const TaskId busy = spawn(no_task, {});
    say(EventKind::Resume, busy);
    now_ += 1000;
    say(EventKind::Resolve, thing, thing, 0, "", 1);
    now_ += 3'000'000'000;
    say(EventKind::Label, busy, no_task, 0, "still here");
  }

  void end() {
    now_ += 1'000'000'000;
    say(EventKind::CounterAdd, no_task, no_task, 1, "end");
  }

 private:
  struct Task {
    TaskId id = no_task;
    Script script;
    size_t at = 0;
    TaskId awaited_by = no_task;
    TaskId resumed_by = no_task;
    bool started = false;
    bool ended = false;
    bool took = false;  // it has acquired the lock that it waited for
    uint32_t executor = 0;
  };
  struct Resource {
    std::deque<TaskId> waiters;
    TaskId holder = no_task;
  };
  struct Timer {
    uint64_t time;
    TaskId id;
    TaskId task;
    bool operator>(const Timer& other) const {
      return time != other.time ? time > other.time : id > other.id;
    }
  };

  // Returns false, as step().
  bool suspend(const Task& task, TaskId on, bool is_resource) {
    say(EventKind::Suspend, task.id, on, is_resource ? 1 : 0);
    return false;
  }

  void wake(TaskId id, TaskId by) {
    tasks_[id].resumed_by = by;
    ready_.push_back(id);
  }

  void go_on(Task& task) {
    now_ += 100 + below(1000);
    say(EventKind::Resume, task.id, task.resumed_by);
    task.started = true;
    while (task.at < task.script.size()) {
      const Op op = task.script[task.at];
      now_ += 100;
      if (!step(task, op)) return;
      task.at++;
    }
    task.ended = true;
    say(EventKind::Resolve, task.id, task.id);
    if (task.awaited_by != no_task) wake(task.awaited_by, task.id);
  }

  // Returns false if the task suspends. When it resumes, it repeats the step unless the step was
  // passed.
  bool step(Task& task, const Op& op) {
    switch (op.what) {
      case Do::Compute:
        now_ += op.value;
        if (op.value == long_time) victim = task.id;
        return true;
      case Do::Sleep:
        task.at++;
        return sleep(task, op.value);
      case Do::Child:
        return await_child(task, *op.child);
      case Do::Lock:
        return lock(task, op.value);
      case Do::Unlock:
        unlock(task, op.value);
        return true;
      case Do::Wait:
        task.at++;
        resources_[op.value].waiters.push_back(task.id);
        if (op.value == thing) victim = task.id;
        return suspend(task, op.value, true);
      case Do::NotifyWhenAwaited:
        if (resources_[op.value].waiters.empty()) return sleep(task, 100'000);
        [[fallthrough]];
      case Do::Notify:
        notify(task, op.value);
        return true;
      case Do::AwaitTask:
        task.at++;
        if (op.value == thing) victim = task.id;
        return suspend(task, op.value, false);
      case Do::Destroy:
        say(EventKind::Cancel, op.value, task.id);
        return true;
      case Do::Forget:
        victim = next_id_++;
        say(EventKind::Create, victim, task.id, op.value, "forgotten");
        return true;
      case Do::Yield:
        task.at++;
        suspend(task, no_task, false);
        wake(task.id, task.id);
        return false;
      case Do::Send:
        thing = next_id_++;
        victim = task.id;
        say(EventKind::Create, thing, task.id, 6, "socket.async_send");
        return suspend(task, thing, false);
      case Do::Put:
      case Do::Take:
      case Do::Level:
      case Do::Keep:
        count(task, op);
        return true;
    }
    return true;
  }

  void count(const Task& task, const Op& op) {
    if (op.what == Do::Put) say(EventKind::Notify, op.value, task.id, 0);
    if (op.what == Do::Put || op.what == Do::Take) say(EventKind::Ready, task.id, op.value);
    if (op.what == Do::Level) say(EventKind::CounterAdd, task.id, no_task, op.value, "level");
  }

  bool await_child(Task& task, const Script& script) {
    const TaskId child = next_id_++;
    say(EventKind::Create, child, task.id, 1, "child");
    Task& made = tasks_[child];
    made.id = child;
    made.script = script;
    made.awaited_by = task.id;
    task.at++;
    suspend(task, child, false);
    wake(child, task.id);
    return false;
  }

  bool lock(Task& task, TaskId id) {
    Resource& lock = resources_[id];
    if (!task.took && lock.holder != no_task) {
      lock.waiters.push_back(task.id);
      if (id == thing) victim = task.id;
      return suspend(task, id, true);
    }
    lock.holder = task.id;
    task.took = false;
    say(EventKind::Acquire, task.id, id);
    return true;
  }

  void unlock(const Task& task, TaskId id) {
    Resource& lock = resources_[id];
    say(EventKind::Release, task.id, id);
    say(EventKind::Notify, id, task.id, lock.waiters.empty() ? 0 : 1);
    lock.holder = no_task;
    if (lock.waiters.empty()) return;
    lock.holder = lock.waiters.front();
    lock.waiters.pop_front();
    tasks_[lock.holder].took = true;
    wake(lock.holder, task.id);
  }

  void notify(const Task& task, TaskId id) {
    std::deque<TaskId>& waiters = resources_[id].waiters;
    say(EventKind::Notify, id, task.id, waiters.empty() ? 0 : 1);
    if (waiters.empty()) return;
    wake(waiters.front(), task.id);
    waiters.pop_front();
  }

  bool sleep(const Task& task, uint64_t ns) {
    const TaskId timer = next_id_++;
    say(EventKind::Create, timer, task.id, 2, "timer");
    suspend(task, timer, false);
    const uint64_t late = timers_are_late_ ? below(ns / 8 + 1) : 0;
    timers_.push({now_ + ns + late, timer, task.id});
    return false;
  }

  std::mt19937 random_;
  bool timers_are_late_;
  uint64_t now_ = 0;
  TaskId next_id_ = 1;
  std::map<TaskId, Task> tasks_;
  std::map<TaskId, Resource> resources_;
  std::deque<TaskId> ready_;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
};

}  // namespace skein::detail
