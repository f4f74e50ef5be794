// Correct programs with awaiters of their own: what is awaited is an object of the program, a lock,
// an event, a queue. Tasks pass at once or wait, and some wait until the end.
#include <algorithm>
#include <functional>
#include <memory>

#include "loop.h"

namespace {

// How long the programs run whose tasks wait until the end.
constexpr auto a_while = 1300ms;

Task<> stop_later(Loop& loop) {
  co_await loop.sleep(a_while);
  loop.stop();
}

// A counting semaphore that hands permits over, or lets those pass who come first.
class Permits {
 public:
  Permits(Loop& loop, int count, bool is_fair) : loop_(loop), count_(count), is_fair_(is_fair) {}
  bool await_ready() noexcept { return (waiters_.empty() || !is_fair_) && take(); }
  void await_suspend(std::coroutine_handle<> handle) { waiters_.push_back(handle); }
  void await_resume() const noexcept {}
  void release() {
    if (waiters_.empty()) {
      ++count_;
      return;
    }
    loop_.post(waiters_.front());
    waiters_.pop_front();
  }
  bool take() {
    if (count_ == 0) return false;
    --count_;
    return true;
  }

 private:
  Loop& loop_;
  int count_;
  bool is_fair_;
  std::deque<std::coroutine_handle<>> waiters_;
};

Task<> use_permit(Loop& loop, Permits& permits, int ms) {
  co_await permits;
  co_await loop.sleep(std::chrono::milliseconds(ms));
  permits.release();
}

Task<> ask_for_permits(Loop& loop, Permits& permits, int count) {
  for (int i = 0; i < count; ++i) {
    spawn(use_permit(loop, permits, 8 + i % 7));
    co_await loop.sleep(2ms);
  }
}

// Downloads share three permits; dozens wait at a time.
TRUTH_CASE(three_permits) {
  Loop loop;
  Permits permits(loop, 3, true);
  spawn(ask_for_permits(loop, permits, 120));
  loop.run();
}

// The same with permits that those take who come first.
TRUTH_CASE(permits_without_order) {
  Loop loop;
  Permits permits(loop, 3, false);
  spawn(ask_for_permits(loop, permits, 120));
  loop.run();
}

// A mutex that a woken task has to take again, because others may have come first.
class Barging_mutex {
 public:
  explicit Barging_mutex(Loop& loop) : loop_(loop) {}
  auto freed() {
    struct Awaiter {
      Barging_mutex& mutex;
      bool await_ready() const noexcept { return !mutex.locked_; }
      void await_suspend(std::coroutine_handle<> handle) { mutex.waiters_.push_back(handle); }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }
  Task<> lock() {
    do co_await freed();
    while (locked_);
    locked_ = true;
  }
  void unlock() {
    locked_ = false;
    if (waiters_.empty()) return;
    loop_.post(waiters_.front());
    waiters_.pop_front();
  }

 private:
  Loop& loop_;
  bool locked_ = false;
  std::deque<std::coroutine_handle<>> waiters_;
};

// Answers after the lock is free again.
Task<> count_visit(Loop& loop, Barging_mutex& mutex, int& visits) {
  co_await mutex.lock();
  ++visits;
  mutex.unlock();
  co_await loop.sleep(30ms);
}

Task<> accept_visits(Loop& loop, Barging_mutex& mutex, int& visits) {
  for (int i = 0; i < 200; ++i) {
    spawn(count_visit(loop, mutex, visits));
    if (i % 10 == 0) co_await loop.sleep(1ms);
  }
}

// A mutex that is held for a moment, and never across a wait.
TRUTH_CASE(short_lock_then_wait) {
  Loop loop;
  Barging_mutex mutex(loop);
  int visits = 0;
  spawn(accept_visits(loop, mutex, visits));
  loop.run();
}

// An event that wakes one waiter, or lets the next one pass.
class Doorbell {
 public:
  explicit Doorbell(Loop& loop) : loop_(loop) {}
  bool await_ready() noexcept { return std::exchange(set_, false); }
  void await_suspend(std::coroutine_handle<> handle) { waiters_.push_back(handle); }
  void await_resume() const noexcept {}
  void ring() {
    if (waiters_.empty()) {
      set_ = true;
      return;
    }
    loop_.post(waiters_.front());
    waiters_.pop_front();
  }

