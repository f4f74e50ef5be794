// Coroutines that wait for a lock that has the handle of its owner, and coroutines that are waited for together by a
// counter of the program itself. And what must not be taken for one.
#include <memory>
#include <utility>
#include <vector>

#include "detached.h"

namespace app {

std::vector<std::coroutine_handle<>> scheduled;

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

struct Mutex {
  struct Lock {
    Mutex& mutex;
    std::coroutine_handle<> handle = {};
    Lock* next = nullptr;
    bool await_ready() { return false; }
    bool await_suspend(std::coroutine_handle<> of) {
      if (!mutex.owner) {
        mutex.owner = of;
        return false;
      }
      handle = of;
      next = std::exchange(mutex.first, this);
      return true;
    }
    void await_resume() {}
  };
  Lock lock() { return {*this}; }
  // The next owner goes on later.
  void unlock() {
    owner = {};
    if (first == nullptr) return;
    Lock* next = std::exchange(first, first->next);
    owner = next->handle;
    scheduled.push_back(next->handle);
  }
  std::coroutine_handle<> owner = {};
  Lock* first = nullptr;
};

// As many as have not ended, and who waits for that.
struct Join {
  int left;
  std::coroutine_handle<> parent = {};
  void leave() {
    if (--left == 0) parent.resume();
  }
};
struct JoinAwaiter {
  Join& join;
  bool await_ready() { return join.left == 0; }
  void await_suspend(std::coroutine_handle<> of) { join.parent = of; }
  void await_resume() {}
};

// No counter of tasks.
struct Slot {
  struct Awaiter {
    Slot& slot;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> of) { slot.waiter = of; }
    void await_resume() {}
  };
  Awaiter take() { return {*this}; }
  long value = 1;
  std::coroutine_handle<> waiter = {};
};

Event event;
Event gate;
Mutex kept;
Mutex first;
Mutex second;
Mutex given;
Slot one_producer;
Slot two_producers;

Detached keeper() {
  co_await kept.lock();
  co_await event;
  kept.unlock();
}
Detached wanter(Mutex& of) {
  co_await of.lock();
  co_await event;
  of.unlock();
}
// Behind the next two.
Detached victim() {
  co_await first.lock();
  first.unlock();
}
Detached forward() {
  co_await first.lock();
  co_await gate;
  co_await second.lock();
  second.unlock();
  first.unlock();
}
Detached backward() {
  co_await second.lock();
  co_await gate;
  co_await first.lock();
  first.unlock();
  second.unlock();
}
Detached giver() {
  co_await given.lock();
  co_await gate;
  given.unlock();
}

Detached child(Join& join) {
  co_await event;
  join.leave();
}
Detached short_child(Join& join) {
  join.leave();
  co_return;
}
Detached owning_child(std::shared_ptr<Join> join) {
  co_await event;
  join->leave();
}
Detached parent() {
  Join join{3};
  child(join);
  short_child(join);
  child(join);
  co_await JoinAwaiter{join};
}
Detached sharing_parent() {
  auto join = std::make_shared<Join>(Join{3});
  for (int i = 0; i < 3; i++) owning_child(join);
  co_await JoinAwaiter{*join};
}
Detached parent_of_last() {
  Join join{2};
  short_child(join);
  child(join);
  co_await JoinAwaiter{join};
}
Detached producer(Slot& slot) {
  co_await event;
  slot.value++;
}
Detached consumer(Slot& slot) { co_await slot.take(); }

}  // namespace app

int main() {
  using namespace app;
  const char* mutex = "app::Mutex";
  keeper();
  wanter(kept);
  wanter(kept);
  forward();
  backward();
  giver();
  wanter(given);
  wanter(given);
  gate.set();
  victim();
  parent();
  sharing_parent();
  parent_of_last();
  two_producers.value = 3;
  producer(one_producer);
  producer(two_producers);
  producer(two_producers);
  consumer(one_producer);
  consumer(two_producers);

  waits("keeper", &event, "app::Event");
  for (int i = 0; i < 2; i++) waits("wanter", &kept, mutex);
  held(&kept, "keeper");
  waits("forward", &second, mutex);
  waits("backward", &first, mutex);
  waits("victim", &first, mutex);
  held(&first, "forward");
  held(&second, "backward");
  deadlock("forward");
  deadlock("backward");
  // One has it already, and goes on soon.
  for (int i = 0; i < 2; i++) waits("wanter", &given, mutex);
  no_holder(&given);
  for (int i = 0; i < 3; i++) waits("producer", &event, "app::Event");
  waits("consumer", &one_producer, "app::Slot");
  waits("consumer", &two_producers, "app::Slot");
  for (int i = 0; i < 3; i++) waits("child", &event, "app::Event");
  for (int i = 0; i < 3; i++) waits("owning_child", &event, "app::Event");
  joins("parent", 2, 2);
  joins("sharing_parent", 3, 3);
  joins("parent_of_last", 1, 1);
  ready();
}
