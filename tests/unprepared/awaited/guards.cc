// Locks of the program with objects that look as if they held them, and do not.
#include <deque>
#include <optional>
#include <utility>

#include "detached.h"

namespace app {

using Handle = std::coroutine_handle<>;

struct Task {
  struct promise_type {
    Handle continuation = {};
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Final {
        bool await_ready() noexcept { return false; }
        Handle await_suspend(std::coroutine_handle<promise_type> of) noexcept { return of.promise().continuation; }
        void await_resume() noexcept {}
      };
      return Final{};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
  bool await_ready() { return false; }
  Handle await_suspend(Handle of) {
    handle.promise().continuation = of;
    return handle;
  }
  void await_resume() {}
};

// A list of awaiters.
template <typename Of>
struct WaitFor {
  Of& object;
  Handle handle = {};
  WaitFor* next = nullptr;
  bool await_ready() { return object.is_ready(); }
  void await_suspend(Handle of) {
    handle = of;
    next = std::exchange(object.first, this);
  }
  void await_resume() {}
};
struct Event {
  bool is_ready() { return false; }
  WaitFor<Event> operator co_await() { return {*this}; }
  void set() {
    for (auto* one = std::exchange(first, nullptr); one != nullptr;) std::exchange(one, one->next)->handle.resume();
  }
  WaitFor<Event>* first = nullptr;
};

// One whose await gives the guard.
struct Mutex {
  struct Guard {
    Mutex& mutex;
    explicit Guard(Mutex& of) : mutex(of) {}
    Guard(const Guard&) = delete;
    ~Guard() { mutex.unlock(); }
  };
  // It need not wait to the end.
  struct LockOperation {
    Mutex& mutex;
    explicit LockOperation(Mutex& of) : mutex(of) {}
    ~LockOperation() { mutex.operations--; }
    bool await_ready() { return !std::exchange(mutex.is_locked, true); }
    void await_suspend(Handle of) { mutex.waiters.push_back(of); }
    Guard await_resume() { return Guard(mutex); }
  };
  LockOperation lock() {
    operations++;
    return LockOperation(*this);
  }
  void unlock() {
    is_locked = !waiters.empty();
    if (!is_locked) return;
    const Handle next = waiters.front();
    waiters.pop_front();
    next.resume();
  }
  bool is_locked = false;
  int operations = 0;
  std::deque<Handle> waiters = {};
};

// One without a guard. Its awaiter is that of the event.
struct PlainMutex {
  bool is_ready() { return !std::exchange(is_locked, true); }
  WaitFor<PlainMutex> lock() { return {*this}; }
  void unlock() {
    is_locked = first != nullptr;
    if (is_locked) std::exchange(first, first->next)->handle.resume();
  }
  bool is_locked = false;
  int uses = 0;
  WaitFor<PlainMutex>* first = nullptr;
};
// Holds it only if it has been awaited.
struct LaterGuard {
  PlainMutex* mutex;
  ~LaterGuard() { mutex->uses++; }
};
// One with an awaiter of its own.
struct TimedMutex {
  struct Awaiter {
    TimedMutex& mutex;
    Handle handle = {};
    Awaiter* next = nullptr;
    bool await_ready() { return !std::exchange(mutex.is_locked, true); }
    void await_suspend(Handle of) {
      handle = of;
      next = std::exchange(mutex.first, this);
    }
    void await_resume() {}
  };
  Awaiter lock() { return {*this}; }
  void unlock() {
    is_locked = first != nullptr;
    if (is_locked) std::exchange(first, first->next)->handle.resume();
  }
  bool is_locked = false;
  int uses = 0;
  Awaiter* first = nullptr;
};
// Measure how long it is held, and hold nothing.
struct LockTimer {
  TimedMutex* mutex;
  ~LockTimer() { mutex->uses++; }
};
struct Blocker {
  TimedMutex* mutex;
  ~Blocker() { mutex->uses++; }
};
struct LockClock {
  TimedMutex* mutex;
  ~LockClock() { mutex->uses++; }
};

template <typename Object>
Object* hidden(Object* of) {
  asm volatile("" : "+r"(of));
  return of;
}

Event event;
Event start;

// ---- a condition that gives the lock back and takes it again ----

struct Guard {
  TimedMutex* mutex;
  ~Guard() { mutex->unlock(); }
};
struct Condition {
  Event changed = {};
  Task wait(Guard& guard) {
    guard.mutex->unlock();
    co_await changed;
    co_await guard.mutex->lock();
  }
  Task wait_without_guard(TimedMutex& mutex) {
    mutex.unlock();
    co_await changed;
    co_await mutex.lock();
  }
};
TimedMutex queue;
TimedMutex other_queue;
Condition condition;
Detached consumer(TimedMutex& mutex, Condition& of) {
  co_await mutex.lock();
  Guard guard{&mutex};
  while (true) co_await of.wait(guard);
}
Detached other_consumer(TimedMutex& mutex, Condition& of) {
  co_await mutex.lock();
  Guard guard{&mutex};
  while (true) co_await of.wait_without_guard(mutex);
}

// What it awaits does nothing but to wait for the lock: a deadlock.
TimedMutex recursive;
Task helper(TimedMutex& mutex) {
  co_await mutex.lock();
  Guard guard{&mutex};
}
Detached caller(TimedMutex& mutex) {
  co_await mutex.lock();
  Guard guard{&mutex};
  co_await helper(mutex);
}

// ---- an operation that is a variable ----

// One whose names show nothing but that it is a lock: its await gives the guard.
struct RowLatch {
  struct Held {
    RowLatch& latch;
    explicit Held(RowLatch& of) : latch(of) {}
    Held(const Held&) = delete;
    ~Held() { latch.release(); }
  };
  struct Entry {
    RowLatch& latch;
    Handle handle = {};
    Entry* next = nullptr;
    bool await_ready() { return !std::exchange(latch.is_taken, true); }
    void await_suspend(Handle of) {
      handle = of;
      next = std::exchange(latch.first, this);
    }
    Held await_resume() { return Held(latch); }
  };
  Entry enter() { return {*this}; }
  void release() {
    is_taken = first != nullptr;
    if (is_taken) std::exchange(first, first->next)->handle.resume();
  }
  bool is_taken = false;
  Entry* first = nullptr;
};
RowLatch row;
Detached row_holder(RowLatch& mine) {
  auto held = co_await mine.enter();
  co_await event;
}
Detached row_wanter(RowLatch& mine) {
  auto held = co_await mine.enter();
  co_await event;
}
// Of these, there may be several.
struct Connections {
  struct Lease {
    Connections& pool;
    explicit Lease(Connections& of) : pool(of) {}
    Lease(const Lease&) = delete;
    ~Lease() { pool.give_back(); }
  };
  struct Entry {
    Connections& pool;
    Handle handle = {};
    Entry* next = nullptr;
    bool await_ready() { return pool.free-- > 0; }
    void await_suspend(Handle of) {
      handle = of;
      next = std::exchange(pool.first, this);
    }
    Lease await_resume() { return Lease(pool); }
  };
  Entry enter() { return {*this}; }
  void give_back() {
    free++;
    if (first != nullptr) std::exchange(first, first->next)->handle.resume();
  }
  int free = 1;
  Entry* first = nullptr;
};
Connections connections;
Detached lease_holder(Connections& mine) {
  auto lease = co_await mine.enter();
  co_await event;
}
Detached lease_wanter(Connections& mine) {
  auto lease = co_await mine.enter();
  co_await event;
}

// ---- all in one line ----

RowLatch dense;
RowLatch gone;
// clang-format off
Detached in_one_line(RowLatch& mine) { auto held = co_await mine.enter(); co_await event; }
// The temporary object from which the optional one was made is still in the frame.
Detached has_reset(RowLatch& mine) { std::optional<RowLatch::Held> held; held.emplace((co_await mine.enter()).latch); held.reset(); co_await event; }
// clang-format on

Mutex own;
Mutex foreign;
Detached with_operation(Mutex& mine, Mutex& yours) {
  auto guard = co_await mine.lock();
  auto operation = yours.lock();
  auto other = co_await std::move(operation);
  co_await event;
}

// ---- no guards in spite of their names ----

TimedMutex timed;
TimedMutex blocked;
TimedMutex clocked;
TimedMutex next;
template <typename Object>
Detached measured(TimedMutex& mine, TimedMutex& yours) {
  Object object{&mine};
  co_await mine.lock();
  co_await start;
  mine.unlock();
  co_await yours.lock();
  co_await event;
}
Detached wanter(TimedMutex& mine) {
  co_await mine.lock();
  mine.unlock();
}

// ---- the same awaiter for locks and events ----

PlainMutex later;
Detached has_not_locked(PlainMutex& mine) {
  LaterGuard guard{&mine};
  co_await start;
  co_await event;
}
Detached plain_wanter(PlainMutex& mine) {
  co_await mine.lock();
  mine.unlock();
}

}  // namespace app

int main() {
  using namespace app;
  consumer(*hidden(&queue), *hidden(&condition));
  other_consumer(*hidden(&other_queue), *hidden(&condition));
  queue.is_locked = true;  // by this thread
  other_queue.is_locked = true;
  condition.changed.set();
  foreign.is_locked = true;
  with_operation(*hidden(&own), *hidden(&foreign));
  row_holder(*hidden(&row));
  row_wanter(*hidden(&row));
  waits("row_holder", &event, "app::Event");
  waits("row_wanter", &row, "app::RowLatch");
  held(&row, "row_holder");
  in_one_line(*hidden(&dense));
  row_wanter(*hidden(&dense));
  waits("in_one_line", &event, "app::Event");
  waits("row_wanter", &dense, "app::RowLatch");
#ifndef __clang__  // whose frames have no types: perhaps
  held(&dense, "in_one_line");
#endif
  has_reset(*hidden(&gone));
  gone.is_taken = true;
  row_wanter(*hidden(&gone));
  waits("has_reset", &event, "app::Event");
  waits("row_wanter", &gone, "app::RowLatch");
  no_holder(&gone);
  lease_holder(*hidden(&connections));
  lease_wanter(*hidden(&connections));
  waits("lease_holder", &event, "app::Event");
  waits("lease_wanter", &connections, "app::Connections");
  no_holder(&connections);
  next.is_locked = true;
  measured<LockTimer>(*hidden(&timed), *hidden(&next));
  measured<Blocker>(*hidden(&blocked), *hidden(&next));
  measured<LockClock>(*hidden(&clocked), *hidden(&next));
  has_not_locked(*hidden(&later));
  start.set();
  for (TimedMutex* one : {&timed, &blocked, &clocked}) {
    one->is_locked = true;
    wanter(*hidden(one));
    waits("wanter", one, "app::TimedMutex");
    no_holder(one);
  }
  for (int i = 0; i < 3; i++) waits("measured", &next, "app::TimedMutex");
  later.is_locked = true;
  plain_wanter(*hidden(&later));

  waits("wait", &queue, "app::TimedMutex");
  awaits("consumer", "wait");
  no_holder(&queue);
  waits("wait_without_guard", &other_queue, "app::TimedMutex");
  awaits("other_consumer", "wait_without_guard");
  no_holder(&other_queue);
  waits("with_operation", &foreign, "app::Mutex");
  no_holder(&foreign);
  waits("has_not_locked", &event, "app::Event");
  waits("plain_wanter", &later, "app::PlainMutex");
  no_holder(&later);
  caller(*hidden(&recursive));
  waits("helper", &recursive, "app::TimedMutex");
  awaits("caller", "helper");
  held(&recursive, "caller");
  deadlock("caller");
  ready();
}
