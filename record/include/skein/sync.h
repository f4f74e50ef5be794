// Condition, mutex, semaphore and channel for coroutines of any library. Each is named in the
// trace, which contains its waiters, its holders, and each notification with the number of tasks it
// woke.
//
//   skein::mutex door("door");
//   {
//     auto held = co_await door.lock();
//     ...
//   }                                     // unlocks here
//   skein::channel<int> numbers("numbers", 8);
//   co_await numbers.send(1);
//   while (auto number = co_await numbers.receive()) use(*number);   // no value: closed
//
// Threads: not synchronised. All users of a primitive run on one OS thread, or on one strand. A
// waiter is resumed inside the call that wakes it, on the caller's stack; waiters are resumed in
// the order in which they began to wait. A resumed waiter may use the primitive again immediately.
//
// A condition stores no notification: notify wakes the current waiters and no later one. A
// notification that wakes no task may be a lost wake-up; the trace contains it with the location of
// the call. The trace also contains the location at which a holder acquired a resource. A release
// by mutex::guard has no location.
//
// Destruction: the waiters of a destroyed primitive are not resumed. A coroutine must not be
// destroyed while it waits, unless the primitive is destroyed before the next operation on it.
#pragma once
#include <skein/skein.h>
#include <skein/task.h>

#include <coroutine>
#include <optional>
#include <utility>

namespace skein {
namespace detail {

// The primitive's resource. Its event `resource` is recorded when the primitive is first used in a
// trace.
class resource {
 public:
  resource(uint32_t kind, const char* name, uint64_t capacity, const here& at)
#if !defined(SKEIN_DISABLE)
      : kind_(kind), name_(name), capacity_(capacity), where_(at.where) {
    if (skein_enabled()) join_trace();
  }
#else
  {
    (void)kind, (void)name, (void)capacity, (void)at;
  }
#endif
  resource(const resource&) = delete;
#if !defined(SKEIN_DISABLE)
  ~resource() {
    if (task_.id != 0 && skein_enabled()) skein_resource_destroy(&task_);
  }
  uint64_t id() {
    if (!skein_enabled()) return 0;
    if (task_.generation != skein_generation()) join_trace();
    return task_.id;
  }
  void acquired(const here& at) {
    if (id() != 0) skein_acquire_at(&task_, 0, &at.where);
  }
  void released() {
    if (id() != 0) skein_release(&task_, 0);
  }
  // at: null if the location is unknown.
  void notified(uint64_t woken, const here* at) {
    if (const uint64_t target = id())
      skein_notify_at(target, woken, at != nullptr ? &at->where : nullptr);
  }

 private:
  [[gnu::noinline]] void join_trace() { skein_resource(&task_, kind_, name_, capacity_, &where_); }
  skein_task task_{};
  uint32_t kind_;
  const char* name_;
  uint64_t capacity_;
  skein_source where_;
#else
  uint64_t id() { return 0; }
  void acquired(const here&) {}
  void released() {}
  void notified(uint64_t, const here*) {}
#endif
};

// A waiting coroutine. Part of the awaiter, which is in the coroutine's frame.
struct waiter {
  std::coroutine_handle<> handle;
  waiter* next = nullptr;
};
class waiters {
 public:
  bool empty() const { return first_ == nullptr; }
  void push(waiter& w) {
    w.next = nullptr;
    (last_ != nullptr ? last_->next : first_) = &w;
    last_ = &w;
  }
  // Precondition: not empty.
  waiter& pop() {
    waiter& w = *first_;
    first_ = w.next;
    if (first_ == nullptr) last_ = nullptr;
    return w;
  }
  uint64_t size() const {
    uint64_t n = 0;
    for (const waiter* w = first_; w != nullptr; w = w->next) ++n;
    return n;
  }

