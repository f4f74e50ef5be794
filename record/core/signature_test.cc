#include "record/core/signature.h"

#include <doctest/doctest.h>

#include <string>

namespace skein::record {
namespace {

std::string copy(const std::string& text, size_t room = 512) {
  std::string to(room, '?');
  to.resize(copy_without_template_arguments(text.c_str(), to.data(), room));
  return to;
}

TEST_CASE("template arguments are left out") {
  CHECK(copy("boost::asio::awaitable<void, any<a<0> > > serve(socket<tcp>, int)") ==
        "boost::asio::awaitable serve(socket, int)");
  CHECK(copy("task<T> map<F>(F) [with T = a<int>]") == "task map(F) [with T = a]");
  CHECK(copy("int f(int)") == "int f(int)");
  CHECK(copy("") == "");
}

TEST_CASE("lambdas and operators are kept") {
  CHECK(copy("a<int> main()::<lambda(b<int>)>::<lambda()>") == "a main()::<lambda(b)>::<lambda()>");
  CHECK(copy("bool x::operator<(const a<int>&)") == "bool x::operator<(const a&)");
  CHECK(copy("s<int>& operator<<(s<int>&, int)") == "s& operator<<(s&, int)");
  CHECK(copy("a<int>* p<int>::operator->() const") == "a* p::operator->() const");
  CHECK(copy("a<decltype(p->x)> f()") == "a f()");
}

TEST_CASE("the copy ends where there is no more room") {
  CHECK(copy("void f(int)", 4) == "void");
  CHECK(copy("a<b", 4) == "a");
  CHECK(copy(">>a<", 4) == ">>a");
}

}  // namespace
}  // namespace skein::record
