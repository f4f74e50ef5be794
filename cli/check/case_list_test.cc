#include "cli/check/case_list.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace skein::cli;
using Names = std::vector<std::string>;

TEST_CASE("GoogleTest's list has suites, parameters and types") {
  CHECK(parse_gtest_list("Running main() from gtest_main.cc\n"
                         "Queue.\n  Push\n  DISABLED_Slow\n  Pop\n"
                         "DISABLED_Old.\n  One\n"
                         "Sizes/Ring.\n  Wraps/0  # GetParam() = 3\n  Wraps/1  # GetParam() = 4\n"
                         "Typed/0.  # TypeParam = int\n  Works\n") ==
        Names{"Queue.Push", "Queue.DISABLED_Slow", "Queue.Pop", "DISABLED_Old.One",
              "Sizes/Ring.Wraps/0", "Sizes/Ring.Wraps/1", "Typed/0.Works"});
  // A generator of names may return any type.
  CHECK(parse_gtest_list("Typed/unsigned int.\n  Works\n") == Names{"Typed/unsigned int.Works"});
  CHECK(parse_gtest_list("usage: program FILE\n  --help\n").empty());
}

TEST_CASE("GoogleTest disables by prefix, of a suite or a case") {
  for (const char* name : {"Queue.DISABLED_Slow", "DISABLED_Old.One", "All/DISABLED_Sizes.Works/0",
                           "All/Sizes.DISABLED_Works/1", "DISABLED_Typed/0.Works"})
    CHECK_MESSAGE(is_disabled_in_gtest(name), name);
  for (const char* name :
       {"Queue.Push", "All/Sizes.Works/0", "Not_DISABLED_.Old", "Queue.disabled_"})
    CHECK_FALSE_MESSAGE(is_disabled_in_gtest(name), name);
}

TEST_CASE("Catch2's and doctest's lists have a name in each line") {
  CHECK(parse_catch_list("a queue pops\n  what it pushed  \n\n") ==
        Names{"a queue pops", "what it pushed"});
  CHECK(parse_catch_list("\"#hash\"\n\"quoted\"\n#\n") == Names{"#hash", "\"quoted\"", "#"});
  CHECK(parse_doctest_list("[doctest] listing all test case names\n"
                           "===============================================================\n"
                           "one\ntwo words\n"
                           "===============================================================\n"
                           "[doctest] unskipped test cases passing the current filters: 2\n") ==
        Names{"one", "two words"});
  CHECK(parse_doctest_list("a banner\n\n=====\none\n\n=====\n\n") == Names{"one", ""});
}

}  // namespace
