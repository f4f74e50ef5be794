#include "frames/wait_shapes.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("awaiters of libraries and their objects") {
  CHECK(object_of_awaiter("coro::detail::lock_operation_base") == "coro::mutex");
  CHECK(object_of_awaiter("coro::queue::awaiter") == "coro::queue");
  CHECK(object_of_awaiter("cppcoro::single_consumer_event::operator co_await::awaiter") ==
        "cppcoro::single_consumer_event");
  CHECK(object_of_awaiter("folly::coro::Mutex::LockAwaiter") == "folly::coro::Mutex");
  CHECK(object_of_awaiter("app::Event::Awaiter").empty());
  CHECK(object_of_awaiter("").empty());
}

TEST_CASE("kinds of types") {
  CHECK(name(kind_of_type("cppcoro::async_mutex")) == "lock");
  CHECK(name(kind_of_type("coro::latch")) == "counter");
  CHECK(name(kind_of_type("app::WorkQueue")) == "queue");
  CHECK(name(kind_of_type("app::Session")).empty());
  CHECK(name(kind_of_type("")).empty());
}

TEST_CASE("objects by a pointer to their base class") {
  CHECK(object_of_pointer("skein::mutex::lock::awaiter", "skein::semaphore") == "skein::mutex");
  CHECK(object_of_pointer("skein::semaphore::acquiring", "skein::semaphore") == "skein::semaphore");
  CHECK(object_of_pointer("app::Mutex::Lock", "app::Mutex") == "app::Mutex");
}

TEST_CASE("kinds of objects by the names of awaiters") {
  CHECK(name(kind_of_awaiter("app::Mutex::Lock")) == "lock");
  CHECK(name(kind_of_awaiter("app::MutexAwaiter")) == "lock");
  CHECK(name(kind_of_awaiter("app::Session::Read")).empty());
  CHECK(name(kind_of_awaiter("Lock")).empty());
}

TEST_CASE("joins and locks of programs") {
  CHECK(is_name_of_join("app::JoinState"));
  CHECK(is_name_of_join("app::WhenAll"));
  CHECK(is_name_of_join("cppcoro::detail::when_all_ready_awaitable::awaiter"));
  CHECK_FALSE(is_name_of_join("app::Slot::Awaiter"));
  CHECK(is_plain_lock("app::Mutex"));
  CHECK_FALSE(is_plain_lock("app::SharedMutex"));
  CHECK_FALSE(is_plain_lock("app::Mailbox"));
}

TEST_CASE("locks and guards") {
  CHECK(is_exclusive_lock("coro::mutex"));
  CHECK_FALSE(is_exclusive_lock("coro::shared_mutex"));
  CHECK(guard_shape("concurrencpp::scoped_async_lock")->owns == 8);
  CHECK_FALSE(guard_shape("cppcoro::async_mutex_lock")->owns);
  CHECK_FALSE(guard_shape("app::Mutex::Guard"));
  for (const char* guard :
       {"app::Mutex::Guard", "ScopedLock", "lock_guard", "app::LockHolder", "Lock"})
    CHECK(is_name_of_guard(guard));
  for (const char* other :
       {"app::LockTimer", "LockStats", "Lock::Timer", "Blocker", "Block", "Clock", "LockClock",
        "app::Mutex::LockOperation", "Unlock", "UnlockGuard", "Deadlock", "Holder"})
    CHECK_FALSE(is_name_of_guard(other));
}

TEST_CASE("awaiters of folly that stand for others") {
  CHECK(wrapped_awaiter("bool folly::coro::StackAwareViaIfAsyncAwaiter<folly::coro::Baton&>::await_suspend<"
                        "folly::coro::detail::TaskPromise<void> >(std::coroutine_handle<void>)") ==
        "folly::coro::Baton");
  CHECK(wrapped_awaiter("folly::coro::ViaIfAsyncAwaiter<true, folly::coro::Mutex::ScopedLockAwaiter>") ==
        "folly::coro::Mutex::ScopedLockAwaiter");
  CHECK(wrapped_awaiter("folly::coro::ViaIfAsyncAwaiter<true, folly::coro::detail::TryAwaiter<"
                        "folly::coro::Task<int> > >") == "folly::coro::Task");
  CHECK_FALSE(wrapped_awaiter("folly::coro::ViaIfAsyncAwaiter<true, folly::coro::Baton&"));
  // skein's hooks, with g++ and with clang
  CHECK(
      wrapped_awaiter(
          "void skein::__detail::__traced_awaiter_for<P, (skein::__detail::__step)1, app::Mutex&, "
          "(skein::__detail::__target)2, app::Mutex::Awaiter<int> >::__type::await_suspend<"
          "std::coroutine_handle<P> >(std::coroutine_handle<P>, skein::__detail::__place)") ==
      "app::Mutex::Awaiter");
  CHECK(wrapped_awaiter("skein::__detail::__clang::__traced_awaiter_for<P, app::Event>::__type") ==
        "app::Event");
  CHECK_FALSE(wrapped_awaiter("app::__traced_awaiter_for<P, app::Event>::__type"));
  CHECK_FALSE(wrapped_awaiter("app::ViaIfAsyncAwaiter<app::Event>"));
  CHECK_FALSE(wrapped_awaiter("folly::coro::Task<void>::Awaiter"));
  CHECK(object_of_awaiter("folly::coro::Baton") == "folly::coro::Baton");
  CHECK(object_of_awaiter("folly::coro::Mutex::ScopedLockAwaiter") == "folly::coro::Mutex");
}
