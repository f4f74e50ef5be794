#include <doctest/doctest.h>

#include <sstream>

#include "cli/commands.h"

namespace {

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome parse(std::vector<std::string> arguments) {
  CLI::App app("what it is for", "skein");
  app.set_version_flag("--version", "skein 9");
  app.require_subcommand(1);
  app.add_subcommand("problem")->callback([] { throw CLI::RuntimeError(1); });
  app.add_subcommand("fine");
  std::ostringstream out, err;
  try {
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    const int code = skein::cli::exit_code(app, error, out, err);
    return {code, out.str(), err.str()};
  }
  return {0, out.str(), err.str()};
}

}  // namespace

TEST_CASE("a text that was asked for goes to stdout, exit 0") {
  CHECK(parse({"--version"}).code == 0);
  CHECK(parse({"--version"}).out == "skein 9\n");
  CHECK(parse({"--help"}).code == 0);
  CHECK(parse({"--help"}).out.find("what it is for") != std::string::npos);
}

TEST_CASE("bad usage is one line on stderr, exit 2") {
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {}, {"frobnicate"}, {"fine", "--unknown"}, {"fine", "too", "much"}}) {
    const Outcome outcome = parse(arguments);
    CHECK(outcome.code == 2);
    CHECK(outcome.out == "");
    CHECK(outcome.err.starts_with("skein: "));
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
  }
}

TEST_CASE("a command that does not exist is named") {
  CHECK(parse({"frobnicate", "x"}).err == "skein: no such command: frobnicate; try: skein --help\n");
}

TEST_CASE("a subcommand's own exit code is kept, and it reports for itself") {
  CHECK(parse({"problem"}).code == 1);
  CHECK(parse({"problem"}).err == "");
  CHECK(parse({"fine"}).code == 0);
}
