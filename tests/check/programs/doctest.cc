// doctest: cases that pass, some with names that its command line must escape, one that hangs.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <future>

TEST_CASE("one, two") { CHECK(true); }
TEST_CASE("*a\\b,c?") { CHECK(true); }
TEST_CASE("-dash") { CHECK(true); }
TEST_CASE("FAILS") { CHECK(true); }
TEST_CASE("") { CHECK(true); }
TEST_CASE("disabled" * doctest::skip()) { CHECK(false); }
TEST_CASE("fails") { CHECK(1 == 2); }

[[gnu::noinline]] int wait_for_answer() {
  std::promise<int> answer;
  return answer.get_future().get();  // HANGS wait_for_answer
}
TEST_CASE("hangs") { CHECK(wait_for_answer() == 1); }
