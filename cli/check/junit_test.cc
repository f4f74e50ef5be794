#include "cli/check/junit.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace skein::cli;

std::string xml(std::string_view text) {
  std::string out;
  append_xml(out, text);
  return out;
}

TEST_CASE("XML has no markup, control characters or invalid bytes of a test") {
  CHECK(xml("a < b && \"c\" > d") == "a &lt; b &amp;&amp; &quot;c&quot; &gt; d");
  CHECK(xml("one\ntwo\tthree") == "one\ntwo\tthree");
  CHECK(xml("\x1b[31mred") == "\\x1b[31mred");
  CHECK(xml(std::string_view("\0", 1)) == "\\x00");
  CHECK(xml("\xff\xfe") == "\\xff\\xfe");
  CHECK(xml("gr\xc3\xbc\xc3\x9f") == "gr\xc3\xbc\xc3\x9f");
  CHECK(xml("\xef\xbf\xbf") == "\\xef\\xbf\\xbf");
  CHECK(xml("\xc2\x85") == "\\xc2\\x85");
  CHECK(xml("]]>") == "]]&gt;");
}

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
