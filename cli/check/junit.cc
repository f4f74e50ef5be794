#include "cli/check/junit.h"

#include <cstdio>

#include "base/escape.h"

namespace skein::cli {

namespace {

std::string attribute(std::string_view name, std::string_view value) {
  std::string out = " " + std::string(name) + "=\"";
  append_xml(out, value);
  return out + "\"";
}

std::string xml_seconds(double value) {
  char text[64];
  snprintf(text, sizeof text, "%.3f", value);
  return text;
}

void append_element(std::string& out, std::string_view name, std::string_view text) {
  if (text.empty()) return;
  out += "      <" + std::string(name) + ">";
  append_xml(out, text);
  out += "</" + std::string(name) + ">\n";
}

void append_case(std::string& out, std::string_view suite, const TestResult& result) {
  const Outcome& outcome = result.outcome;
  out += "    <testcase" + attribute("classname", suite) + attribute("name", result.name) +
         attribute("time", xml_seconds(outcome.seconds));
  if (outcome.place.line != 0)
    out += attribute("file", outcome.place.file) +
           attribute("line", std::to_string(outcome.place.line));
  out += ">\n";
  const auto append_problem = [&](const char* element, const char* type) {
    out += std::string("      <") + element + attribute("type", type) +
           attribute("message", outcome.reason) + ">";
    append_xml(out, outcome.report);
    out += std::string("</") + element + ">\n";
  };
  switch (outcome.verdict) {
    case TestVerdict::Passed:
      break;
    case TestVerdict::Failed:
      append_problem("failure", "failure");
      break;
    case TestVerdict::TimedOut:
      append_problem("failure", "timeout");
      break;
    case TestVerdict::NotRun:
      append_problem("error", "not run");
      break;
    case TestVerdict::Skipped:
      out += "      <skipped" + attribute("message", outcome.reason) + "/>\n";
      break;
  }
  append_element(out, "system-out", outcome.output);
  out += "    </testcase>\n";
}

}  // namespace

std::string junit_xml(std::string_view suite, std::span<const TestResult> results) {
  size_t failures = 0;
  size_t errors = 0;
  size_t skipped = 0;
  double time = 0;
  for (const TestResult& result : results) {
    const TestVerdict verdict = result.outcome.verdict;
    failures += verdict == TestVerdict::Failed || verdict == TestVerdict::TimedOut;
    errors += verdict == TestVerdict::NotRun;
    skipped += verdict == TestVerdict::Skipped;
    time += result.outcome.seconds;
  }
  const std::string counts = attribute("tests", std::to_string(results.size())) +
                             attribute("failures", std::to_string(failures)) +
                             attribute("errors", std::to_string(errors)) +
                             attribute("skipped", std::to_string(skipped)) +
                             attribute("time", xml_seconds(time));
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + counts +
                    ">\n  <testsuite" + attribute("name", suite) + counts + ">\n";
  for (const TestResult& result : results) append_case(out, suite, result);
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace skein::cli