 private:
  Loop& loop_;
  bool set_ = false;
  std::deque<std::coroutine_handle<>> waiters_;
};

Task<> answer_door(Loop& loop, Doorbell& bell) {
  for (;;) {
    co_await bell;
    co_await loop.sleep(1ms);
  }
}

Task<> ring_often(Loop& loop, Doorbell& bell) {
  for (int i = 0; i < 30; ++i) {
    bell.ring();
    co_await loop.sleep(i % 3 == 0 ? 5ms : 0ms);
  }
}

// Four workers wait for an event that resets itself; after a busy time, all are idle.
TRUTH_CASE(doorbell_with_workers) {
  Loop loop;
  Doorbell bell(loop);
  for (int i = 0; i < 4; ++i) spawn(answer_door(loop, bell));
  spawn(ring_often(loop, bell));
  spawn(stop_later(loop));
  loop.run(true);
}

// A queue of jobs: workers wait only if it is empty.
class Jobs {
 public:
  explicit Jobs(Loop& loop) : loop_(loop) {}
  bool await_ready() const noexcept { return !jobs_.empty(); }
  void await_suspend(std::coroutine_handle<> handle) { idle_.push_back(handle); }
  int await_resume() {
    const int job = jobs_.empty() ? 0 : jobs_.front();
    if (!jobs_.empty()) jobs_.pop_front();
    return job;
  }
  void push(int job) {
    jobs_.push_back(job);
    if (jobs_.size() > 1 || idle_.empty()) return;
    loop_.post(idle_.front());
    idle_.pop_front();
  }

 private:
  Loop& loop_;
  std::deque<int> jobs_;
  std::deque<std::coroutine_handle<>> idle_;
};

Task<> take_jobs(Loop& loop, Jobs& jobs) {
  for (;;) {
    const int job = co_await jobs;
    co_await loop.sleep(std::chrono::milliseconds(job % 3));
  }
}

Task<> give_jobs(Loop& loop, Jobs& jobs) {
  co_await loop.sleep(5ms);
  for (int i = 0; i < 12; ++i) {
    for (int k = 0; k < 5; ++k) jobs.push(i + k);
    co_await loop.sleep(3ms);
  }
}

// Three workers, of which the first one to wake takes what is there before it waits again.
TRUTH_CASE(queue_with_idle_workers) {
  Loop loop;
  Jobs jobs(loop);
  for (int i = 0; i < 3; ++i) spawn(take_jobs(loop, jobs));
  spawn(give_jobs(loop, jobs));
  spawn(stop_later(loop));
  loop.run(true);
}

// The phases of a service: tasks wait until it has reached one.
class Service {
 public:
  explicit Service(Loop& loop) : loop_(loop) {}
  auto reached(int phase) {
    struct Awaiter {
      Service& service;
      int phase;
      bool await_ready() const noexcept { return service.phase_ >= phase; }
      void await_suspend(std::coroutine_handle<> handle) {
        service.waiters_.emplace(phase, handle);
      }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this, phase};
  }
  void reach(int phase) {
    phase_ = phase;
    while (!waiters_.empty() && waiters_.begin()->first <= phase) {
      loop_.post(waiters_.begin()->second);
      waiters_.erase(waiters_.begin());
    }
  }

 private:
  Loop& loop_;
  int phase_ = 0;
  std::multimap<int, std::coroutine_handle<>> waiters_;
};

Task<> act_in(Service& service, int phase) { co_await service.reached(phase); }

Task<> start_service(Loop& loop, Service& service) {
  spawn(act_in(service, 1));
  spawn(act_in(service, 9));  // when it ends
  co_await loop.sleep(5ms);
  service.reach(1);
  for (int i = 0; i < 6; ++i) {
    spawn(act_in(service, 1));
    co_await loop.sleep(5ms);
  }
}

// Tasks wait for the start of a service, others for its end: those of the start pass later.
TRUTH_CASE(phases_of_a_service) {
  Loop loop;
  Service service(loop);
  spawn(start_service(loop, service));
  spawn(stop_later(loop));
  loop.run(true);
}

// An event that is set once, and wakes all.
class Ready {
 public:
  explicit Ready(Loop& loop) : loop_(loop) {}
  bool await_ready() const noexcept { return set_; }
  void await_suspend(std::coroutine_handle<> handle) { waiters_.push_back(handle); }
  void await_resume() const noexcept {}
  void set() {
    set_ = true;
    for (const auto waiter : std::exchange(waiters_, {})) loop_.post(waiter);
  }

