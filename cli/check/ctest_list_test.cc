#include "cli/check/ctest_list.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace skein;
using namespace skein::cli;
using Names = std::vector<std::string>;

std::string list_of(const std::string& tests) {
  return R"({"backtraceGraph": {"nodes": [{"file": 0}]}, "kind": "ctestInfo", "tests": [)" + tests +
         R"(], "version": {"major": 1, "minor": 0}})";
}

Test test_with(const std::string& properties) {
  Result<std::vector<Test>> tests = parse_ctest(list_of(
      R"({"name": "t", "command": ["/bin/a", "b c"], "properties": [)" + properties + "]}"));
  REQUIRE(tests);
  REQUIRE(tests->size() == 1);
  return (*tests)[0];
}

TEST_CASE("CTest's list has commands and properties") {
  const Test test = test_with(R"(
      {"name": "ENVIRONMENT", "value": ["A=1", "B=x=y"]},
      {"name": "WORKING_DIRECTORY", "value": "/tmp"}, {"name": "TIMEOUT", "value": 2.5},
      {"name": "WILL_FAIL", "value": true}, {"name": "SKIP_RETURN_CODE", "value": 77},
      {"name": "PASS_REGULAR_EXPRESSION", "value": ["ok", "fine"]}, {"name": "LABELS", "value": ["x"]},
      {"name": "RUN_SERIAL", "value": true}, {"name": "RESOURCE_LOCK", "value": ["db"]})");
  CHECK(test.name == "t");
  CHECK(test.command == Names{"/bin/a", "b c"});
  CHECK(test.folder == "/tmp");
  REQUIRE(test.environment.size() == 2);
  CHECK(test.environment[1].first == "B");
  CHECK(test.environment[1].second == "x=y");
  CHECK(test.timeout == 2.5e9);
  CHECK(test.will_fail);
  CHECK(test.skip_code == 77);
  CHECK(test.pass_patterns == Names{"ok", "fine"});
  CHECK(test.is_alone);
  CHECK(test.locks == Names{"db"});
}

TEST_CASE("the environment is modified after it is set") {
  const Test test = test_with(R"(
      {"name": "ENVIRONMENT_MODIFICATION", "value":
          ["P=path_list_prepend:/new", "P=path_list_append:/last", "Q=unset:", "R=set:1:2",
           "bad", "=set:x", "S=unknown:x"]},
      {"name": "ENVIRONMENT", "value": ["P=/old"]})");
  REQUIRE(test.environment.size() == 5);
  CHECK(test.environment[1].second == "/new:/old");
  CHECK(test.environment[2].second == "/new:/old:/last");
  CHECK(test.environment[3].first == "Q");
  CHECK_FALSE(test.environment[3].second);
  CHECK(test.environment[4].second == "1:2");
}

TEST_CASE("fixtures order tests") {
  const Result<std::vector<Test>> tests = parse_ctest(list_of(R"(
      {"name": "stop", "properties": [{"name": "FIXTURES_CLEANUP", "value": ["server"]}]},
      {"name": "use", "properties": [{"name": "FIXTURES_REQUIRED", "value": ["server"]},
                                     {"name": "DEPENDS", "value": ["other"]}]},
      {"name": "start", "properties": [{"name": "FIXTURES_SETUP", "value": ["server"]}]})"));
  REQUIRE(tests);
  CHECK((*tests)[0].after == Names{"use", "start"});
  CHECK((*tests)[1].needs == Names{"start"});
  CHECK((*tests)[1].after == Names{"other"});
  CHECK((*tests)[2].needs.empty());
  CHECK((*tests)[0].command.empty());
}

TEST_CASE("another text than CTest's list is rejected") {
  for (const char* text : {"", "{", "[]", "{}", R"({"kind": "other", "tests": []})",
                           R"({"kind": "ctestInfo", "tests": [{"name": "t")", "\xff"})
    CHECK_FALSE(parse_ctest(text));
  CHECK(parse_ctest(list_of("")));
}

TEST_CASE("a test needs files, and has another timeout after a match") {
  const Test test = test_with(R"(
      {"name": "REQUIRED_FILES", "value": ["a", "/b c"]},
      {"name": "TIMEOUT_AFTER_MATCH", "value": {"regex": ["ready", "up"], "timeout": 1.5}},
      {"name": "COST", "value": 10.0}, {"name": "PROCESSORS", "value": 2})");
  CHECK(test.required_files == Names{"a", "/b c"});
  CHECK(test.match_patterns == Names{"ready", "up"});
  CHECK(test.after_match == 1.5e9);
  CHECK(test.unknown_properties.empty());
}

TEST_CASE("properties that may change the verdict are not ignored silently") {
  const Test test = test_with(R"(
      {"name": "RESOURCE_GROUPS", "value": [{"requirements": []}]},
      {"name": "TIMEOUT_AFTER_MATCH", "value": "unexpected"}, {"name": "NEW", "value": true})");
  CHECK(test.unknown_properties == Names{"RESOURCE_GROUPS", "TIMEOUT_AFTER_MATCH", "NEW"});
}

}  // namespace
