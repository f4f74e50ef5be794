// Coroutines that have the address of something beside a lock, or wait for it; and coroutines that have waited for
// something else before. They hold no lock.
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "detached.h"

namespace app {

struct Node {
  std::coroutine_handle<> handle = {};
  Node* next = nullptr;
};

// Lists of awaiters.
struct Event {
  struct Awaiter : Node {
    Event& event;
    explicit Awaiter(Event& of) : event(of) {}
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> of) {
      handle = of;
      next = std::exchange(event.first, this);
    }
    void await_resume() {}
  };
  Awaiter operator co_await() { return Awaiter(*this); }
  Node* first = nullptr;
};
struct Mutex {
  struct Guard {
    Mutex* mutex = nullptr;
    explicit Guard(Mutex* of) : mutex(of) {}
    Guard(Guard&& other) noexcept : mutex(std::exchange(other.mutex, nullptr)) {}
    ~Guard() {
      if (mutex != nullptr) mutex->unlock();
    }
  };
  struct Lock : Node {
    Mutex& mutex;
    explicit Lock(Mutex& of) : mutex(of) {}
    bool await_ready() { return !std::exchange(mutex.is_locked, true); }
    void await_suspend(std::coroutine_handle<> of) {
      handle = of;
      next = std::exchange(mutex.first, this);
    }
    Guard await_resume() { return Guard(&mutex); }
  };
  Lock lock() { return Lock(*this); }
  void unlock() {
    if (first == nullptr)
      is_locked = false;
    else
      std::exchange(first, first->next)->handle.resume();
  }
  bool is_locked = false;
  Node* first = nullptr;
};

// The objects have the handle, or a container of handles.
struct Slot {
  struct Awaiter {
    Slot& slot;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> of) { slot.waiter = of; }
    void await_resume() {}
  };
  Awaiter operator co_await() { return {*this}; }
  int value = 0;
  std::coroutine_handle<> waiter = {};
};
struct QueueMutex {
  struct Lock {
    QueueMutex& mutex;
    bool await_ready() { return !std::exchange(mutex.is_locked, true); }
    void await_suspend(std::coroutine_handle<> of) { mutex.waiters.push_back(of); }
    void await_resume() {}
  };
  Lock lock() { return {*this}; }
  bool is_locked = false;
  std::deque<std::coroutine_handle<>> waiters = {};
};

struct Account {
  Mutex mutex;
  int count = 0;
  Slot slot;
  Event changed;
};
struct Reversed {
  Slot slot;
  Mutex mutex;
};

Event never;
Account account;
Reversed reversed;
Mutex mutexes[2];
Slot slots[2];
QueueMutex queue_mutex;

Detached holder(Mutex& of) {
  auto guard = co_await of.lock();
  co_await never;
}
Detached wanter(Mutex& of) { auto guard = co_await of.lock(); }
// It has the address of the whole, which is that of the lock.
Detached reader(Account& of) {
  co_await never;
  of.count++;
}
Detached counter(int& count) {
  co_await never;
  count++;
}
Detached all_reader(const Account* begin, const Account* end) {
  for (const Account* one = begin; one != end; ++one) {
    co_await never;
    std::printf("%d\n", one->count);
  }
}
Detached on_slot(Slot& slot) { co_await slot; }
Detached on_changed(Event& event) { co_await event; }
Detached queue_holder() {
  co_await queue_mutex.lock();
  co_await never;
}
// The latch, or what it is, still has its handle.
Detached queue_wanter(Slot& slot) {
  co_await slot;
  co_await queue_mutex.lock();
  slot.value++;
}
Slot* used = nullptr;
// It is in the frame of another coroutine.
Detached parent() {
  Slot slot;
  used = &slot;
  queue_wanter(slot);
  slot.waiter.resume();
  co_await never;
}

}  // namespace app

int main() {
  using namespace app;
  const char* mutex = "app::Mutex";
  auto many = std::make_unique<std::vector<Account>>(2);
  for (Mutex* one : {&account.mutex, &reversed.mutex, &mutexes[0], &mutexes[1], &many->front().mutex}) {
    holder(*one);
    wanter(*one);
    waits("holder", &never, "app::Event");
    waits("wanter", one, mutex);
    held(one, "holder");
    for (const char* name : {"reader", "counter", "all_reader", "on_slot", "on_changed", "queue_wanter"}) not_held(one, name);
  }
  reader(account);
  counter(account.count);
  all_reader(many->data(), many->data() + many->size());
  for (const char* name : {"reader", "counter", "all_reader"}) waits(name, &never, "app::Event");
  for (Slot* one : {&account.slot, &reversed.slot, &slots[0], &slots[1], &many->front().slot}) {
    on_slot(*one);
    waits("on_slot", one, "app::Slot");
  }
  on_changed(account.changed);
  waits("on_changed", &account.changed, "app::Event");
  queue_holder();
  parent();
  waits("queue_holder", &never, "app::Event");
  waits("parent", &never, "app::Event");
  waits("queue_wanter", &queue_mutex, "app::QueueMutex");
  ready();
}
