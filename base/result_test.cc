#include "base/result.h"

#include <doctest/doctest.h>

#include <memory>

using namespace skein;

namespace {

Result<int> half(int number) {
  if (number % 2) return Error{.what = "odd number", .file = "numbers", .offset = 7};
  return number / 2;
}

Result<void> check(bool good) {
  if (!good) return Error{.what = "bad"};
  return {};
}

}  // namespace

TEST_CASE("a result holds a value or an error") {
  CHECK(half(4).value() == 2);
  CHECK(*half(4) == 2);
  CHECK(half(4).value_or(9) == 2);
  auto odd = half(3);
  CHECK_FALSE(odd.has_value());
  CHECK(odd.value_or(9) == 9);
  CHECK(odd.error().what == "odd number");
}

TEST_CASE("a result may hold a move-only value") {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  std::unique_ptr<int> taken = *std::move(result);
  CHECK(*taken == 5);
}

TEST_CASE("a result without a value") {
  CHECK(check(true));
  CHECK(check(false).error().what == "bad");
}

TEST_CASE("a message has the file, the problem and the next step") {
  CHECK(half(3).error().message() == "numbers at byte 7: odd number");
  CHECK(Error{.what = "lost"}.message() == "lost");
  CHECK(Error{.what = "lost", .offset = 0}.message() == "at byte 0: lost");
  CHECK(Error{.what = "lost", .file = "f", .advice = "look again"}.message() ==
        "f: lost; look again");
}
