#include "cli/check/junit.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace skein::cli;

TEST_CASE("each verdict has its element") {
  const std::vector<TestResult> results = {
      {.name = "good", .outcome = {.verdict = TestVerdict::Passed, .seconds = 0.25}},
      {.name = "bad", .outcome = {.verdict = TestVerdict::Failed, .reason = "exit code 3"}},
      {.name = "hangs",
       .outcome = {.verdict = TestVerdict::TimedOut,
                   .reason = "it did not end within 1 s",
                   .report = "waits",
                   .output = "hello",
                   .place = {.file = "a.cc", .line = 7},
                   .seconds = 1}},
      {.name = "missing", .outcome = {.verdict = TestVerdict::NotRun, .reason = "no such file"}},
      {.name = "later", .outcome = {.verdict = TestVerdict::Skipped, .reason = "disabled"}}};
  const std::string text = junit_xml("all", results);
  const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
  CHECK(
      has("<testsuite name=\"all\" tests=\"5\" failures=\"2\" errors=\"1\" skipped=\"1\" "
          "time=\"1.250\">"));
  CHECK(has("<testcase classname=\"all\" name=\"good\" time=\"0.250\">\n    </testcase>"));
  CHECK(has("<failure type=\"failure\" message=\"exit code 3\"></failure>"));
  CHECK(has("file=\"a.cc\" line=\"7\""));
  CHECK(has("<failure type=\"timeout\" message=\"it did not end within 1 s\">waits</failure>"));
  CHECK(has("<system-out>hello</system-out>"));
  CHECK(has("<error type=\"not run\" message=\"no such file\"></error>"));
  CHECK(has("<skipped message=\"disabled\"/>"));
}

}  // namespace