 private:
  waiter* first_ = nullptr;
  waiter* last_ = nullptr;
};

// A first-in, first-out queue. <deque> would add 46 ms to the compilation of each source that
// includes this header, as much as all the rest.
template <class T>
class values {
 public:
  values() = default;
  values(const values&) = delete;
  ~values() {
    while (first_ != nullptr) drop();
  }
  uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void push(T&& value) {
    node* added = new node{std::move(value), nullptr};
    (last_ != nullptr ? last_->next : first_) = added;
    last_ = added;
    ++size_;
  }
  // Precondition: not empty.
  T& front() { return first_->value; }
  // Removes the front. Precondition: not empty.
  void drop() {
    delete std::exchange(first_, first_->next);
    if (first_ == nullptr) last_ = nullptr;
    --size_;
  }

 private:
  struct node {
    T value;
    node* next;
  };
  node* first_ = nullptr;
  node* last_ = nullptr;
  uint64_t size_ = 0;
};

}  // namespace detail

class condition {
 public:
  explicit condition(const char* name, here at = {})
      : resource_(SKEIN_KIND_condition, name, 0, at) {}

  // co_await: waits for the next notification.
  auto wait() {
    struct awaiter : detail::waiter {
      condition& c;
      explicit awaiter(condition& owner) : c(owner) {}
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> h) noexcept {
        handle = h;
        c.waiters_.push(*this);
      }
      void await_resume() const noexcept {}
      uint64_t skein_awaits() { return c.resource_.id(); }
    };
    return awaiter(*this);
  }
  // Wakes the first waiter, or all current waiters.
  void notify_one(here at = {}) { wake(waiters_.empty() ? 0 : 1, at); }
  void notify_all(here at = {}) { wake(waiters_.size(), at); }
  // The number of waiters. Cost: linear in it.
  uint64_t waiting() const { return waiters_.size(); }

 private:
  void wake(uint64_t count, const here& at) {
    resource_.notified(count, &at);
    detail::waiters woken;  // a task that waits again here waits for the next notification
    for (uint64_t i = 0; i < count; ++i) woken.push(waiters_.pop());
    while (!woken.empty()) woken.pop().handle.resume();
  }
  detail::resource resource_;
  detail::waiters waiters_;
};

class semaphore {
 public:
  // free: the number of permits.
  explicit semaphore(const char* name, uint64_t free, here at = {})
      : semaphore(SKEIN_KIND_semaphore, name, free, at) {}

  // co_await: acquires a permit; waits until one is free.
  auto acquire(here at = {}) { return acquiring(*this, at); }
  // Releases a permit. If there are waiters, the first one acquires it and is resumed.
  void release(here at = {}) { give_back(&at); }
  // Acquires a permit if one is free. Returns false otherwise.
  bool try_acquire(here at = {}) {
    if (free_ == 0) return false;
    --free_;
    resource_.acquired(at);
    return true;
  }
  uint64_t waiting() const { return waiters_.size(); }

 protected:
  semaphore(uint32_t kind, const char* name, uint64_t free, const here& at)
      : resource_(kind, name, free, at), free_(free) {}
  struct acquiring : detail::waiter {
    semaphore& s;
    [[no_unique_address]] here at;
    acquiring(semaphore& owner, const here& a) : s(owner), at(a) {}
    bool await_ready() noexcept {
      if (s.free_ == 0) return false;
      --s.free_;
      return true;
    }
    void await_suspend(std::coroutine_handle<> h) noexcept {
      handle = h;
      s.waiters_.push(*this);
    }
    void await_resume() { s.resource_.acquired(at); }
    uint64_t skein_awaits() { return s.resource_.id(); }
  };
  void give_back(const here* at) {
    resource_.released();
    resource_.notified(waiters_.empty() ? 0 : 1, at);
    if (waiters_.empty())
      ++free_;
    else
      waiters_.pop().handle.resume();
  }

 private:
  detail::resource resource_;
  uint64_t free_;
  detail::waiters waiters_;
};

class mutex : semaphore {
 public:
  explicit mutex(const char* name, here at = {}) : semaphore(SKEIN_KIND_mutex, name, 1, at) {}

  class [[nodiscard]] guard {
   public:
    explicit guard(mutex& m) : mutex_(&m) {}
    guard(guard&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)) {}
    ~guard() {
      if (mutex_ != nullptr) mutex_->give_back(nullptr);
    }

