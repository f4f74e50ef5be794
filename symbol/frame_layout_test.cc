#include "symbol/frame_layout.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("names of types without the arguments of templates") {
  CHECK(without_template_arguments("coro::queue<std::pair<int, int>>::awaiter") ==
        "coro::queue::awaiter");
  CHECK(without_template_arguments("app::Event") == "app::Event");
  CHECK(without_template_arguments("broken<int") == "broken");
  CHECK(without_template_arguments("").empty());
}

TEST_CASE("scopes of a function contain each other") {
  const FrameLayout layout{.scopes = {0, 0, 1, 0}};
  CHECK(layout.contains(0, 2));
  CHECK(layout.contains(1, 2));
  CHECK(layout.contains(2, 2));
  CHECK_FALSE(layout.contains(3, 2));
  CHECK_FALSE(layout.contains(2, 1));
  CHECK_FALSE(layout.contains(0, 9));
  const FrameLayout damaged{.scopes = {0, 2, 1}};
  CHECK_FALSE(damaged.contains(0, 1));
}
