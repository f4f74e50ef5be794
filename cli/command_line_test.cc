#include "cli/command_line.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "cli/die.h"

using namespace skein::cli;

namespace {

struct CommandOutcome {
  int code;
  std::string out;
  std::string err;
};

CommandOutcome run(std::vector<const char*> words) {
  words.insert(words.begin(), "skein");
  std::ostringstream out, err;
  const int code = run_command_line(static_cast<int>(words.size()), words.data(), out, err);
  return {code, out.str(), err.str()};
}

}  // namespace

TEST_CASE("help and version go to stdout, exit 0") {
  CHECK(run({"--version"}).code == 0);
  CHECK(run({"--version"}).out == "skein " SKEIN_VERSION "\n");
  CHECK(run({"-V"}).out == run({"--version"}).out);
  CHECK(run({"--cmake"}).code == 0);
  CHECK(run({"--cmake"}).out.ends_with("/SkeinTrace.cmake\n"));
  CHECK(run({"--help"}).code == 0);
  CHECK(run({"--help"}).err == "");
  CHECK(run({"--help"}).out.starts_with("Record, inspect and debug"));
  CHECK(run({"why", "--help"}).out.starts_with("Explain why"));
}

TEST_CASE("bad usage is one line on stderr, exit 2") {
  for (const auto& words : std::vector<std::vector<const char*>>{
           {}, {"frobnicate"}, {"dump", "--unknown"}, {"dump", "too", "much"}, {"dump"}}) {
    const CommandOutcome outcome = run(words);
    CHECK(outcome.code == 2);
    CHECK(outcome.out == "");
    CHECK(outcome.err.starts_with("skein: "));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
}

TEST_CASE("a time is a number of seconds") {
  for (const char* time : {"nan", "-nan", "inf", "-inf", "-1", "0", "1e10", "1s"})
    for (const char* command : {"profile", "sched"}) {
      const CommandOutcome outcome = run({command, "-T", time, "999999999"});
      CHECK_MESSAGE(outcome.code == 2, time);
      CHECK_MESSAGE(outcome.err.find("(0.001 to 1000000000); see skein ") != std::string::npos,
                    outcome.err);
    }
  // There is no such process.
  CHECK(run({"profile", "-T", "0.5", "999999999"}).err.find("seconds") == std::string::npos);
}

TEST_CASE("an argument in brackets stays as it is") {
  CHECK(run({"check", "--", "test", "[a,b]", "=", "[a,b]"}).code == 0);
  CHECK(run({"check", "--", "test", "[]", "=", ""}).code == 1);
  CHECK(run({"dump", "trace", "[a]"}).err.starts_with("skein: unexpected argument '[a]'; "));
}

TEST_CASE("the message of an unknown command contains its name") {
  CHECK(run({"frobnicate", "x"}).err.starts_with("skein: unknown command 'frobnicate'; "));
}

TEST_CASE("the failure of a command is reported, with its exit code") {
  const CommandOutcome outcome = run({"dump", ""});
  CHECK(outcome.code == 2);
  CHECK(outcome.out == "");
  CHECK(outcome.err.starts_with("skein: "));
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
}

TEST_CASE("the program returns the exit code of the command") {
  std::ostringstream err;
  CHECK(run_reporting([] { return 1; }, err) == 1);
  CHECK(err.str() == "");
  CHECK(run_reporting([]() -> int { die(7, "a\nb"); }, err) == 7);
  CHECK(err.str() == "skein: a\\nb\n");
  err.str("");
  CHECK(run_reporting([]() -> int { throw std::runtime_error("broken"); }, err) == 1);
  CHECK(err.str() == "skein: broken\n");
}
