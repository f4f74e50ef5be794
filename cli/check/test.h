// A test that `skein check` runs, and what came of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace skein::cli {

struct Test {
  std::string name = {};
  std::vector<std::string> command = {};
  std::string folder = {};  // in which it runs; empty: the current one
  // Variables that are set for it; without a value: unset.
  std::vector<std::pair<std::string, std::optional<std::string>>> environment = {};
  std::optional<double> timeout = {};  // ns
  // After a line of its output matches one of these, it may take that time.
  std::vector<std::string> match_patterns = {};
  double after_match = 0;  // ns
  // What makes it pass, beyond its exit code.
  bool will_fail = false;
  std::optional<int> skip_code = {};
  std::vector<std::string> pass_patterns = {};  // regular expressions: one of them must match
  std::vector<std::string> fail_patterns = {};
  std::vector<std::string> skip_patterns = {};
  // Its output has the first text once it has begun, and one of the others when it has ended. With
  // the first one only it has left early, and does not pass.
  std::string begin_text = {};
  std::vector<std::string> end_texts = {};
  // When it may run.
  bool is_disabled = false;
  std::string obstacle = {};            // why it cannot be run; escaped
  bool is_alone = false;                // no other test at the same time
  std::vector<std::string> locks = {};  // no other test with one of these at the same time
  std::vector<std::string> after = {};  // names of tests that run before it, if they run at all
  std::vector<std::string> needs = {};  // also: it does not run if one of these has failed
  std::vector<std::string> required_files = {};      // it does not run if one does not exist
  std::vector<std::string> unknown_properties = {};  // of CTest, that may change the verdict
};

enum class TestVerdict : uint8_t { Passed, Failed, TimedOut, Skipped, NotRun };

struct SourcePlace {
  std::string file = {};
  uint32_t line = 0;  // 0: unknown
};

struct Outcome {
  TestVerdict verdict = TestVerdict::NotRun;
  std::string reason = {};  // one line, escaped: "exit code 3", "it did not end within 30 s"
  std::string report = {};  // why it hangs, or where it crashed; findings; missed budgets
  std::string output = {};  // what it printed, if that was captured; not escaped
  SourcePlace place = {};   // of the problem
  double seconds = 0;
  bool is_crash = false;     // Failed: killed by a signal such as SIGSEGV
  bool has_stacks = false;   // ... and the report has those of that moment
  bool is_disabled = false;  // Skipped: not run, as its author chose
  bool is_good() const { return verdict == TestVerdict::Passed || verdict == TestVerdict::Skipped; }
};

}  // namespace skein::cli
