// Coroutines that wait for each other by tasks that several await, and by locks of the program with
// guards of the program. And what must not be taken for a cycle.
#include <deque>
#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "detached.h"

namespace app {

// A list of awaiters.
struct Event {
  struct Awaiter {
    Event& event;
    Awaiter* next = nullptr;
    std::coroutine_handle<> handle = {};
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> of) {
      handle = of;
      next = std::exchange(event.first, this);
    }
    void await_resume() {}
  };
  Awaiter operator co_await() { return {*this}; }
  void set() {
    for (Awaiter* one = std::exchange(first, nullptr); one != nullptr;) std::exchange(one, one->next)->handle.resume();
  }
  Awaiter* first = nullptr;
};

// ---- a task with a list of awaiters in its promise ----

struct ListTask {
  struct promise_type;
  struct Awaiter {
    std::coroutine_handle<promise_type> task;
    std::coroutine_handle<> waiter = {};
    Awaiter* next = nullptr;
    bool await_ready() { return task.done(); }
    void await_suspend(std::coroutine_handle<> of);
    void await_resume() {}
  };
  struct promise_type {
    Awaiter* first = nullptr;
    int users = 1;
    ListTask get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Final {
        bool await_ready() noexcept { return false; }
        void await_suspend(std::coroutine_handle<promise_type> of) noexcept {
          for (Awaiter* one = std::exchange(of.promise().first, nullptr); one != nullptr;)
            std::exchange(one, one->next)->waiter.resume();
        }
        void await_resume() noexcept {}
      };
      return Final{};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  Awaiter operator co_await() const { return {task}; }
  std::coroutine_handle<promise_type> task = {};
};
void ListTask::Awaiter::await_suspend(std::coroutine_handle<> of) {
  waiter = of;
  next = std::exchange(task.promise().first, this);
}

// ---- a task with a vector of handles in its promise ----

struct VectorTask {
  struct promise_type {
    std::vector<std::coroutine_handle<>> waiters = {};
    VectorTask get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Final {
        bool await_ready() noexcept { return false; }
        void await_suspend(std::coroutine_handle<promise_type> of) noexcept {
          for (const auto waiter : std::exchange(of.promise().waiters, {})) waiter.resume();
        }
        void await_resume() noexcept {}
      };
      return Final{};
    }
    void return_void() {}
    void unhandled_exception() {}
  };
  struct Awaiter {
    std::coroutine_handle<promise_type> task;
    bool await_ready() { return task.done(); }
    void await_suspend(std::coroutine_handle<> of) { task.promise().waiters.push_back(of); }
    void await_resume() {}
  };
  Awaiter operator co_await() const { return {task}; }
  std::coroutine_handle<promise_type> task = {};
};

// ---- a task whose result is on the heap, with those that wait for it ----

