#include <doctest/doctest.h>

#include "trace/ask/doctor/test_findings.h"

using namespace skein;

TEST_CASE("ran-too-long") {
  const std::string begin = "0 create 1 as coroutine\n 0 create 2 as coroutine\n 10 resume 1\n";
  CHECK(findings_text(ours(begin + "110 suspend 1\n 120 resume 2\n 121 resolve 2")) ==
        "ran-too-long 1 -\n");
  CHECK(findings_text(ours(begin + "109 suspend 1\n 120 resume 2\n 121 resolve 2")) == "");
  SUBCASE("with a run of another task inside it, which does not count") {
    const std::string inside = begin + "50 resume 2 by 1\n 80 resolve 2\n 80 resume 1\n";
    CHECK(findings_text(ours(inside + "140 suspend 1\n 150 resume 1\n 151 resolve 1")) ==
          "ran-too-long 1 -\n");
    CHECK(findings_text(ours(inside + "139 suspend 1\n 150 resume 1\n 151 resolve 1")) == "");
  }
  SUBCASE("two runs with a suspension between them") {
    CHECK(findings_text(ours(begin +
                             "70 suspend 1\n 70 resume 1 by 2\n 140 suspend 1\n 141 resume 2\n"
                             "142 resolve 2")) == "");
  }
  SUBCASE("it never suspends") {
    CHECK(findings_text(ours(begin + "500 label 1 still")) == "ran-too-long 1 -\n");
  }
  SUBCASE("the program paused") {
    CHECK(findings_text(ours(
              begin + "100 pause - =60\n 160 suspend 1\n 161 resume 2\n 162 resolve 2")) == "");
  }
  SUBCASE("runnable tasks are counted") {
    const Example e = ours(begin +
                           "12 create 5 by 1 as timer\n 13 suspend 1 on 5\n 14 resume 2\n"
                           "20 resolve 5 @1\n 200 resolve 2\n 200 resume 1 by 5\n 201 resolve 1");
    const auto found = findings(e.trace, {.running = 100});
    REQUIRE(found.size() == 1);
    CHECK(found[0].evidence[0].value == 1);
  }
}
