// `skein check`: runs tests, explains those that hang, and checks what the others cost.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/duration.h"
#include "base/escape.h"
#include "base/text.h"
#include "cli/check/case_list.h"
#include "cli/check/ctest_list.h"
#include "cli/check/github.h"
#include "cli/check/judge_run.h"
#include "cli/check/junit.h"
#include "cli/check/run_all.h"
#include "cli/check/trace_checks.h"
#include "cli/commands.h"
#include "cli/die.h"
#include "cli/output/output_file.h"
#include "cli/output/terminal.h"
#include "trace/ask/doctor/finding.h"

namespace skein::cli {

namespace {

namespace fs = std::filesystem;

constexpr int timeout_code = 124;  // of --launcher, as of timeout(1)

double parse_timeout(const std::string& option, const std::string& text) {
  const std::optional<double> time = parse_duration(text);
  if (!time || !(*time >= 1e6) || *time > 1e16)
    die(2, option + ": invalid duration '" + text + "' (examples: 30s, 1.5min, 500ms)");
  return *time;
}

TraceChecks parse_checks(const CheckOptions& options) {
  TraceChecks checks;
  for (const std::string& text : options.budgets) {
    Result<Budget> budget = parse_budget(text);
    if (!budget) die(2, "--budget '" + text + "': " + budget.error().message());
    checks.budgets.push_back(std::move(*budget));
  }
  for (const std::string& name : options.fail_on) {
    const std::optional<Lint> lint = find_lint(name);
    if (!lint) die(2, "--fail-on: unknown lint '" + name + "'; see skein doctor --list");
    checks.lints |= 1u << static_cast<unsigned>(*lint);
  }
  if (!checks.is_empty() && options.no_record)
    die(2, "--no-record: budgets and --fail-on need a trace; see skein check --help");
  return checks;
}

// A folder for what the runs leave: that of --keep, or one that is removed at the end.
class Evidence {
 public:
  explicit Evidence(const std::string& kept) {
    std::error_code error;
    if (!kept.empty()) {
      folder_ = fs::absolute(kept);
      fs::create_directories(folder_, error);
      if (error) die(2, kept + ": " + error.message() + "; choose another folder with --keep");
    } else {
      std::string pattern = (fs::temp_directory_path(error) / "skein-check-XXXXXX").string();
      if (mkdtemp(pattern.data()) == nullptr)
        die(2, pattern + ": " + strerror(errno) + "; set TMPDIR");
      folder_ = pattern;
      is_temporary_ = true;
    }
    if (folder_.string().find(',') != std::string::npos)
      die(2, folder_.string() + ": the folder of a trace cannot have a comma in it");
  }
  Evidence(const Evidence&) = delete;
  Evidence& operator=(const Evidence&) = delete;
  ~Evidence() {
    std::error_code error;
    if (is_temporary_) fs::remove_all(folder_, error);
  }

