// Coroutines that wait for objects of no library: awaiters with a list, with a handle in the object, with a
// container of handles, and objects that are their own awaiters. And what must not be blamed.
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <deque>
#include <memory>
#include <vector>

#include "detached.h"

// What a future of Seastar consists of, by its names: a promise has the address of the task that waits, which is the
// promise of a coroutine. It may be in the frame of the coroutine that fulfils it.
namespace seastar::internal {

struct task {
  virtual ~task() = default;
};
struct promise_base;
struct future_base {
  promise_base* promise = nullptr;
};
struct promise_base {
  future_base* future = nullptr;
  void* state = nullptr;
  task* waiting = nullptr;
};
struct future;
struct coroutine : task {
  promise_base result = {};
  future get_return_object();
  std::suspend_never initial_suspend() noexcept { return {}; }
  std::suspend_never final_suspend() noexcept { return {}; }
  void return_void() {}
  void unhandled_exception() {}
};
struct future : future_base {
  using promise_type = coroutine;
};
future coroutine::get_return_object() { return {{&result}}; }
struct awaiter {
  future of;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<coroutine> handle) {
    of.promise->future = &of;
    of.promise->waiting = &handle.promise();
  }
  void await_resume() {}
};
awaiter operator co_await(future of) { return {of}; }

future on_promise(promise_base& promise) { co_await future{{&promise}}; }
future inner(promise_base& promise) { co_await future{{&promise}}; }
future outer(promise_base& promise) { co_await inner(promise); }

}  // namespace seastar::internal

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
      next = event.first;
      event.first = this;
    }
    void await_resume() {}
  };
  Awaiter operator co_await() { return {*this}; }
  int generation = 1;
  Awaiter* first = nullptr;
};

// The object has the handle.
struct Slot {
  struct Awaiter {
    Slot& slot;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> of) { slot.waiter = of; }
    void await_resume() {}
  };
  Awaiter take() { return {*this}; }
  int value = 0;
  std::coroutine_handle<> waiter = {};
};

// The handles are in a container.
struct Channel {
  struct Receive {
    Channel& channel;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> of) { channel.waiters.push_back(of); }
    int await_resume() { return 0; }
  };
  Receive receive() { return {*this}; }
  std::deque<std::coroutine_handle<>> waiters = {};
};

// It is its own awaiter.
struct Once {
  std::coroutine_handle<> waiter = {};
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> of) { waiter = of; }
  void await_resume() {}
};

// A lock with a guard.
struct Mutex {
  struct Guard {
    Mutex* mutex = nullptr;
    explicit Guard(Mutex* of) : mutex(of) {}
    Guard(Guard&& other) noexcept : mutex(other.mutex) { other.mutex = nullptr; }
    ~Guard() {
      if (mutex != nullptr) mutex->is_locked = false;
    }
  };
  struct Lock {
    Mutex& mutex;
    std::coroutine_handle<> handle = {};
    Lock* next = nullptr;
    bool await_ready() { return !mutex.is_locked; }
    void await_suspend(std::coroutine_handle<> of) {
      handle = of;
      next = mutex.first;
      mutex.first = this;
    }
    Guard await_resume() {
      mutex.is_locked = true;
      return Guard(&mutex);
    }
  };
  Lock lock() { return {*this}; }
  bool is_locked = false;
  Lock* first = nullptr;
};

// Only the kernel has its address.
struct Readable {
  int epoll;
  int descriptor;
  std::coroutine_handle<> handle = {};
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> of) {
    handle = of;
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = this;
    epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
  }
  void await_resume() {}
};

Event event;
Event empty;
Slot slot;
Once once;
Mutex mutex;

Detached on_event(Event& of) { co_await of; }
Detached on_slot(Slot& of) { co_await of.take(); }
Detached on_channel(Channel& of) { co_await of.receive(); }
Detached on_once(Once& of) { co_await of; }
// It has the address of another event, and waits for this one.
Detached with_other(Event& of, Event& other) {
  co_await of;
  other.generation++;
}
Detached keeper(Mutex& of, Event& until) {
  auto guard = co_await of.lock();
  co_await until;
}
Detached wanter(Mutex& of) { auto guard = co_await of.lock(); }
Detached on_kernel(int epoll, int descriptor) { co_await Readable{epoll, descriptor}; }

}  // namespace app

int main() {
  using namespace app;
  auto channel = std::make_unique<Channel>();
  for (int i = 0; i < 3; i++) on_event(event);
  with_other(event, empty);
  on_slot(slot);
  on_channel(*channel);
  on_channel(*channel);
  on_once(once);
  keeper(mutex, event);
  wanter(mutex);
  wanter(mutex);
  const int epoll = epoll_create1(0);
  on_kernel(epoll, eventfd(0, 0));

  seastar::internal::promise_base promises[2];
  seastar::internal::on_promise(promises[0]);
  seastar::internal::outer(promises[1]);
  waits("on_promise", &promises[0], "seastar::internal::promise_base");
  waits("inner", &promises[1], "seastar::internal::promise_base");
  awaits("outer", "inner");

  for (int i = 0; i < 3; i++) waits("on_event", &event, "app::Event");
  waits("with_other", &event, "app::Event");
  waits("keeper", &event, "app::Event");
  waits("on_slot", &slot, "app::Slot");
  for (int i = 0; i < 2; i++) waits("on_channel", channel.get(), "app::Channel");
  waits("on_once", &once, "app::Once");
  for (int i = 0; i < 2; i++) waits("wanter", &mutex, "app::Mutex");
  held(&mutex, "keeper");
  ready();
}
