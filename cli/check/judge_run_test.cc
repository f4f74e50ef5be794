#include "cli/check/judge_run.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace {

using namespace skein::cli;

// A run that has printed `output`.
class JudgedRun {
 public:
  explicit JudgedRun(const std::string& output) {
    std::string pattern = (std::filesystem::temp_directory_path() / "skein-judge-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    run = {.test = {.name = "t", .command = {"./t"}},
           .timeout = 2e9,
           .folder = pattern,
           .captures = true,
           .trace = ""};
    std::ofstream(output_file(pattern)) << output;
  }
  JudgedRun(const JudgedRun&) = delete;
  JudgedRun& operator=(const JudgedRun&) = delete;
  ~JudgedRun() { std::filesystem::remove_all(run.folder); }

  Outcome exits(int code) const {
    const RunEnd end{.kind = RunEnd::Kind::Ended, .status = W_EXITCODE(code, 0)};
    return judge_run(run, &end);
  }
  Outcome dies(int signal) const {
    const RunEnd end{.kind = RunEnd::Kind::Ended, .status = W_EXITCODE(0, signal)};
    return judge_run(run, &end);
  }

  TestRun run;
};

TEST_CASE("an exit code or a signal decides") {
  const JudgedRun one("");
  CHECK(one.exits(0).verdict == TestVerdict::Passed);
  CHECK(one.exits(3).verdict == TestVerdict::Failed);
  CHECK(one.exits(3).reason == "exit code 3");
  CHECK(one.dies(SIGSEGV).verdict == TestVerdict::Failed);
  CHECK(one.dies(SIGSEGV).reason == "killed by signal 11 (Segmentation fault)");
}

TEST_CASE("a test may be expected to fail") {
  JudgedRun one("");
  one.run.test.will_fail = true;
  CHECK(one.exits(1).verdict == TestVerdict::Passed);
  CHECK(one.exits(0).verdict == TestVerdict::Failed);
  CHECK(one.exits(0).reason == "exit code 0, and it was expected to fail");
}

TEST_CASE("a code or a text means skipped") {
  JudgedRun one("no device here\n");
  one.run.test.skip_code = 77;
  CHECK(one.exits(77).verdict == TestVerdict::Skipped);
  CHECK(one.exits(76).verdict == TestVerdict::Failed);
  one.run.test.skip_patterns = {"no (device|disk)"};
  CHECK(one.exits(76).verdict == TestVerdict::Skipped);
  CHECK(one.exits(76).reason == "its output matches 'no (device|disk)'");
}

TEST_CASE("why a case of GoogleTest was skipped") {
  const auto reason_of = [](const std::string& printed) {
    JudgedRun one("[ RUN      ] Queue.drops\n" + printed + "[  SKIPPED ] Queue.drops (0 ms)\n");
    one.run.test.begin_text = "[ RUN      ] Queue.drops\n";
    one.run.test.end_texts = {"[  SKIPPED ] Queue.drops"};
    one.run.test.skip_patterns = {"SKIPPED"};
    CHECK(one.exits(0).verdict == TestVerdict::Skipped);
    return one.exits(0).reason;
  };
  CHECK(reason_of("queue_test.cc:12: Skipped\nneeds a network\n\n") == "needs a network");
  CHECK(reason_of("q.cc:1: Skipped\ntwo\nlines\n") == "two lines");
  CHECK(reason_of("q.cc:1: Skipped\n\n\n") == "its output matches 'SKIPPED'");
  CHECK(reason_of("") == "its output matches 'SKIPPED'");
}

TEST_CASE("where a test has failed") {
  const auto text = [](std::string_view output) {
    const SourcePlace place = place_of_failure(output);
    return place.file + " " + std::to_string(place.line);
  };
  CHECK(text("[ RUN ]\nsrc/a b.cc:8: Failure\nsrc/c.cc:9: Failure\n") == "src/a b.cc 8");
  CHECK(text("a.cc:12: ERROR: CHECK( false ) is NOT correct!\n") == "a.cc 12");
  CHECK(text("a.cc:12: FAILED:\n  REQUIRE( false )") == "a.cc 12");
  CHECK(text("no: Failure\n: Failure\na.cc:x: Failure\nfine") == " 0");
  CHECK(text("") == " 0");
}

