// Traces Boost.Fiber: each fiber is a task, with its parent, its wakers, and the intervals in which
// its thread sleeps. Call one of these in each thread that runs fibers:
//
//   boost::fibers::use_scheduling_algorithm<skein::traced_fibers<>>();
//   boost::fibers::use_scheduling_algorithm<skein::traced_fibers<boost::fibers::algo::shared_work>>();
//
// The algorithm delegates every decision to another one and records the result. A fiber's task is
// in its properties, so that it moves between threads with the fiber. An algorithm that has its own
// properties cannot be wrapped.
//
// Limits: a fiber has its own stack, so the locations of its waits are unknown. The target of a
// wait is known only through the waker. A thread's main fiber becomes a task when it is first
// woken.
#pragma once
#include <skein/skein.h>

#include <boost/fiber/algo/algorithm.hpp>
#include <boost/fiber/algo/round_robin.hpp>
#include <boost/fiber/context.hpp>
#include <boost/fiber/properties.hpp>
#include <chrono>
#include <utility>

namespace skein {

class fiber_task : public boost::fibers::fiber_properties {
 public:
  explicit fiber_task(boost::fibers::context* context) : fiber_properties(context) {
    if (skein_enabled() && !context->is_context(boost::fibers::type::dispatcher_context))
      skein_create(&task_, SKEIN_KIND_fiber,
                   context->is_context(boost::fibers::type::main_context) ? "main" : nullptr,
                   nullptr);
  }
  ~fiber_task() override { ended(); }

  void woken() { waker_ = skein_current(); }
  void resumed() {
    if (!skein_enabled()) return;
    if (waker_ != 0)
      skein_resume_by(&task_, std::exchange(waker_, 0));
    else
      skein_resume(&task_);
  }
  void suspended() {
    if (task_.id != 0 && skein_enabled()) skein_suspend(&task_, 0, nullptr, 0);
  }
  void ended() {
    if (task_.id != 0 && skein_enabled()) skein_resolve(&task_, 0);
    task_.id = 0;
  }
  // The id in the trace; 0: none.
  uint64_t id() const { return task_.id; }

 private:
  skein_task task_{};
  uint64_t waker_ = 0;
};

template <class Algorithm = boost::fibers::algo::round_robin>
class traced_fibers : public boost::fibers::algo::algorithm_with_properties<fiber_task> {
  using context = boost::fibers::context;

 public:
  template <class... Arguments>
  explicit traced_fibers(Arguments&&... arguments)
      : algorithm_(std::forward<Arguments>(arguments)...) {}

  void awakened(context* fiber, fiber_task& task) noexcept override {
    if (!is_dispatcher(fiber)) task.woken();
    algorithm_.awakened(fiber);
  }
  context* pick_next() noexcept override {
    // The active fiber has just begun to wait, or has ended; the picked one runs next.
    if (context* active = context::active(); active != nullptr && !is_dispatcher(active)) {
      if (active->terminated_is_linked())
        task_of(active).ended();
      else
        task_of(active).suspended();
    }
    context* next = algorithm_.pick_next();
    if (next != nullptr && !is_dispatcher(next)) task_of(next).resumed();
    return next;
  }
  bool has_ready_fibers() const noexcept override { return algorithm_.has_ready_fibers(); }
  void suspend_until(const std::chrono::steady_clock::time_point& until) noexcept override {
    if (skein_enabled()) skein_idle(0);
    algorithm_.suspend_until(until);
    if (skein_enabled()) skein_wake(0);
  }
  void notify() noexcept override { algorithm_.notify(); }

 private:
  using super = boost::fibers::algo::algorithm_with_properties<fiber_task>;
  static bool is_dispatcher(const context* fiber) {
    return fiber->is_context(boost::fibers::type::dispatcher_context);
  }
  // The first awakened() creates the properties, but a fiber launched with `dispatch` waits before.
  fiber_task& task_of(context* fiber) {
    if (super::get_properties(fiber) == nullptr)
      super::set_properties(fiber, this->new_properties(fiber));
    return super::properties(fiber);
  }
  Algorithm algorithm_;
};

}  // namespace skein
