// Random programs for tests, run on a machine that is made up, with what is wrong known: tasks that
// create, await, lock, notify, wait for timers and end; what is recorded of them is a trace of
// ours.
//
//   const RandomProgram program(seed, RandomProgram::Fault::LostWakeUp);
//   diagnose_all(program.trace, ...) must say what program.fault, victim and thing say, and no
//   more.
//
// What goes right in it goes right whatever the order: locks are taken in one order and given back,
// tasks await their own children only, who notifies a condition first waits until somebody waits,
// and there are notifies that nobody needs. The fault is planted in one place.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "trace/read/trace.h"

namespace skein {

class RandomProgram {
 public:
  enum class Fault {
    None,
    LostWakeUp,     // notified before it waits
    NeverNotified,  // waits, should resolve, and nobody notifies
    LockCycle,      // two take two locks, each the other's first
    AwaitCycle,     // a task awaits who awaits it
    EndedHolding,   // a task ends and keeps its lock
    Starved,        // what it waits for has ended, and its executor is busy for ever
    // Nobody is stuck for these, and yet (doctor):
    LockOrder,       // two take two locks, each the other's first, one long after the other
    HeldAcrossWait,  // who holds a lock sleeps, and another waits for the lock
    Destroyed,       // a task is destroyed, and another waits for it
    NeverStarted,    // a task is created and forgotten
    NeverCalled,     // likewise a handler
    RanTooLong,      // a task computes for 200 ms
    WakesItself,     // a task yields again and again
    QueueGrows,      // more is put into a channel than is taken out
    LevelGrows,      // a counter, likewise
    NeverSent,       // a send that does not complete
  };
  static constexpr int faults = static_cast<int>(Fault::NeverSent) + 1;

  // A run of it: the same program takes other times, and things happen in another order. In one
  // that is spared the fault does not strike (LostWakeUp, NeverNotified, LockCycle, EndedHolding).
  struct Luck {
    uint32_t seed = 0;  // 0: of the program
    bool spared = false;
  };

  RandomProgram(uint32_t seed, Fault planted) : RandomProgram(seed, planted, Luck{}) {}
  RandomProgram(uint32_t seed, Fault planted, Luck luck)
      : fault(planted), random_(seed), luck_(luck) {
    trace.facts.format = "skein";
    for (const char* kind :
         {"unknown", "coroutine", "timer", "mutex", "condition", "handler", "io", "channel"})
      trace.kinds.push_back(trace.strings.intern(kind));
    trace.executors.resize(2);
    trace.locations.push_back({.file = trace.strings.intern("program.cc"), .line = 1});
    const size_t locks = 1 + below(3);
    for (size_t i = 0; i < locks; i++) locks_.push_back(resource(3, "lock"));
    const int tasks = 2 + static_cast<int>(below(12));
    for (int i = 0; i < tasks; i++) spawn(no_task, ordinary(0));
    plant();
    if (luck.seed != 0) random_.seed(luck.seed);
    run();
  }

  Trace trace;
  Fault fault;
  TaskId victim = no_task;  // who waits and never goes on
  TaskId thing = no_task;   // what it waits for; EndedHolding: the lock; cycles: one of the tasks

 private:
  static constexpr uint64_t long_time = 200'000'000;

  enum class Do {
    Compute,
    Sleep,
    Child,
    Lock,
    Unlock,
    Wait,
    Notify,
    NotifyWhenAwaited,
    AwaitTask,
    Keep,
    Destroy,
    Forget,  // creates a task, or a handler, that never runs
    Yield,
    Put,
    Take,
    Level,
    Send
  };
  struct Op {
    Do what;
    uint64_t value = 0;  // ns; or a resource; or a task
    std::shared_ptr<std::vector<Op>> child = nullptr;
  };
  using Script = std::vector<Op>;
  struct Task {
    TaskId id = no_task;
    Script script;
    size_t at = 0;
    TaskId awaited_by = no_task;
    TaskId resumed_by = no_task;
    bool started = false;
    bool ended = false;
    bool took = false;  // the lock it waited for is its own now
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

