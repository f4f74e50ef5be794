// A one-shot promise: it is resolved once. A task that waits later continues immediately.
// (A skein::condition stores no notification; that is the difference between arp and arp_fixed.)
//
//   Promise answered("answer");
//   co_await answered.wait();
//   answered.notify_all();  // resumes the waiters inside this call
#pragma once
#include <skein/task.h>

#include <coroutine>
#include <optional>
#include <utility>
#include <vector>

class Promise {
 public:
  explicit Promise(const char* name) : name_(name) {}
  Promise(const Promise&) = delete;

  auto wait(skein::here at = {}) {
    struct Awaiter {
      Promise& promise;
      bool await_ready() const { return promise.resolved_; }
      void await_suspend(std::coroutine_handle<> h) { promise.waiters_.push_back(h); }
      void await_resume() const {}
      uint64_t skein_awaits() const { return promise.traced_ ? promise.traced_->id() : 0; }
    };
    if (!resolved_ && !traced_) traced_.emplace(name_, SKEIN_KIND_promise, at);
    return Awaiter{*this};
  }
  void notify_all() {
    if (std::exchange(resolved_, true)) return;
    if (traced_) traced_->resolve();
    // A resumed task may destroy this promise.
    for (std::coroutine_handle<> waiter : std::exchange(waiters_, {})) waiter.resume();
  }

 private:
  const char* name_;
  bool resolved_ = false;
  std::vector<std::coroutine_handle<>> waiters_;
  std::optional<skein::task> traced_;  // the target of the waits in the trace
};