TEST_CASE("patterns replace the exit code, but not a signal") {
  JudgedRun one("12 apples\n");
  one.run.test.pass_patterns = {"pears", "[0-9]+ apples"};
  CHECK(one.exits(1).verdict == TestVerdict::Passed);
  CHECK(one.dies(SIGABRT).verdict == TestVerdict::Failed);
  one.run.test.fail_patterns = {"apples$"};
  CHECK(one.exits(0).verdict == TestVerdict::Passed);  // $ is the end of the output
  one.run.test.fail_patterns = {"app"};
  CHECK(one.exits(0).verdict == TestVerdict::Failed);
  one.run.test.fail_patterns = {"[invalid"};
  CHECK(one.exits(0).verdict == TestVerdict::Passed);
  one.run.test.pass_patterns = {"pears"};
  CHECK(one.exits(0).reason == "its output does not match 'pears'");
}

TEST_CASE("a case that leaves early has not passed") {
  const auto run = [](const std::string& output, int code) {
    JudgedRun one(output);
    one.run.test.begin_text = "[ RUN      ] A.b\n";
    one.run.test.end_texts = {"[       OK ] A.b", "[  FAILED  ] A.b"};
    return one.exits(code);
  };
  const Outcome left = run("[ RUN      ] A.b\nhalf", 0);
  CHECK(left.verdict == TestVerdict::Failed);
  CHECK(left.reason == "it ended the program in its middle, with exit code 0");
  CHECK(run("[ RUN      ] A.b\nhalf", 3).reason == "exit code 3");
  CHECK(run("[ RUN      ] A.b\nhalf[       OK ] A.b (0 ms)\n", 0).verdict == TestVerdict::Passed);
  CHECK(run("", 0).verdict == TestVerdict::Passed);  // another printer
}

TEST_CASE("what did not end or start is not passed") {
  JudgedRun one("hello");
  std::ofstream(report_file(one.run.folder)) << "why";
  RunEnd end{.kind = RunEnd::Kind::TimedOut, .ns = 2'000'000'000, .line = 7};
  end.file[0] = 'a';
  const Outcome hangs = judge_run(one.run, &end);
  CHECK(hangs.verdict == TestVerdict::TimedOut);
  CHECK(hangs.reason == "it did not end within 2.00 s");
  CHECK(hangs.report == "why");
  CHECK(hangs.output == "hello");
  CHECK(hangs.place.file == "a");
  CHECK(hangs.place.line == 7);
  CHECK(hangs.seconds == 2);
  end = {.kind = RunEnd::Kind::NotStarted, .reason = ENOENT};
  CHECK(judge_run(one.run, &end).verdict == TestVerdict::NotRun);
  CHECK(judge_run(one.run, &end).reason == "./t: No such file or directory");
  one.run.test.required_files = {"a", "b c"};
  end.missing_file = 1;
  CHECK(judge_run(one.run, &end).reason == "its required file 'b c' does not exist");
  one.run.test.match_patterns = {"ready"};
  one.run.test.after_match = 1e9;
  end = {.kind = RunEnd::Kind::TimedOut, .match = 0};
  CHECK(judge_run(one.run, &end).reason ==
        "it did not end within 1.00 s after its output matched 'ready'");
  end = {.kind = RunEnd::Kind::Lost};
  CHECK_FALSE(judge_run(one.run, &end).is_good());
  CHECK(judge_run(one.run, nullptr).verdict == TestVerdict::NotRun);
  one.run.test.obstacle = "no filter";
  CHECK(judge_run(one.run, nullptr).verdict == TestVerdict::NotRun);
  CHECK(judge_run(one.run, nullptr).reason == "no filter");
  one.run.test.is_disabled = true;
  CHECK(judge_run(one.run, nullptr).verdict == TestVerdict::Skipped);
}

}  // namespace