template <typename Waiters>
struct StateTask {
  struct State {
    bool is_done = false;
    Waiters waiters = {};
  };
  struct promise_type {
    std::shared_ptr<State> state = std::make_shared<State>();
    StateTask get_return_object() { return {state}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {
      state->is_done = true;
      for (const auto waiter : std::exchange(state->waiters, {})) waiter.resume();
    }
    void unhandled_exception() {}
  };
  struct Awaiter {
    State& state;
    bool await_ready() { return state.is_done; }
    void await_suspend(std::coroutine_handle<> of) { state.waiters.push_back(of); }
    void await_resume() {}
  };
  Awaiter operator co_await() const { return {*state}; }
  std::shared_ptr<State> state = {};
};
using InVector = StateTask<std::vector<std::coroutine_handle<>>>;
using InDeque = StateTask<std::deque<std::coroutine_handle<>>>;
using InList = StateTask<std::list<std::coroutine_handle<>>>;

// ---- locks ----

struct Mutex {
  struct Lock {
    Mutex& mutex;
    std::coroutine_handle<> handle = {};
    Lock* next = nullptr;
    bool await_ready() { return !std::exchange(mutex.is_locked, true); }
    void await_suspend(std::coroutine_handle<> of) {
      handle = of;
      next = std::exchange(mutex.first, this);
    }
    void await_resume() {}
  };
  Lock lock() { return {*this}; }
  void unlock() {
    is_locked = first != nullptr;
    if (is_locked) std::exchange(first, first->next)->handle.resume();
  }
  bool is_locked = false;
  Lock* first = nullptr;
};
struct Guard {
  Mutex* mutex;
  ~Guard() {
    if (mutex != nullptr) mutex->unlock();
  }
};
// It does the opposite.
struct UnlockGuard {
  Mutex* mutex;
  explicit UnlockGuard(Mutex* of) : mutex(of) { mutex->unlock(); }
  ~UnlockGuard() { mutex->is_locked = true; }
};
// It holds nothing.
struct Watch {
  Mutex* mutex;
  ~Watch() {
    if (mutex->first != nullptr) std::puts("contended");
  }
};

// One whose await gives the guard.
struct GuardedMutex {
  struct Guard {
    GuardedMutex& mutex;
    explicit Guard(GuardedMutex& of) : mutex(of) {}
    Guard(const Guard&) = delete;
    ~Guard() { mutex.unlock(); }
  };
  struct Lock {
    GuardedMutex& mutex;
    std::coroutine_handle<> handle = {};
    bool await_ready() { return !std::exchange(mutex.is_locked, true); }
    void await_suspend(std::coroutine_handle<> of) {
      handle = of;
      mutex.waiters.push_back(this);
    }
    Guard await_resume() { return Guard(mutex); }
  };
  Lock lock() { return {*this}; }
  void unlock() {
    is_locked = !waiters.empty();
    if (!is_locked) return;
    Lock* next = waiters.front();
    waiters.pop_front();
    next->handle.resume();
  }
  bool is_locked = false;
  std::deque<Lock*> waiters = {};
};

// The address is no constant for the compiler: it would be in no frame.
Mutex* hidden(Mutex* of) {
  asm volatile("" : "+r"(of));
  return of;
}
GuardedMutex* hidden(GuardedMutex* of) {
  asm volatile("" : "+r"(of));
  return of;
}

Event start;
Event event;

// ---- cycles ----

ListTask list_tasks[2];
ListTask list_first() {
  co_await start;
  co_await list_tasks[1];
}
ListTask list_second() {
  co_await start;
  co_await list_tasks[0];
}
Detached list_waiter() { co_await list_tasks[0]; }

VectorTask vector_tasks[2];
VectorTask vector_first() {
  co_await start;
  co_await vector_tasks[1];
}
VectorTask vector_second() {
  co_await start;
  co_await vector_tasks[0];
}
Detached vector_waiter() { co_await vector_tasks[0]; }

template <typename Task>
Task state_tasks[2];
InVector state_first() {
  co_await start;
  co_await state_tasks<InVector>[1];
}
InVector state_second() {
  co_await start;
  co_await state_tasks<InVector>[0];
}
Detached state_waiter() { co_await state_tasks<InVector>[0]; }

// No cycle.
InDeque slow_in_deque() { co_await event; }
Detached waits_in_deque(const InDeque& of) { co_await of; }
InList slow_in_list() { co_await event; }
Detached waits_in_list(const InList& of) { co_await of; }

Mutex first;
Mutex second;
Detached forward(Mutex& mine, Mutex& yours) {
  co_await mine.lock();
  Guard guard{&mine};
  co_await start;
  co_await yours.lock();
  Guard other{&yours};
  co_await event;
}
Detached backward(Mutex& mine, Mutex& yours) {
  co_await mine.lock();
  Guard guard{&mine};
  co_await start;
  co_await yours.lock();
  Guard other{&yours};
  co_await event;
}

GuardedMutex third;
GuardedMutex fourth;
Detached up(GuardedMutex& mine, GuardedMutex& yours) {
  auto guard = co_await mine.lock();
  co_await start;
  auto other = co_await yours.lock();
  co_await event;
}
Detached down(GuardedMutex& mine, GuardedMutex& yours) {
  auto guard = co_await mine.lock();
  co_await start;
  auto other = co_await yours.lock();
  co_await event;
}

// ---- one that waits for several together, of which one waits for its lock ----

struct Join {
  int open;
  std::coroutine_handle<> parent = {};
  bool await_ready() { return open == 0; }
  void await_suspend(std::coroutine_handle<> of) { parent = of; }
  void await_resume() {}
  void leave() {
    if (--open == 0) parent.resume();
  }
};
GuardedMutex joined;
Detached locking_child(Join& join, GuardedMutex& of) {
  { auto guard = co_await of.lock(); }
  join.leave();
}
Detached slow_child(Join& join) {
  co_await event;
  join.leave();
}
Detached locking_parent(GuardedMutex& mine) {
  auto guard = co_await mine.lock();
  Join join{2};
  locking_child(join, mine);
  slow_child(join);
  co_await join;
}
// It gives the lock back before.
GuardedMutex lent;
GuardedMutex joined_other;
Detached careful_parent(GuardedMutex& mine, GuardedMutex& other) {
  Join join{2};
  {
    auto guard = co_await mine.lock();
    locking_child(join, other);
    slow_child(join);
  }
  co_await join;
}

// ---- no holders ----

Mutex fifth;
Mutex sixth;
// It has given the lock back before it waits.
Detached scoped(Mutex& mine, Mutex& other) {
  {
    co_await mine.lock();
    Guard guard{&mine};
    co_await start;
  }
  co_await other.lock();
  Guard last{&other};
  co_await event;
}
// It gives back what it holds for as long as it waits.
Detached yielding(Mutex& mine, Mutex& other) {
  co_await mine.lock();
  Guard guard{&mine};
  {
    UnlockGuard unlocked(&mine);
    co_await other.lock();
    Guard inner{&other};
  }
}
Detached keeper(Mutex& mine) {
  co_await mine.lock();
  Guard guard{&mine};
  co_await event;
}
Mutex seventh;
Mutex eighth;
Mutex ninth;
Detached watcher(Mutex& mine) {
  Watch watch{&mine};
  co_await event;
}
Detached holder_without_guard(Mutex& mine) {
  co_await mine.lock();
  co_await event;
  mine.unlock();
}
Detached wanter(Mutex& mine) {
  co_await mine.lock();
  mine.unlock();
}

// ---- a child that waits to be cancelled: each has the handle of the other, also in its promise ----

struct Cancellable {
  struct promise_type {
    std::coroutine_handle<> continuation = {};
    std::coroutine_handle<> on_cancel = {};
    Cancellable get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Final {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> of) noexcept {
          return of.promise().continuation ? of.promise().continuation : std::noop_coroutine();
        }
        void await_resume() noexcept {}
      };
      return Final{};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) {
    handle.promise().continuation = waiter;
    return handle;
  }
  void await_resume() {}
  std::coroutine_handle<promise_type> handle;
};
struct Self {
  std::coroutine_handle<Cancellable::promise_type> handle = {};
  bool await_ready() { return false; }
  bool await_suspend(std::coroutine_handle<Cancellable::promise_type> own) {
    handle = own;
    return false;
  }
  auto await_resume() { return handle; }
};
struct Cancelled {
  std::coroutine_handle<Cancellable::promise_type> parent;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> waiter) { parent.promise().on_cancel = waiter; }
  void await_resume() {}
};
Cancellable cancelled_child(std::coroutine_handle<Cancellable::promise_type> parent) {
  co_await Cancelled{parent};
}
Cancellable cancelled_parent() {
  const auto self = co_await Self{};
  co_await cancelled_child(self);
}

}  // namespace app

