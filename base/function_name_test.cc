#include "base/function_name.h"

#include <doctest/doctest.h>

using skein::short_function_name;

TEST_CASE("the return type and the parameters are removed") {
  CHECK(short_function_name("void f()") == "f");
  CHECK(
      short_function_name("app::Task<int>::operator co_await() &&::Awaiter::await_suspend(int)") ==
      "app::Task::operator co_await::Awaiter::await_suspend");
  CHECK(short_function_name("app::get(int) const &::{lambda()#1}::operator()() const") ==
        short_function_name("app::get(int)::{lambda()#1}::operator()() const"));
  CHECK(short_function_name("int app::size() const &") == "app::size");
  CHECK(short_function_name("boost::asio::awaitable<void> net::session(tcp::socket)") ==
        "net::session");
  CHECK(short_function_name("boost::asio::awaitable<std::pair<int, long> > f(int)") == "f");
  CHECK(short_function_name("const char* g(int (*)(int))") == "g");
  CHECK(short_function_name("task<T> map(F&&) [with T = int; F = f(int)::<lambda(int)>]") == "map");
}

TEST_CASE("g++ names a coroutine's body after a function that takes its frame") {
  CHECK(short_function_name("void session(session(tcp::socket)::_Z7session3tcp.Frame*)") ==
        "session");
}

TEST_CASE("a lambda keeps the name of its enclosing function") {
  CHECK(short_function_name("main(int, char**)::<lambda(int)>") == "main::<lambda>");
  CHECK(short_function_name("auto main()::<lambda(auto:1)>::operator()(int) const") ==
        "main::<lambda>::operator()");
}

TEST_CASE("operators and anonymous namespaces are part of the name") {
  CHECK(short_function_name("bool operator<(const a<int>&, const a<int>&)") == "operator<");
  CHECK(short_function_name("void x::operator()(int)") == "x::operator()");
  CHECK(short_function_name("awaitable<void> ops::operator||<int, any_executor>(awaitable<int>)") ==
        "ops::operator||");
  CHECK(short_function_name("bool n::operator==<int, long>(a<int>)") == "n::operator==");
  CHECK(short_function_name("bool n::operator< <int, long>(a<int>)") == "n::operator<");
  CHECK(short_function_name("b& n::operator<< <int, long>(a<int>)") == "n::operator<<");
  CHECK(short_function_name("auto n::operator<=><int, long>(a<int>)") == "n::operator<=>");
  CHECK(short_function_name("task {anonymous}::run(int)") == "(anonymous)::run");
  CHECK(short_function_name("task (anonymous namespace)::run(int)") == "(anonymous)::run");
}

TEST_CASE("a return type may be an expression") {
  CHECK(short_function_name("decltype(auto) ns::awaiter<int>::await_suspend<int>(int)") ==
        "ns::awaiter::await_suspend");
  CHECK(short_function_name("decltype ((ns::f)({parm#1})) ns::g<int>(int)") == "ns::g");
  CHECK(short_function_name("decltype(auto)") == "decltype(auto)");
  CHECK(short_function_name("decltype") == "decltype");
}

TEST_CASE("a class without a name is part of the name") {
  CHECK(short_function_name("ns::{unnamed type#1}::await_ready()") == "ns::(unnamed)::await_ready");
  CHECK(short_function_name("ns::f(int)::{unnamed type#2}::await_ready()") ==
        "ns::f::(unnamed)::await_ready");
}

TEST_CASE("template arguments are removed") {
  CHECK(short_function_name("std::list<int> app::items[abi:cxx11](int)") == "app::items");
  CHECK(short_function_name("void pool<int, std::less<> >::run<true>(a<b<c>>)") == "pool::run");
}

TEST_CASE("other strings are accepted") {
  CHECK(short_function_name("") == "");
  CHECK(short_function_name("session") == "session");
  CHECK(short_function_name("<<<<((((") == "<<<<((((");
  CHECK(short_function_name("))))>>>>") == "))))>>>>");
  CHECK(short_function_name("a b c") == "c");
}