  // A new folder for a test of this name.
  std::string make(const std::string& name) const {
    constexpr size_t most = 100;
    std::string safe;
    for (const char c : name) {
      const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                            (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
      safe += is_plain ? c : '_';
      if (safe.size() == most) break;
    }
    if (safe.empty() || safe[0] == '.') safe.insert(0, "_");
    fs::path folder = folder_ / safe;
    std::error_code error;
    for (int i = 2; !fs::create_directory(folder, error); i++) {
      if (error) die(2, folder.string() + ": " + error.message());
      folder = folder_ / (safe + "." + std::to_string(i));
    }
    return folder.string();
  }

  bool is_kept() const { return !is_temporary_; }

 private:
  fs::path folder_;
  bool is_temporary_ = false;
};

std::vector<Test> find_tests(const CheckOptions& options) {
  if (!options.ctest.empty()) {
    Result<std::vector<Test>> tests = ctest_tests(options.ctest, options.command);
    if (!tests) die(2, tests.error().message());
    if (tests->empty()) die(2, options.ctest + ": ctest lists no tests");
    return std::move(*tests);
  }
  if (options.command.empty()) die(2, "missing COMMAND argument; see skein check --help");
  if (!options.cases) {
    Test test{.name = fs::path(options.command[0]).filename().string(), .command = options.command};
    return {std::move(test)};
  }
  Result<std::vector<Test>> tests = case_tests(options.command);
  if (!tests) die(2, tests.error().message());
  return std::move(*tests);
}

std::string_view word_of(TestVerdict verdict) {
  switch (verdict) {
    case TestVerdict::Passed:
      return "passed";
    case TestVerdict::Failed:
      return "FAILED";
    case TestVerdict::TimedOut:
      return "TIMEOUT";
    case TestVerdict::Skipped:
      return "skipped";
    case TestVerdict::NotRun:
      break;
  }
  return "NOT RUN";
}

std::string indented(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1);
    out += end == 0 ? "\n" : "    " + std::string(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  if (!out.empty() && !out.ends_with('\n')) out += '\n';
  return out;
}

// The output of a test, each line made harmless.
std::string safe_output(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    out += safe_text(text.substr(0, end), 4096) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

[[noreturn]] void end_by_signal(int signal) {
  fflush(nullptr);
  const rlimit no_core = {.rlim_cur = 0, .rlim_max = 0};  // the test has left its own
  setrlimit(RLIMIT_CORE, &no_core);
  ::signal(signal, SIG_DFL);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  raise(signal);
  _exit(128 + signal);
}

constexpr std::string_view stacks_advice =
    "--catch-crashes, or a core ('ulimit -c unlimited'), shows where";

bool lacks_stacks(const Outcome& outcome) { return outcome.is_crash && !outcome.has_stacks; }

// Once for each property.
void report_unknown_properties(const std::vector<Test>& tests) {
  std::map<std::string, std::vector<std::string>> tests_with;
  for (const Test& test : tests)
    for (const std::string& property : test.unknown_properties)
      tests_with[property].push_back(test.name);
  for (const auto& [property, names] : tests_with)
    report_message("test '" + names[0] + "'" +
                   (names.size() == 1
                        ? ""
                        : " and " + counted(names.size() - 1, "other test", "other tests")) +
                   ": skein does not know the property " + property +
                   "; the result may differ from that of ctest");
}

class Check {
 public:
  explicit Check(const CheckOptions& options)
      : options_(options),
        checks_(parse_checks(options)),
        is_single_(options.ctest.empty() && !options.cases),
        has_run_(checks_.budgets.size(), false) {
    const char* const actions = getenv("GITHUB_ACTIONS");
    is_github_ = options.github || (actions != nullptr && std::string_view(actions) == "true");
  }

  int run() {
    const double timeout = read_timeout();
    std::vector<Test> tests = find_tests(options_);
    report_unknown_properties(tests);
    const Evidence evidence(options_.keep);
    for (Test& test : tests) runs_.push_back(make_run(std::move(test), timeout, evidence));
    results_.resize(runs_.size());
    const int signal = run_all(runs_, options_.jobs, [&](size_t index, const RunEnd* end) {
      if (end != nullptr) last_ = *end;
      return finish_one(index, end, evidence);
    });
    if (signal == 0) require_functions();
    if (!options_.junit.empty()) write_junit();
    if (signal != 0 && !options_.launcher) {
      ending_signal_ = signal;
      return 128 + signal;
    }
    if (options_.launcher) return end_as_test();
    if (!is_single_) print_summary();
    return exit_code();
  }

  // The signal by which this process must end; 0: none.
  int ending_signal() const { return ending_signal_; }

 private:
  double read_timeout() const {
    // ctest kills tests without a TIMEOUT after 1500 s.
    const double initial = options_.launcher ? 1490e9 : 30e9;
    const char* const variable = options_.launcher ? getenv("SKEIN_CHECK_TIMEOUT") : nullptr;
    const double other =
        variable == nullptr ? 1e18 : parse_timeout("SKEIN_CHECK_TIMEOUT", variable);
    if (options_.timeout.empty()) return variable == nullptr ? initial : other;
    return std::min(parse_timeout("--timeout", options_.timeout), other);
  }

  TestRun make_run(Test test, double timeout, const Evidence& evidence) const {
    TestRun run{.test = std::move(test),
                .timeout = timeout,
                .folder = "",
                .is_temporary = !evidence.is_kept(),
                .captures = !is_single_,
                .trace = "",
                .catches_crashes = options_.catch_crashes};
    if (run.test.timeout)
      run.timeout =
          options_.timeout.empty() ? *run.test.timeout : std::min(*run.test.timeout, timeout);
    if (!options_.timeout.empty()) run.test.after_match = std::min(run.test.after_match, timeout);
    run.folder = evidence.make(run.test.name);
    // A test that chooses where it records itself is left alone.
    const bool is_set = getenv("SKEIN_TRACE") != nullptr;
    if (!options_.no_record && !(is_set && checks_.is_empty()))
      run.trace =
          trace_directory_of(run.folder) + (checks_.is_empty() ? ",mode=ring" : ",mode=log");
    return run;
  }

  bool finish_one(size_t index, const RunEnd* end, const Evidence& evidence) {
    const TestRun& run = runs_[index];
    results_[index] = {.name = run.test.name, .outcome = judge_run(run, end)};
    Outcome& outcome = results_[index].outcome;
    if (outcome.verdict == TestVerdict::Passed) check_its_trace(run, outcome);
    if (!outcome.is_good() && outcome.verdict != TestVerdict::NotRun && evidence.is_kept())
      outcome.report +=
          std::string(outcome.report.empty() ? "" : "\n") + "Kept: " + escaped(run.folder) + "\n";
    else {
      std::error_code error;
      fs::remove_all(run.folder, error);
    }
    finished_++;
    print_result(results_[index]);
    return outcome.is_good();
  }

  void check_its_trace(const TestRun& run, Outcome& outcome) {
    try {
      if (check_trace(checks_, trace_directory_of(run.folder), outcome, has_run_)) return;
      if (!is_single_) return;  // perhaps another test records
      outcome.verdict = TestVerdict::Failed;
      outcome.reason = "it recorded no trace: it is not linked with skein";
    } catch (const CommandError& error) {
      outcome.verdict = TestVerdict::Failed;
      outcome.reason = escaped(error.what());
    }
  }

  // A budget of a function that never ran is most likely misspelt.
  void require_functions() {
    for (size_t i = 0; i < has_run_.size(); i++) {
      if (has_run_[i]) continue;
      if (std::none_of(results_.begin(), results_.end(), [](const TestResult& result) {
            return result.outcome.verdict == TestVerdict::Passed;
          }))
        continue;  // those that failed may have run it
      const std::string message = "budget '" + checks_.budgets[i].text + "': no task '" +
                                  checks_.budgets[i].function + "' ran in any test that passed";
      is_budget_unused_ = true;
      report_message(message);
      if (is_github_) print_error({}, "skein check", message);
    }
  }

  void print_result(const TestResult& result) {
    const Outcome& outcome = result.outcome;
    if (is_single_) {
      if (!outcome.is_good() && !was_own_failure(outcome)) {
        report_message(result.name + ": " + outcome.reason +
                       (lacks_stacks(outcome) ? "; " + std::string(stacks_advice) : ""));
        fputs(outcome.report.c_str(), stderr);
      }
    } else {
      printf("%*zu/%zu %-7s %7.2f s  %s%s\n", static_cast<int>(std::to_string(runs_.size()).size()),
             finished_, runs_.size(), std::string(word_of(outcome.verdict)).c_str(),
             outcome.seconds, escaped(result.name).c_str(),
             outcome.verdict == TestVerdict::Passed ? "" : (": " + outcome.reason).c_str());
      if (!outcome.is_good())
        fputs(indented(outcome.report + (outcome.output.empty() ? "" : "\nIts output:\n") +
                       safe_output(outcome.output))
                  .c_str(),
              stdout);
      fflush(stdout);
    }
    if (is_github_ && !outcome.is_good())
      print_error(outcome.place, result.name, outcome.reason + "\n" + outcome.report);
  }

  // Its exit code is the message, as without skein.
  bool was_own_failure(const Outcome& outcome) const {
    return options_.launcher && outcome.verdict == TestVerdict::Failed && outcome.report.empty() &&
           last_.kind != RunEnd::Kind::Lost;
  }

  void print_error(const SourcePlace& place, const std::string& title,
                   const std::string& message) const {
    const char* const workspace = getenv("GITHUB_WORKSPACE");
    const std::string line =
        github_error(place, workspace == nullptr ? "" : workspace, title, message);
    // The test's last line may have no end.
    fputs(((is_single_ ? "\n" : "") + line).c_str(), stdout);
    fflush(stdout);
  }

  void write_junit() const {
    const std::string suite =
        is_single_ || options_.cases ? fs::path(options_.command[0]).filename().string() : "ctest";
    std::ofstream file(options_.junit, std::ios::binary);
    file << junit_xml(suite, results_);
    file.close();
    if (!file) die(2, options_.junit + ": cannot be written: " + strerror(errno));
  }

  void print_summary() const {
    size_t bad = 0;
    size_t skipped = 0;
    size_t disabled = 0;
    for (const TestResult& result : results_) {
      bad += !result.outcome.is_good();
      skipped += result.outcome.verdict == TestVerdict::Skipped;
      disabled += result.outcome.is_disabled;
    }
    printf("\n%s, %zu failed", counted(results_.size(), "test").c_str(), bad);
    if (skipped != 0) printf(", %zu skipped", skipped);
    if (disabled != 0) printf(" (%zu disabled)", disabled);
    printf(".\n");
    for (const TestResult& result : results_)
      if (!result.outcome.is_good())
        printf("  %-7s %s\n", std::string(word_of(result.outcome.verdict)).c_str(),
               escaped(result.name).c_str());
    if (std::any_of(results_.begin(), results_.end(),
                    [](const TestResult& result) { return lacks_stacks(result.outcome); }))
      printf("\nCrashes without call stacks: %s.\n", std::string(stacks_advice).c_str());
    fflush(stdout);
  }

  int exit_code() const {
    const bool is_good =
        !is_budget_unused_ && std::all_of(results_.begin(), results_.end(),
                                          [](const auto& one) { return one.outcome.is_good(); });
    if (is_good) return 0;
    return is_single_ && last_.kind == RunEnd::Kind::NotStarted ? 2 : 1;
  }

  // As if the test had been run without this program.
  int end_as_test() {
    if (last_.kind == RunEnd::Kind::Ended && WIFSIGNALED(last_.status)) {
      ending_signal_ = WTERMSIG(last_.status);
      return 128 + ending_signal_;
    }
    if (last_.kind == RunEnd::Kind::TimedOut || last_.kind == RunEnd::Kind::Lost)
      return timeout_code;
    if (last_.kind == RunEnd::Kind::NotStarted) return last_.reason == ENOENT ? 127 : 126;
    if (last_.kind == RunEnd::Kind::Interrupted) return 128 + SIGTERM;
    const int code = WEXITSTATUS(last_.status);
    return code != 0 ? code : exit_code();
  }

  const CheckOptions& options_;
  const TraceChecks checks_;
  const bool is_single_;
  bool is_github_ = false;
  std::vector<TestRun> runs_ = {};
  std::vector<TestResult> results_ = {};
  std::vector<bool> has_run_;
  bool is_budget_unused_ = false;
  size_t finished_ = 0;
  int ending_signal_ = 0;
  RunEnd last_ = {};
};

}  // namespace

int run_check(const CheckOptions& options) {
  Check check(options);
  const int code = check.run();
  if (check.ending_signal() != 0) end_by_signal(check.ending_signal());
  return code;
}

}  // namespace skein::cli
