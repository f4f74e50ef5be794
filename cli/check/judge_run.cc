#include "cli/check/judge_run.h"

#include <string.h>
#include <sys/wait.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/escape.h"
#include "base/text.h"
#include "cli/check/crash_catcher.h"
#include "cli/check/patterns.h"
#include "cli/signal_text.h"

namespace skein::cli {

namespace {

// The end of a file: what a test printed last.
std::string read_tail(const std::string& path) {
  constexpr std::streamoff most = 1 << 20;
  std::ifstream file(path, std::ios::binary);
  file.seekg(0, std::ios::end);
  const std::streamoff size = file.tellg();
  if (size <= 0) return "";
  file.seekg(std::max<std::streamoff>(size - most, 0));
  std::string text{std::istreambuf_iterator<char>(file), {}};
  return size > most ? "...\n" + text : text;
}

bool matches_any(const std::vector<std::string>& patterns, const std::string& text,
                 std::string& which) {
  const std::string* const match = find_match(patterns, text);
  if (match != nullptr) which = *match;
  return match != nullptr;
}

SourcePlace place_of(const RunEnd& end) {
  return {.file = end.file, .line = static_cast<uint32_t>(end.line)};
}

// _exit() in a test case ends the program as if all were well.
bool has_left_early(const Test& test, const std::string& output) {
  const auto has = [&](const std::string& text) { return output.find(text) != std::string::npos; };
  return !test.begin_text.empty() && has(test.begin_text) &&
         std::none_of(test.end_texts.begin(), test.end_texts.end(), has);
}

// What a case of GoogleTest gives to GTEST_SKIP(), which prints
//     queue_test.cc:12: Skipped
//     needs a network
//     (an empty line)
std::string skip_message(std::string_view output) {
  constexpr std::string_view mark = ": Skipped\n";
  const size_t at = output.find(mark);
  if (at == output.npos) return "";
  output.remove_prefix(at + mark.size());
  std::string message(output.substr(0, std::min(output.find("\n\n"), output.find("[  SKIPPED ]"))));
  while (!message.empty() && message.back() == '\n') message.pop_back();
  constexpr size_t most = 200;
  if (message.size() > most) message = message.substr(0, most) + "..";
  std::replace(message.begin(), message.end(), '\n', ' ');
  return message;
}

// The order of CTest: skipped, timeout, output, exit code.
void judge_status(const Test& test, int status, Outcome& outcome) {
  std::string which;
  if (WIFEXITED(status) && test.skip_code && WEXITSTATUS(status) == *test.skip_code) {
    outcome.verdict = TestVerdict::Skipped;
    outcome.reason = status_text(status);
    return;
  }
  if (matches_any(test.skip_patterns, outcome.output, which)) {
    outcome.verdict = TestVerdict::Skipped;
    const std::string message = test.begin_text.empty() ? "" : skip_message(outcome.output);
    outcome.reason =
        message.empty() ? "its output matches '" + escaped(which) + "'" : escaped(message);
    return;
  }
  bool is_good = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  outcome.reason = status_text(status);
  // With such patterns the exit code does not count, but a signal does.
  if (!test.pass_patterns.empty() && WIFEXITED(status)) {
    is_good = matches_any(test.pass_patterns, outcome.output, which);
    outcome.reason = is_good ? "its output matches '" + escaped(which) + "'"
                             : "its output does not match '" + escaped(test.pass_patterns[0]) + "'";
  }
  if (matches_any(test.fail_patterns, outcome.output, which)) {
    is_good = false;
    outcome.reason = "its output matches '" + escaped(which) + "'";
  }
  if (is_good && has_left_early(test, outcome.output)) {
    is_good = false;
    outcome.reason = "it ended the program in its middle, with " + status_text(status);
  }
  if (test.will_fail) {
    is_good = !is_good;
    if (!is_good) outcome.reason += ", and it was expected to fail";
  }
  outcome.verdict = is_good ? TestVerdict::Passed : TestVerdict::Failed;
}

}  // namespace

std::string status_text(int status) {
  if (!WIFSIGNALED(status)) return "exit code " + std::to_string(WEXITSTATUS(status));
  return "killed by " + signal_text(WTERMSIG(status));
}

SourcePlace place_of_failure(std::string_view output) {
  for (size_t at = 0; at < output.size();) {
    const std::string_view line = output.substr(at, output.find('\n', at) - at);
    at += line.size() + 1;
    for (const std::string_view kind : {": Failure", ": ERROR: ", ": FATAL ERROR: ", ": FAILED:"}) {
      const size_t end = line.find(kind);
      const size_t colon = end == line.npos ? line.npos : line.rfind(':', end - 1);
      if (end == 0 || colon == line.npos || colon == 0) continue;
      uint32_t number = 0;
      const auto [stop, error] = std::from_chars(line.data() + colon + 1, line.data() + end, number);
      if (error == std::errc{} && stop == line.data() + end)
        return {.file = std::string(line.substr(0, colon)), .line = number};
    }
  }
  return {};
}

Outcome judge_run(const TestRun& run, const RunEnd* end) {
  Outcome outcome;
  if (end == nullptr) {
    outcome.verdict = run.test.is_disabled ? TestVerdict::Skipped : TestVerdict::NotRun;
    outcome.is_disabled = run.test.is_disabled;
    outcome.reason = run.test.is_disabled        ? "disabled"
                     : run.test.obstacle.empty() ? "a test that it needs has failed"
                                                 : run.test.obstacle;
    return outcome;
  }
  outcome.seconds = static_cast<double>(end->ns) / 1e9;
  if (run.captures) outcome.output = read_tail(output_file(run.folder));
  switch (end->kind) {
    case RunEnd::Kind::Ended:
      judge_status(run.test, end->status, outcome);
      if (outcome.verdict != TestVerdict::Failed) break;
      outcome.place = place_of_failure(outcome.output);
      if (!WIFSIGNALED(end->status)) break;
      outcome.is_crash = is_crash(WTERMSIG(end->status));
      outcome.has_stacks = end->has_stacks;
      outcome.report = read_tail(report_file(run.folder));
      if (end->line != 0) outcome.place = place_of(*end);
      break;
    case RunEnd::Kind::TimedOut:
      outcome.verdict = TestVerdict::TimedOut;
      outcome.reason = "it did not end within " + duration_text(run.timeout);
      if (end->match < run.test.match_patterns.size())
        outcome.reason = "it did not end within " + duration_text(run.test.after_match) +
                         " after its output matched '" +
                         escaped(run.test.match_patterns[end->match]) + "'";
      outcome.report = read_tail(report_file(run.folder));
      outcome.place = place_of(*end);
      break;
    case RunEnd::Kind::NotStarted:
      outcome.verdict = TestVerdict::NotRun;
      outcome.reason = end->missing_file < run.test.required_files.size()
                           ? "its required file '" +
                                 escaped(run.test.required_files[end->missing_file]) +
                                 "' does not exist"
                       : run.test.command.empty()
                           ? "its program does not exist"
                           : escaped(end->not_folder ? run.test.folder : run.test.command[0]) +
                                 ": " + strerror(end->reason);
      break;
    case RunEnd::Kind::Interrupted:
      outcome.verdict = TestVerdict::Failed;
      outcome.reason = "interrupted";
      break;
    case RunEnd::Kind::Lost:
      outcome.verdict = TestVerdict::TimedOut;
      outcome.reason = "its guard ended: the explanation of a hang took too long, or it was killed";
      outcome.report = read_tail(report_file(run.folder));
      break;
  }
  return outcome;
}

}  // namespace skein::cli
