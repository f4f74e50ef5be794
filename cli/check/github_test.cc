#include "cli/check/github.h"

#include <doctest/doctest.h>

namespace {

using namespace skein::cli;

TEST_CASE("an annotation names the file below the workspace") {
  CHECK(github_error({.file = "/home/me/src/a.cc", .line = 7}, "/home/me", "t", "m") ==
        "::error file=src/a.cc,line=7,title=t::m\n");
  CHECK(github_error({.file = "/home/me/src/a.cc", .line = 7}, "/home/me/", "t", "m") ==
        "::error file=src/a.cc,line=7,title=t::m\n");
  CHECK(github_error({.file = "/home/meme/a.cc", .line = 7}, "/home/me", "t", "m") ==
        "::error file=/home/meme/a.cc,line=7,title=t::m\n");
  CHECK(github_error({}, "", "t", "m") == "::error title=t::m\n");
}

TEST_CASE("no text of a test begins another command") {
  CHECK(github_error({.file = "a,b:c%.cc", .line = 1}, "", "x,y: 5%", "50%\r\n::set-output::") ==
        "::error file=a%2Cb%3Ac%25.cc,line=1,title=x%2Cy%3A 5%25::50%25\xef\xbf\xbd%0A"
        "::set-output::\n");
}

}  // namespace
