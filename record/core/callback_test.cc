#include "record/core/callback.h"

#include <doctest/doctest.h>

#include <string>

namespace skein::record {
namespace {

std::string in(const std::string& operation, const char* compiler = "with ") {
  const std::string text = "const char* skein::__detail::__asio_hooks::__text_of() [" +
                           std::string(compiler) + "_Operation = " + operation + "]";
  const Callback found = callback_of(text.c_str());
  std::string place(found.function, found.function_size);
  if (found.file_size != 0)
    place += std::string(found.file, found.file_size) + ":" + std::to_string(found.line);
  return place;
}
std::string wait_of(const std::string& handler) {
  return in("boost::asio::detail::wait_handler<" + handler + ", boost::asio::any_io_executor>");
}
std::string clang_wait_of(const std::string& handler) {
  return in("asio::detail::wait_handler<" + handler + ", asio::any_io_executor>", "");
}

TEST_CASE("a callback is the program's last lambda, of g++") {
  CHECK(wait_of("Conn::start()::<lambda(const boost::system::error_code&)>") ==
        "Conn::start()::<lambda(const boost::system::error_code&)>");
  CHECK(wait_of("Conn::start()::<lambda(int)>::<lambda(boost::system::error_code)>") ==
        "Conn::start()::<lambda(int)>::<lambda(boost::system::error_code)>");
  CHECK(wait_of("Conn::operator()(int) const::<lambda()>") ==
        "Conn::operator()(int) const::<lambda()>");
  CHECK(wait_of("{anonymous}::tem<int>(int)::<lambda(auto:21)>") ==
        "{anonymous}::tem<int>(int)::<lambda(auto:21)>");
  CHECK(wait_of("f(T) [with T = int]::<lambda()>") == "f(T) [with T = int]::<lambda()>");
  CHECK(wait_of("f(A)::<lambda(A)>::operator->() const::<lambda()>") ==
        "f(A)::<lambda(A)>::operator->() const::<lambda()>");
  // An argument of a composed operation, and a lambda of the library around it.
  CHECK(in("asio::detail::recv_op<asio::mutable_buffer, asio::detail::read_op<asio::socket, "
           "asio::detail::transfer_all_t, main()::<lambda(std::error_code, std::size_t)> >, X>") ==
        "main()::<lambda(std::error_code, std::size_t)>");
  CHECK(in("asio::detail::executor_op<a::f()::<lambda()>, asio::detail::g()::<lambda(int)>, X>") ==
        "a::f()::<lambda()>");
}

TEST_CASE("clang writes a lambda with its file and line") {
  CHECK(clang_wait_of("(lambda at src/a b.cc:13:35)") == "src/a b.cc:13");
  CHECK(in("asio::detail::executor_op<(lambda at /usr/include/boost/asio/x.hpp:1:2), "
           "asio::detail::binder0<(lambda at a.cc:4294967295:1)>>",
           "") == "a.cc:4294967295");
  CHECK(clang_wait_of("(lambda at /usr/include/boost/asio/x.hpp:1:2)") == "");
  CHECK(clang_wait_of("(lambda at )") == "");
  CHECK(clang_wait_of("(lambda at 1:2)") == "");
}

TEST_CASE("else it is the class of a bound member function, or of the callback") {
  CHECK(wait_of("std::_Bind<void (net::Conn::*(std::shared_ptr<net::Conn>, std::_Placeholder<1>))"
                "(const boost::system::error_code&)>") == "net::Conn");
  CHECK(wait_of("boost::beast::detail::bind_front_wrapper<void ({anonymous}::Conn::*)(int), X>") ==
        "{anonymous}::Conn");
  CHECK(wait_of("{anonymous}::Functor") == "{anonymous}::Functor");
  CHECK(wait_of("my::Handler<my::Argument>") == "my::Handler");
  CHECK(clang_wait_of("(anonymous namespace)::Functor") == "(anonymous namespace)::Functor");
}

TEST_CASE("other types contain no callback") {
  CHECK(wait_of("void (*)(const boost::system::error_code&)") == "");
  CHECK(wait_of("boost::asio::detail::awaitable_handler<my::Executor, my::Result>") == "");
  CHECK(in("boost::asio::detail::resume_op") == "");
  CHECK(callback_of("").function_size == 0);
}

TEST_CASE("any text is allowed") {
  const std::string pieces[] = {"<", "(",  "lambda(", "lambda at ", ")", ">", "::",     "{",
                                "]", "->", " ",       "const",      ":", "1", "std::*", "[with"};
  uint32_t seed = 1;
  for (int run = 0; run < 20000; ++run) {
    std::string text = run % 2 == 0 ? "Operation = " : "";
    for (int i = 0; i < 12; ++i) {
      seed = seed * 1664525 + 1013904223;
      text += pieces[seed >> 28];
    }
    const Callback found = callback_of(text.c_str());
    CHECK(found.function_size <= text.size());
    CHECK(found.file_size <= text.size());
  }
}

}  // namespace
}  // namespace skein::record