  // Computing, sleeping, children that are awaited, locks in their order, conditions that work.
  Script ordinary(int depth) {
    Script script;
    const size_t ops = 1 + below(5);
    for (size_t i = 0; i < ops; i++) switch (below(6)) {
        case 0:
          script.push_back({Do::Compute, 100 + below(50'000)});
          break;
        case 1:
          script.push_back({Do::Sleep, some_time()});
          break;
        case 2:
          if (depth < 4)
            script.push_back({Do::Child, 0, std::make_shared<Script>(ordinary(depth + 1))});
          break;
        case 3: {  // never while one is held but in the order of their ids
          const size_t from = below(locks_.size());
          for (size_t l = from; l < locks_.size(); l++) script.push_back({Do::Lock, locks_[l]});
          script.push_back({Do::Sleep, some_time()});
          for (size_t l = locks_.size(); l-- > from;) script.push_back({Do::Unlock, locks_[l]});
          break;
        }
        case 4: {
          const TaskId condition = resource(4, "condition");
          spawn(no_task, {{Do::Sleep, some_time()}, {Do::NotifyWhenAwaited, condition}});
          if (below(2)) script.push_back({Do::Sleep, some_time()});
          script.push_back({Do::Wait, condition});
          break;
        }
        case 5:  // nobody needs it
          script.push_back({Do::Notify, resource(4, "event")});
          break;
      }
    return script;
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

  // Ordinary work around what is wrong; some wait for it.
  void around(Script& script) {
    Script before = ordinary(2);
    script.insert(script.begin(), before.begin(), before.end());
    while (below(2)) {
      Script outer = ordinary(3);
      outer.push_back({Do::Child, 0, std::make_shared<Script>(std::move(script))});
      script = std::move(outer);
    }
  }

  void plant() {
    switch (fault) {
      case Fault::None:
        return;
      case Fault::LostWakeUp: {
        thing = resource(4, "answered");
        spawn(no_task, {{Do::Sleep, luck_.spared ? after_all : 1000}, {Do::Notify, thing}});
        Script script = {{Do::Sleep, 10'000'000 + some_time()}, {Do::Wait, thing}};
        around(script);
        spawn(no_task, std::move(script));
        return;
      }
      case Fault::NeverNotified: {
        thing = resource(4, "answered");
        Script script = {{Do::Wait, thing}};
        around(script);
        say(EventKind::ShouldResolve, spawn(no_task, std::move(script)));
        if (luck_.seed != 0)  // who would have notified it
          spawn(no_task, {{Do::Sleep, after_all}, {luck_.spared ? Do::Notify : Do::Keep, thing}});
        return;
      }
      case Fault::LockCycle: {
        const TaskId a = resource(3, "a");
        const TaskId b = resource(3, "b");
        thing = a;
        Script one = {{Do::Lock, a}, {Do::Sleep, 50'000'000}, {Do::Lock, b}};
        Script two = {{Do::Sleep, luck_.spared ? after_all : 1000},
                      {Do::Lock, b},
                      {Do::Sleep, 50'000'000},
                      {Do::Lock, a}};
        for (Script* script : {&one, &two})
          for (const TaskId lock : {a, b}) script->push_back({Do::Unlock, lock});
        spawn(no_task, std::move(one));
        spawn(no_task, std::move(two));
        return;
      }
      case Fault::AwaitCycle: {
        const TaskId a = spawn(no_task, {});
        const TaskId b = spawn(no_task, {{Do::Sleep, some_time()}, {Do::AwaitTask, a}});
        tasks_[a].script = {{Do::Sleep, some_time()}, {Do::AwaitTask, b}};
        thing = a;
        return;
      }
      case Fault::EndedHolding: {
        thing = resource(3, "kept");
        spawn(no_task, {{Do::Lock, thing}, {luck_.spared ? Do::Unlock : Do::Keep, thing}});
        Script script = {
            {Do::Sleep, 10'000'000 + some_time()}, {Do::Lock, thing}, {Do::Unlock, thing}};
        around(script);
        spawn(no_task, std::move(script));
        return;
      }
      case Fault::Starved:
        starve_ = true;
        return;
      case Fault::LockOrder: {
        const TaskId a = resource(3, "a");
        const TaskId b = resource(3, "b");
        thing = a;
        Script one = both(a, b);
        Script two = both(b, a);
        two.insert(two.begin(), {Do::Sleep, 300'000'000});
        around(one);
        spawn(no_task, std::move(one));
        spawn(no_task, std::move(two));
        return;
      }
      case Fault::HeldAcrossWait: {
        thing = resource(3, "held");
        const TaskId other = resource(3, "never wanted");
        spawn(no_task, {{Do::Lock, other}, {Do::Sleep, 900'000'000}, {Do::Unlock, other}});
        spawn(no_task, {{Do::Lock, thing}, {Do::Sleep, 500'000'000}, {Do::Unlock, thing}});
        Script script = {{Do::Sleep, 1'000'000}, {Do::Lock, thing}, {Do::Unlock, thing}};
        around(script);
        spawn(no_task, std::move(script));
        return;
      }
      case Fault::Destroyed: {
        thing = spawn(no_task, {{Do::Wait, resource(4, "work")}});
        Script script = {{Do::Sleep, some_time()}, {Do::AwaitTask, thing}};
        around(script);
        spawn(no_task, std::move(script));
        spawn(no_task, {{Do::Sleep, 500'000'000}, {Do::Destroy, thing}});
        return;
      }
      case Fault::NeverStarted:
      case Fault::NeverCalled: {
        Script script = {{Do::Forget, fault == Fault::NeverStarted ? 1u : 5u}};
        around(script);
        spawn(no_task, std::move(script));
        return;
      }
      case Fault::RanTooLong: {
        Script script = {{Do::Compute, long_time}};
        around(script);
        spawn(no_task, std::move(script));
        return;
      }
      case Fault::WakesItself:
        victim = spawn(no_task, Script(200, {Do::Yield, 0}));
        return;
      case Fault::QueueGrows: {
        thing = resource(7, "jobs");
        spawn(no_task, repeated({{Do::Sleep, 10'000'000}, {Do::Put, thing}}, 1500));
        spawn(no_task, repeated({{Do::Sleep, 20'000'000}, {Do::Take, thing}}, 700));
        return;
      }
      case Fault::LevelGrows:
        thing = no_task;
        spawn(no_task,
              repeated({{Do::Sleep, 10'000'000}, {Do::Level, 3}, {Do::Level, 0 - 2ull}}, 1500));
        return;
      case Fault::NeverSent: {
        Script script = {{Do::Send, 0}};
        around(script);
        spawn(no_task, std::move(script));
        return;
      }
    }
  }

  static Script both(TaskId first, TaskId second) {
    return {{Do::Lock, first},
            {Do::Sleep, 1'000'000},
            {Do::Lock, second},
            {Do::Unlock, second},
            {Do::Unlock, first}};
  }
  static Script repeated(const Script& script, size_t times) {
    Script all;
    for (size_t i = 0; i < times; i++) all.insert(all.end(), script.begin(), script.end());
    return all;
  }

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
    if (starve_) {
      // Its timer fires on the other executor; this one is busy until the trace ends.
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
      return;
    }
    now_ += 1'000'000'000;
    say(EventKind::CounterAdd, no_task, no_task, 1, "end");
  }

  void suspend(Task& task, TaskId on, bool is_resource) {
    say(EventKind::Suspend, task.id, on, is_resource ? 1 : 0);
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
      switch (op.what) {
        case Do::Compute:
          now_ += op.value;
          if (op.value == long_time) victim = task.id;
          break;
        case Do::Sleep:
          task.at++;
          return sleep(task, op.value);
        case Do::Child: {
          const TaskId child = next_id_++;
          say(EventKind::Create, child, task.id, 1, "child");
          Task& made = tasks_[child];
          made.id = child;
          made.script = *op.child;
          made.awaited_by = task.id;
          task.at++;
          suspend(task, child, false);
          return wake(child, task.id);
        }
        case Do::Lock: {
          Resource& lock = resources_[op.value];
          if (!task.took && lock.holder != no_task) {
            lock.waiters.push_back(task.id);
            if (op.value == thing) victim = task.id;
            return suspend(task, op.value, true);
          }
          lock.holder = task.id;
          task.took = false;
          say(EventKind::Acquire, task.id, op.value);
          break;
        }
        case Do::Unlock: {
          Resource& lock = resources_[op.value];
          say(EventKind::Release, task.id, op.value);
          say(EventKind::Notify, op.value, task.id, lock.waiters.empty() ? 0 : 1);
          lock.holder = no_task;
          if (!lock.waiters.empty()) {
            lock.holder = lock.waiters.front();
            lock.waiters.pop_front();
            tasks_[lock.holder].took = true;
            wake(lock.holder, task.id);
          }
          break;
        }
        case Do::Wait: {
          task.at++;
          resources_[op.value].waiters.push_back(task.id);
          if (op.value == thing) victim = task.id;
          return suspend(task, op.value, true);
        }
        case Do::NotifyWhenAwaited:
          if (resources_[op.value].waiters.empty()) return sleep(task, 100'000);
          [[fallthrough]];
        case Do::Notify: {
          std::deque<TaskId>& waiters = resources_[op.value].waiters;
          say(EventKind::Notify, op.value, task.id, waiters.empty() ? 0 : 1);
          if (!waiters.empty()) {
            wake(waiters.front(), task.id);
            waiters.pop_front();
          }
          break;
        }
        case Do::AwaitTask:
          task.at++;
          if (op.value == thing) victim = task.id;
          return suspend(task, op.value, false);
        case Do::Keep:
          break;
        case Do::Destroy:
          say(EventKind::Cancel, op.value, task.id);
          break;
        case Do::Forget:
          victim = next_id_++;
          say(EventKind::Create, victim, task.id, op.value, "forgotten");
          break;
        case Do::Yield:
          task.at++;
          suspend(task, no_task, false);
          return wake(task.id, task.id);
        case Do::Put:
          say(EventKind::Notify, op.value, task.id, 0);
          say(EventKind::Ready, task.id, op.value);
          break;
        case Do::Take:
          say(EventKind::Ready, task.id, op.value);
          break;
        case Do::Level:
          say(EventKind::CounterAdd, task.id, no_task, op.value, "level");
          break;
        case Do::Send:
          thing = next_id_++;
          victim = task.id;
          say(EventKind::Create, thing, task.id, 6, "socket.async_send");
          return suspend(task, thing, false);
      }
      task.at++;
    }
    task.ended = true;
    say(EventKind::Resolve, task.id, task.id);
    if (task.awaited_by != no_task) wake(task.awaited_by, task.id);
  }

  void sleep(Task& task, uint64_t ns) {
    const TaskId timer = next_id_++;
    say(EventKind::Create, timer, task.id, 2, "timer");
    suspend(task, timer, false);
    const uint64_t late = luck_.seed == 0 ? 0 : below(ns / 8 + 1);
    timers_.push({now_ + ns + late, timer, task.id});
  }

  static constexpr uint64_t after_all = 20'000'000'000;  // ns

  std::mt19937 random_;
  Luck luck_;
  uint64_t now_ = 0;
  TaskId next_id_ = 1;
  std::vector<TaskId> locks_;
  std::map<TaskId, Task> tasks_;
  std::map<TaskId, Resource> resources_;
  std::deque<TaskId> ready_;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  bool starve_ = false;
};

// Any events of a few tasks in any order, as of a damaged trace.
inline Trace nonsense(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](uint64_t n) { return random() % n; };
  Trace trace;
  trace.facts.format = seed % 2 ? "mirage-profile" : "skein";
  for (const char* kind :
       {"unknown", "coroutine", "timer", "mutex", "condition", "channel", "handler"})
    trace.kinds.push_back(trace.strings.intern(kind));
  trace.executors.resize(2);
  uint64_t now = 0;
  for (uint64_t i = 0; i < 60; i++)
    trace.events.append({.time = now += below(3),
                         .task = below(6),
                         .other = below(6),
                         .value = below(7),
                         .location = 0,
                         .executor = static_cast<uint32_t>(below(2)),
                         .kind = static_cast<EventKind>(below(event_kinds)),
                         .flags = static_cast<uint8_t>(below(2) ? flag::makes_current : 0)});
  return trace;
}

}  // namespace skein
