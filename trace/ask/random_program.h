// Random programs for tests, run on a simulated machine, with a known fault. Their tasks create,
// await, lock, notify, wait for timers and end. The recording is a skein trace.
//
//   const RandomProgram program(seed, RandomProgram::Fault::LostWakeUp);
//   diagnose_all(program.trace, ...) must report program.fault, victim and thing, and nothing
//   else.
//
// Apart from the fault, the programs are correct in any order of execution. Locks are acquired in a
// fixed order and released, tasks await only their own children, a notifier of a condition first
// waits until the condition has a waiter, and some notifications have no waiter.
#pragma once

#include <cstdint>
#include <memory>

#include "trace/ask/random_program/machine.h"

namespace skein {

// How many programs a test tries of `count`: a fifth where they run slowly, without optimisation or
// with a sanitizer. Builds that are fast try all.
constexpr uint32_t programs_of(uint32_t count) {
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return count / 5;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return count / 5;
#else
  return count;
#endif
#else
  return count;
#endif
}

class RandomProgram : public detail::Machine {
 public:
  enum class Fault {
    None,
    LostWakeUp,     // notified before it waits
    NeverNotified,  // waits, is marked should_resolve, and is never notified
    LockCycle,      // two tasks acquire two locks in opposite order
    AwaitCycle,     // two tasks await each other
    EndedHolding,   // a task ends while it holds its lock
    Starved,        // its target has ended, and its executor is busy forever
    // With these no task is stuck, but doctor reports them:
    LockOrder,       // two tasks acquire two locks in opposite order, one long after the other
    HeldAcrossWait,  // the holder of a lock sleeps, and another task waits for the lock
    Destroyed,       // a task is destroyed, and another waits for it
    NeverStarted,    // a task is created and never runs
    NeverCalled,     // the same with a handler
    RanTooLong,      // a task computes for 200 ms
    WakesItself,     // a task yields repeatedly
    QueueGrows,      // a channel receives more items than are taken out
    LevelGrows,      // a counter grows
    NeverSent,       // a send that does not complete
  };
  static constexpr int faults = static_cast<int>(Fault::NeverSent) + 1;

  // A run of a program: other runs of the same program have other durations and another order of
  // events. In a spared run the fault has no effect (LostWakeUp, NeverNotified, LockCycle,
  // EndedHolding).
  struct Luck {
    uint32_t seed = 0;  // 0: that of the program
    bool spared = false;
  };

  RandomProgram(uint32_t seed, Fault planted) : RandomProgram(seed, planted, Luck{}) {}
  RandomProgram(uint32_t seed, Fault planted, Luck luck)
      : Machine(seed, luck.seed != 0), fault(planted), luck_(luck) {
    const size_t locks = 1 + below(3);
    for (size_t i = 0; i < locks; i++) locks_.push_back(resource(3, "lock"));
    const int tasks = 2 + static_cast<int>(below(12));
    for (int i = 0; i < tasks; i++) spawn(no_task, ordinary(0));
    plant();
    if (luck.seed != 0) reseed(luck.seed);
    run();
    fault == Fault::Starved ? starve() : end();
  }

  Fault fault;

 private:
  using Do = detail::Do;
  using Script = detail::Script;

  static constexpr uint64_t after_all = 20'000'000'000;  // ns

  // Computes, sleeps, awaits children, locks in order, uses conditions correctly.
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
        case 3: {  // locks are acquired only in the order of their ids
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
        case 5:  // a notification without a waiter
          script.push_back({Do::Notify, resource(4, "event")});
          break;
      }
    return script;
  }

  // Adds ordinary work before and after the fault; some of it waits.
  void around(Script& script) {
    Script before = ordinary(2);
    script.insert(script.begin(), before.begin(), before.end());
    while (below(2)) {
      Script outer = ordinary(3);
      outer.push_back({Do::Child, 0, std::make_shared<Script>(std::move(script))});
      script = std::move(outer);
    }
  }

  // Spawns a task that runs `script` among ordinary work.
  void spawn_around(Script script) {
    around(script);
    spawn(no_task, std::move(script));
  }