int main() {
  using namespace app;
  list_tasks[0] = list_first();
  list_tasks[1] = list_second();
  vector_tasks[0] = vector_first();
  vector_tasks[1] = vector_second();
  state_tasks<InVector>[0] = state_first();
  state_tasks<InVector>[1] = state_second();
  list_waiter();
  vector_waiter();
  state_waiter();
  const InDeque in_deque = slow_in_deque();
  waits_in_deque(in_deque);
  waits_in_deque(in_deque);
  const InList in_list = slow_in_list();
  waits_in_list(in_list);
  waits_in_list(in_list);
  forward(*hidden(&first), *hidden(&second));
  backward(*hidden(&second), *hidden(&first));
  up(*hidden(&third), *hidden(&fourth));
  down(*hidden(&fourth), *hidden(&third));
  scoped(*hidden(&fifth), *hidden(&sixth));
  locking_parent(*hidden(&joined));
  lent.is_locked = true;
  careful_parent(*hidden(&joined_other), *hidden(&lent));
  start.set();
  keeper(fifth);
  wanter(fifth);
  wanter(sixth);
  keeper(ninth);
  yielding(*hidden(&eighth), *hidden(&ninth));
  holder_without_guard(eighth);
  wanter(eighth);
  watcher(*hidden(&seventh));
  holder_without_guard(seventh);
  wanter(seventh);

  awaits("list_first", "list_second");
  awaits("list_second", "list_first");
  const Cancellable parent = cancelled_parent();
  parent.handle.resume();
  awaits("cancelled_parent", "cancelled_child");
  awaits("list_waiter", "list_first");
  awaits("vector_first", "vector_second");
  awaits("vector_second", "vector_first");
  awaits("vector_waiter", "vector_first");
  awaits("state_first", "state_second");
  awaits("state_second", "state_first");
  awaits("state_waiter", "state_first");
  awaits("waits_in_deque", "slow_in_deque");
  awaits("waits_in_list", "slow_in_list");
  waits("slow_in_deque", &event, "app::Event");
  waits("slow_in_list", &event, "app::Event");
  waits("forward", &second, "app::Mutex");
  waits("backward", &first, "app::Mutex");
  waits("up", &fourth, "app::GuardedMutex");
  waits("down", &third, "app::GuardedMutex");
  held(&first, "forward");
  held(&second, "backward");
  held(&third, "up");
  held(&fourth, "down");
  waits("locking_child", &joined, "app::GuardedMutex");
  waits("locking_child", &lent, "app::GuardedMutex");
  for (int i = 0; i < 2; i++) waits("slow_child", &event, "app::Event");
  held(&joined, "locking_parent");
  no_holder(&lent);
  joins("locking_parent", 2, 2);
  joins("careful_parent", 2, 2);
  deadlock("locking_parent");
  deadlock("locking_child");
  waits("scoped", &event, "app::Event");
  for (int i = 0; i < 2; i++) waits("keeper", &event, "app::Event");
  waits("watcher", &event, "app::Event");
  for (int i = 0; i < 2; i++) waits("holder_without_guard", &event, "app::Event");
  waits("wanter", &fifth, "app::Mutex");
  waits("wanter", &sixth, "app::Mutex");
  waits("wanter", &seventh, "app::Mutex");
  held(&fifth, "keeper");
  held(&sixth, "scoped");
  no_holder(&seventh);
  waits("yielding", &ninth, "app::Mutex");
  waits("wanter", &eighth, "app::Mutex");
  held(&ninth, "keeper");
  no_holder(&eighth);
  for (const char* one : {"list_first", "vector_first", "state_first", "forward", "backward", "up", "down"})
    deadlock(one);
  ready();
}
