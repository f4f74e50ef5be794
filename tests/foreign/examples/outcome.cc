// Boost.Outcome's coroutines: eager and lazy ones, with values, errors and exceptions.
#include <boost/outcome.hpp>
#include <boost/outcome/coroutine_support.hpp>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <system_error>

namespace outcome = BOOST_OUTCOME_V2_NAMESPACE;
using outcome::awaitables::atomic_eager;
using outcome::awaitables::atomic_lazy;
using outcome::awaitables::eager;
using outcome::awaitables::lazy;
template <class T>
using result = outcome::std_result<T>;

lazy<result<std::string>> text(int n) {
  if (n == 0) co_return std::errc::invalid_argument;
  if (n == 1) throw std::system_error(std::make_error_code(std::errc::timed_out));
  std::string long_text(static_cast<size_t>(n), 'x');
  co_return long_text;
}
eager<result<std::size_t>> length(int n) {
  auto found = co_await text(n);
  if (!found) co_return found.error();
  co_return found.value().size();
}
atomic_eager<result<int>> eagerly(int n) { co_return 2 * n; }
atomic_lazy<void> lazily(int* n) {
  auto doubled = co_await eagerly(*n);
  *n = doubled.value();
}
eager<int> everything() {
  for (int n : {0, 1, 2, 40}) {
    auto found = co_await length(n);
    if (found)
      std::printf("%d: %zu\n", n, found.value());
    else
      std::printf("%d: %s\n", n, found.error().message().c_str());
  }
  int n = 21;
  co_await lazily(&n);
  co_return std::move(n);
}

int main() {
  auto all = everything();
  std::printf("%d %d\n", all.await_ready(), all.await_resume());
}