   private:
    mutex* mutex_;
  };
  // co_await: locks; the result is a guard that unlocks the mutex when it is destroyed.
  auto lock(here at = {}) {
    struct awaiter : acquiring {
      using acquiring::acquiring;
      // Declared here so that debuggers find the mutex by the name of this function.
      void await_suspend(std::coroutine_handle<> h) noexcept { acquiring::await_suspend(h); }
      guard await_resume() {
        acquiring::await_resume();
        return guard(static_cast<mutex&>(s));
      }
    };
    return awaiter(*this, at);
  }
  void unlock(here at = {}) { give_back(&at); }
  using semaphore::waiting;
};

// A queue of at most `capacity` values between coroutines. Precondition: capacity is at least 1.
template <class T>
class channel {
  struct sending;
  struct receiving;

 public:
  explicit channel(const char* name, uint64_t capacity, here at = {})
      : resource_(SKEIN_KIND_channel, name, capacity, at), capacity_(capacity) {}

  // co_await: waits until the value fits. Returns true, or false if the channel is closed.
  auto send(T value, here at = {}) { return sending(*this, std::move(value), at); }
  // co_await: waits for a value. Returns the oldest one, or none if the channel is closed and
  // empty.
  auto receive(here at = {}) { return receiving(*this, at); }
  // Closes the channel and wakes all waiters. Values in the queue can still be received.
  void close(here at = {}) {
    closed_ = true;
    detail::waiters woken = std::exchange(receivers_, {});
    for (detail::waiters left = std::exchange(senders_, {}); !left.empty();) {
      auto& sender = static_cast<sending&>(left.pop());
      sender.sent = false;
      woken.push(sender);
    }
    resource_.notified(woken.size(), &at);
    while (!woken.empty()) woken.pop().handle.resume();
  }
  uint64_t size() const { return values_.size(); }

 private:
  struct sending : detail::waiter {
    channel& c;
    T value;
    bool sent = true;
    [[no_unique_address]] here at;
    sending(channel& owner, T v, const here& a) : c(owner), value(std::move(v)), at(a) {}
    bool await_ready() {
      if (c.closed_)
        sent = false;
      else if (c.values_.size() < c.capacity_)
        c.put(std::move(value), at);
      else
        return false;
      return true;
    }
    void await_suspend(std::coroutine_handle<> h) noexcept {
      this->handle = h;
      c.senders_.push(*this);
    }
    bool await_resume() const noexcept { return sent; }
    uint64_t skein_awaits() { return c.resource_.id(); }
  };
  struct receiving : detail::waiter {
    channel& c;
    std::optional<T> value;
    [[no_unique_address]] here at;
    receiving(channel& owner, const here& a) : c(owner), at(a) {}
    bool await_ready() {
      if (!c.values_.empty()) c.take(value, at);
      return value.has_value() || c.closed_;
    }
    void await_suspend(std::coroutine_handle<> h) noexcept {
      this->handle = h;
      c.receivers_.push(*this);
    }
    std::optional<T> await_resume() { return std::move(value); }
    uint64_t skein_awaits() { return c.resource_.id(); }
  };

  void put(T&& value, const here& at) {
    resource_.notified(receivers_.empty() ? 0 : 1, &at);
    if (receivers_.empty()) {
      values_.push(std::move(value));
      return;
    }
    auto& receiver = static_cast<receiving&>(receivers_.pop());
    receiver.value = std::move(value);
    receiver.handle.resume();
  }
  void take(std::optional<T>& to, const here& at) {
    to = std::move(values_.front());
    values_.drop();
    if (senders_.empty()) return;
    auto& sender = static_cast<sending&>(senders_.pop());
    values_.push(std::move(sender.value));
    resource_.notified(1, &at);
    sender.handle.resume();
  }

  detail::resource resource_;
  uint64_t capacity_;
  detail::values<T> values_;
  bool closed_ = false;
  detail::waiters senders_;
  detail::waiters receivers_;
};

}  // namespace skein