  void plant() {
    switch (fault) {
      case Fault::None:
      case Fault::Starved:  // planted after the run
        return;
      case Fault::LostWakeUp:
        return plant_lost_wake_up();
      case Fault::NeverNotified:
        return plant_never_notified();
      case Fault::LockCycle:
        return plant_lock_cycle();
      case Fault::AwaitCycle:
        return plant_await_cycle();
      case Fault::EndedHolding:
        return plant_ended_holding();
      case Fault::LockOrder:
        return plant_lock_order();
      case Fault::HeldAcrossWait:
        return plant_held_across_wait();
      case Fault::Destroyed:
        return plant_destroyed();
      case Fault::NeverStarted:
      case Fault::NeverCalled:
        return spawn_around({{Do::Forget, fault == Fault::NeverStarted ? 1u : 5u}});
      case Fault::RanTooLong:
        // Something has to wait for it.
        spawn(no_task, detail::repeated({{Do::Sleep, 10'000'000}}, 500));
        return spawn_around({{Do::Compute, long_time}});
      case Fault::WakesItself:
        victim = spawn(no_task, Script(200, {Do::Yield, 0}));
        return;
      case Fault::QueueGrows:
        thing = resource(7, "jobs");
        spawn(no_task, detail::repeated({{Do::Sleep, 10'000'000}, {Do::Put, thing}}, 1500));
        spawn(no_task, detail::repeated({{Do::Sleep, 20'000'000}, {Do::Take, thing}}, 700));
        return;
      case Fault::LevelGrows:
        thing = no_task;
        spawn(no_task, detail::repeated(
                           {{Do::Sleep, 10'000'000}, {Do::Level, 3}, {Do::Level, 0 - 2ull}}, 1500));
        return;
      case Fault::NeverSent:
        return spawn_around({{Do::Send, 0}});
    }
  }

  void plant_lost_wake_up() {
    thing = resource(4, "answered");
    spawn(no_task, {{Do::Sleep, luck_.spared ? after_all : 1000}, {Do::Notify, thing}});
    spawn_around({{Do::Sleep, 10'000'000 + some_time()}, {Do::Wait, thing}});
  }

  void plant_never_notified() {
    thing = resource(4, "answered");
    Script script = {{Do::Wait, thing}};
    around(script);
    say(EventKind::ShouldResolve, spawn(no_task, std::move(script)));
    if (luck_.seed != 0)  // the intended notifier
      spawn(no_task, {{Do::Sleep, after_all}, {luck_.spared ? Do::Notify : Do::Keep, thing}});
  }

  void plant_lock_cycle() {
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
  }

  void plant_await_cycle() {
    const TaskId a = spawn(no_task, {});
    const TaskId b = spawn(no_task, {{Do::Sleep, some_time()}, {Do::AwaitTask, a}});
    set_script(a, {{Do::Sleep, some_time()}, {Do::AwaitTask, b}});
    thing = a;
  }

  void plant_ended_holding() {
    thing = resource(3, "kept");
    spawn(no_task, {{Do::Lock, thing}, {luck_.spared ? Do::Unlock : Do::Keep, thing}});
    spawn_around({{Do::Sleep, 10'000'000 + some_time()}, {Do::Lock, thing}, {Do::Unlock, thing}});
  }

  void plant_lock_order() {
    const TaskId a = resource(3, "a");
    const TaskId b = resource(3, "b");
    thing = a;
    Script two = detail::both(b, a);
    two.insert(two.begin(), {Do::Sleep, 300'000'000});
    spawn_around(detail::both(a, b));
    spawn(no_task, std::move(two));
  }

  void plant_held_across_wait() {
    thing = resource(3, "held");
    const TaskId other = resource(3, "never wanted");
    spawn(no_task, {{Do::Lock, other}, {Do::Sleep, 900'000'000}, {Do::Unlock, other}});
    spawn(no_task, {{Do::Lock, thing}, {Do::Sleep, 500'000'000}, {Do::Unlock, thing}});
    spawn_around({{Do::Sleep, 1'000'000}, {Do::Lock, thing}, {Do::Unlock, thing}});
  }

  void plant_destroyed() {
    thing = spawn(no_task, {{Do::Wait, resource(4, "work")}});
    spawn_around({{Do::Sleep, some_time()}, {Do::AwaitTask, thing}});
    spawn(no_task, {{Do::Sleep, 500'000'000}, {Do::Destroy, thing}});
  }

  Luck luck_;
  std::vector<TaskId> locks_;
};

}  // namespace skein
