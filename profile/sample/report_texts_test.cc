#include "profile/sample/report_texts.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("a larger copy of a stack has a size") {
  CHECK(larger_copies_text(512) == "use --stack-size 2048");
  CHECK(larger_copies_text(16384) == "use --stack-size 65528");
  CHECK(larger_copies_text(65528) == "no larger --stack-size is possible");
}