 private:
  Loop& loop_;
  bool set_ = false;
  std::vector<std::coroutine_handle<>> waiters_;
};

Task<> answer_when_ready(Loop& loop, Ready& ready) {
  co_await ready;
  co_await loop.sleep(1ms);
}

Task<> flush_at_end(Ready& ended) { co_await ended; }

Task<> start_and_serve(Loop& loop, Ready& started) {
  for (int i = 0; i < 9; ++i) {
    if (i == 3) started.set();
    spawn(answer_when_ready(loop, started));
    co_await loop.sleep(5ms);
  }
}

// One event is set at the start, another at the end.
TRUTH_CASE(events_of_start_and_end) {
  Loop loop;
  Ready started(loop), ended(loop);
  spawn(flush_at_end(ended));
  spawn(start_and_serve(loop, started));
  spawn(stop_later(loop));
  loop.run(true);
}

// A descriptor: a task passes at once if there is something to read, and else waits for the loop.
class Input {
 public:
  explicit Input(Loop& loop) : loop_(loop) {}
  bool await_ready() const noexcept { return bytes_ > 0; }
  void await_suspend(std::coroutine_handle<> handle) { readers_.push_back(handle); }
  void await_resume() const noexcept {}
  void arrive(int bytes) {
    bytes_ += bytes;
    for (const auto reader : std::exchange(readers_, {})) loop_.post(reader);
  }
  int take() { return std::exchange(bytes_, 0); }

 private:
  Loop& loop_;
  int bytes_ = 0;
  std::vector<std::coroutine_handle<>> readers_;
};

Task<> read_line(Input& input, int& total) {
  co_await input;
  total += input.take();
}

Task<> read_session(Loop& loop, Input& input, int& total) {
  for (;;) {
    co_await read_line(input, total);
    co_await loop.sleep(1ms);
  }
}

Task<> talk(Loop& loop, std::vector<std::unique_ptr<Input>>& inputs) {
  for (int i = 0; i < 40; ++i) {
    inputs[static_cast<std::size_t>(i % 3)]->arrive(10);
    co_await loop.sleep(i % 2 == 0 ? 2ms : 0ms);
  }
}

// Sessions of a server read at once or wait; at the end, all are idle.
TRUTH_CASE(idle_readers) {
  Loop loop;
  std::vector<std::unique_ptr<Input>> inputs;
  int total = 0;
  for (int i = 0; i < 4; ++i) {
    inputs.push_back(std::make_unique<Input>(loop));
    spawn(read_session(loop, *inputs.back(), total));
  }
  spawn(talk(loop, inputs));
  spawn(stop_later(loop));
  loop.run(true);
}

// A cache whose entries are loaded once; a task waits for the entry of its key.
class Entries {
 public:
  struct Entry_awaiter {
    Entries& entries;
    int key;
    bool await_ready() const noexcept { return entries.loaded_.count(key) != 0; }
    void await_suspend(std::coroutine_handle<> handle) { entries.waiters_.emplace(key, handle); }
    void await_resume() const noexcept {}
  };
  explicit Entries(Loop& loop) : loop_(loop) {}
  Entry_awaiter get(int key) { return {*this, key}; }
  void load(int key) {
    loaded_[key] = true;
    const auto [begin, end] = waiters_.equal_range(key);
    for (auto at = begin; at != end; ++at) loop_.post(at->second);
    waiters_.erase(begin, end);
  }

 private:
  Loop& loop_;
  std::map<int, bool> loaded_;
  std::multimap<int, std::coroutine_handle<>> waiters_;
};

Task<> use_entry(Entries& entries, int key) { co_await entries.get(key); }

Task<> load_entries(Loop& loop, Entries& entries) {
  spawn(use_entry(entries, 1));
  spawn(use_entry(entries, 2));
  co_await loop.sleep(5ms);
  entries.load(1);
  for (int i = 0; i < 6; ++i) {
    spawn(use_entry(entries, 1));
    co_await loop.sleep(5ms);
  }
  co_await loop.sleep(a_while);
  entries.load(2);
}

// One entry of a cache is loaded at once, the other one takes long.
TRUTH_CASE(slow_entry_of_a_cache) {
  Loop loop;
  Entries entries(loop);
  spawn(load_entries(loop, entries));
  loop.run();
}

}  // namespace
