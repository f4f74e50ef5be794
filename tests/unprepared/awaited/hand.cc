// Coroutines that take and release locks of the program by hand: two that wait for each other's, and those that have
// released theirs before they wait.
#include <utility>

#include "detached.h"

namespace app {

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
  struct Awaiter {
    Mutex& mutex;
    Awaiter* next = nullptr;
    std::coroutine_handle<> handle = {};
    bool await_ready() { return !std::exchange(mutex.is_locked, true); }
    void await_suspend(std::coroutine_handle<> of) {
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
  Awaiter* first = nullptr;
};

Event gate;
Event never;
Mutex left;
Mutex right;
Mutex released;
Mutex early;
Mutex pointed;

Detached takes_two(Mutex& one, Mutex& other) {
  co_await one.lock();
  co_await gate;
  co_await other.lock();
  other.unlock();
  one.unlock();
}
Detached keeps(Mutex& mine) {
  co_await mine.lock();
  co_await never;
  mine.unlock();
}

// These have released it.
Detached has_unlocked(Mutex& mine) {
  co_await mine.lock();
  mine.unlock();
  co_await never;
  mine.is_locked = false;
}
Detached by_early_path(Mutex& mine, bool is_early) {
  co_await mine.lock();
  if (is_early) {
    mine.unlock();
    co_await never;
    co_return;
  }
  co_await never;
  mine.unlock();
}
Detached by_two_pointers(Mutex& mine) {
  Mutex* first = &mine;
  Mutex** second = &first;
  co_await mine.lock();
  (*second)->unlock();
  co_await never;
  mine.is_locked = false;
}

}  // namespace app

int main() {
  using namespace app;
  const char* mutex = "app::Mutex";
  takes_two(left, right);
  takes_two(right, left);
  has_unlocked(released);
  keeps(released);
  keeps(released);
  by_early_path(early, true);
  keeps(early);
  keeps(early);
  by_two_pointers(pointed);
  keeps(pointed);
  keeps(pointed);
  gate.set();

  waits("takes_two", &left, mutex);
  waits("takes_two", &right, mutex);
  perhaps(&left, "takes_two");
  perhaps(&right, "takes_two");
  waits("has_unlocked", &never, "app::Event");
  waits("by_early_path", &never, "app::Event");
  waits("by_two_pointers", &never, "app::Event");
  for (Mutex* one : {&released, &early, &pointed}) {
    waits("keeps", one, mutex);
    waits("keeps", &never, "app::Event");
    perhaps(one, "keeps");
    no_holder(one);
  }
  not_held(&released, "has_unlocked");
  not_held(&early, "by_early_path");
  not_held(&pointed, "by_two_pointers");
  ready();
}
