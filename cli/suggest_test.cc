#include "cli/suggest.h"

#include <doctest/doctest.h>

#include <array>

using namespace skein::cli;

TEST_CASE("the most similar word is found") {
  const std::array<std::string, 5> commands = {"why", "doctor", "dump", "diff", "record"};
  CHECK(most_similar("wyh", commands) == "why");
  CHECK(most_similar("doctr", commands) == "doctor");
  CHECK(most_similar("docotr", commands) == "doctor");
  CHECK(most_similar("recrod", commands) == "record");
  CHECK(most_similar("rec", commands) == "record");
  CHECK(most_similar("Why", commands) == "why");
  CHECK(most_similar("di", commands) == "diff");
}

TEST_CASE("a word that resembles no candidate has no suggestion") {
  const std::array<std::string, 3> commands = {"why", "doctor", "ps"};
  CHECK(most_similar("frobnicate", commands) == "");
  CHECK(most_similar("", commands) == "");
  CHECK(most_similar("x", commands) == "");
  CHECK(most_similar("why", {}) == "");
  const std::array<std::string, 2> both = {"--longer-than", "--lonely"};
  CHECK(most_similar("--lon", both) == "");  // a prefix of both
}
