#include "frames/asio_functions.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("an entry point's handler shows what its end completes") {
  const std::string entry =
      "asio::detail::co_spawn_entry_point<asio::any_io_executor, "
      "asio::detail::awaitable_as_function<void, asio::any_io_executor>, ";
  CHECK(spawned(entry + "asio::detail::detached_handler>(..)") == Spawned::Detached);
  CHECK(spawned(entry + "asio::detail::awaitable_handler<asio::any_io_executor>>(..)") ==
        Spawned::Awaited);
  for (const std::string group :
       {"parallel_group_op_handler<0ul, ", "ranged_parallel_group_op_handler<"})
    CHECK(spawned("boost::" + entry + "boost::asio::experimental::detail::" + group +
                  "boost::asio::detail::awaitable_handler<boost::asio::any_io_executor>>>(..)") ==
          Spawned::InGroup);
}

TEST_CASE("the entry point of co_spawn()") {
  CHECK(
      is_spawn_entry("boost::asio::awaitable<boost::asio::detail::awaitable_thread_entry_point, E> "
                     "boost::asio::detail::co_spawn_entry_point<void, E>(...)"));
  CHECK(is_spawn_entry("asio::awaitable<T, E> asio::detail::co_spawn_entry_point<void, E>(...)"));
  CHECK_FALSE(is_spawn_entry("asio::awaitable<void> session(asio::ip::tcp::socket)"));
}

TEST_CASE("the coroutine around one with a result") {
  CHECK(is_result_wrapper("asio::awaitable<std::optional<int>, E> asio::experimental::"
                          "awaitable_operators::detail::awaitable_wrap<int, E>(T, C*)"));
  CHECK_FALSE(is_result_wrapper("asio::awaitable<int> awaitable_wrap<int>(T)"));
}

TEST_CASE("the coroutine that starts an operation") {
  CHECK(started_operation(
            "asio::awaitable<void, E> asio::async_result<asio::use_awaitable_t<E>, void "
            "(std::error_code)>::initiate<asio::basic_waitable_timer<C, T, "
            "E>::initiate_async_wait>(I)") == "async_wait");
  CHECK(
      started_operation("asio::awaitable<int, E> asio::async_result<asio::use_awaitable_t<E>, void "
                        "(std::error_code)>::initiate<asio::detail::initiate_composed_op<F>>(I)") ==
      "composed_op");
  CHECK(started_operation("session(int)").empty());
  CHECK(started_operation("asio::awaitable<void> f(int)").empty());
}
