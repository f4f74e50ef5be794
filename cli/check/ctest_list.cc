#include "cli/check/ctest_list.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/check/listing.h"
#include "trace/read/foreign/chrome/json.h"

namespace skein::cli {

namespace {

using chrome::Json;
using Strings = std::vector<std::string>;

// A string, a number, true or false; or an array of them. Returns what it finds.
Strings read_values(Json& json) {
  Strings values;
  if (json.peek() != '[') {
    const Json::Scalar one = json.scalar();
    if (one.type != Json::Scalar::Type::Nested) values.emplace_back(one.text);
    return values;
  }
  json.take('[');
  if (json.take(']')) return values;
  do {
    const Json::Scalar one = json.scalar();
    if (one.type != Json::Scalar::Type::Nested) values.emplace_back(one.text);
  } while (!json.failed() && json.take(','));
  json.expect(']');
  return values;
}

// Calls `use` with each key of an object; it must read the value.
template <typename Use>
void for_each_member(Json& json, const Use& use) {
  json.expect('{');
  if (json.failed() || json.take('}')) return;
  do {
    const std::string key(json.string());
    json.expect(':');
    if (json.failed()) return;
    use(key);
  } while (!json.failed() && json.take(','));
  json.expect('}');
}

template <typename Use>
void for_each_element(Json& json, const Use& use) {
  json.expect('[');
  if (json.failed() || json.take(']')) return;
  do use();
  while (!json.failed() && json.take(','));
  json.expect(']');
}

bool is_true(const std::string& value) {
  std::string lower;
  for (const char c : value) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return lower == "true" || lower == "on" || lower == "yes" || lower == "1";
}

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

void set_variable(Test& test, std::string_view assignment) {
  const size_t at = assignment.find('=');
  if (at == std::string_view::npos || at == 0) return;
  test.environment.emplace_back(assignment.substr(0, at), std::string(assignment.substr(at + 1)));
}

// "NAME=operation:value" of ENVIRONMENT_MODIFICATION; operations on the values set so far.
void modify_variable(Test& test, const std::string& text) {
  const size_t equals = text.find('=');
  const size_t colon = equals == std::string::npos ? equals : text.find(':', equals);
  if (colon == std::string::npos || equals == 0) return;
  const std::string name = text.substr(0, equals);
  const std::string operation = text.substr(equals + 1, colon - equals - 1);
  const std::string value = text.substr(colon + 1);
  const char* const inherited = getenv(name.c_str());
  std::string old = inherited == nullptr ? "" : inherited;
  for (const auto& [other, set] : test.environment)
    if (other == name) old = set ? *set : "";
  const auto joined = [&](char separator, bool is_before) {
    if (old.empty()) return value;
    return is_before ? value + separator + old : old + separator + value;
  };
  if (operation == "unset" || (operation == "reset" && inherited == nullptr))
    test.environment.emplace_back(name, std::nullopt);
  else if (operation == "reset")
    test.environment.emplace_back(name, inherited);
  else if (operation == "set")
    test.environment.emplace_back(name, value);
  else if (operation == "string_append")
    test.environment.emplace_back(name, old + value);
  else if (operation == "string_prepend")
    test.environment.emplace_back(name, value + old);
  else if (operation == "path_list_append")
    test.environment.emplace_back(name, joined(':', false));
  else if (operation == "path_list_prepend")
    test.environment.emplace_back(name, joined(':', true));
  else if (operation == "cmake_list_append")
    test.environment.emplace_back(name, joined(';', false));
  else if (operation == "cmake_list_prepend")
    test.environment.emplace_back(name, joined(';', true));
}

// Properties that do not change whether a test passes.
bool is_harmless(std::string_view property) {
  constexpr std::string_view names[] = {
      "ATTACHED_FILES",      "ATTACHED_FILES_ON_FAIL",     "COST",       "LABELS",
      "MEASUREMENT",         "PROCESSOR_AFFINITY",         "PROCESSORS", "_BACKTRACE_TRIPLES",
      "TIMEOUT_SIGNAL_NAME", "TIMEOUT_SIGNAL_GRACE_PERIOD"};
  return std::find(std::begin(names), std::end(names), property) != std::end(names);
}

struct Fixtures {
  Strings sets_up = {};
  Strings cleans_up = {};
  Strings requires_ = {};
};

void set_property(Test& test, Fixtures& fixtures, Strings& modifications, const std::string& name,
                  const Strings& values) {
  const std::string first = values.empty() ? "" : values[0];
  if (name == "WORKING_DIRECTORY") {
    test.folder = first;
  } else if (name == "ENVIRONMENT") {
    for (const std::string& value : values) set_variable(test, value);
  } else if (name == "ENVIRONMENT_MODIFICATION") {
    modifications = values;  // after ENVIRONMENT, in whatever order they are
  } else if (name == "TIMEOUT") {
    const std::optional<double> seconds = number_of(first);
    if (seconds && *seconds > 0 && *seconds < 1e9) test.timeout = *seconds * 1e9;
  } else if (name == "WILL_FAIL") {
    test.will_fail = is_true(first);
  } else if (name == "DISABLED") {
    test.is_disabled = is_true(first);
  } else if (name == "RUN_SERIAL") {
    test.is_alone = is_true(first);
  } else if (name == "SKIP_RETURN_CODE") {
    const std::optional<double> code = number_of(first);
    if (code && *code > 0 && *code < 256) test.skip_code = static_cast<int>(*code);
  } else if (name == "PASS_REGULAR_EXPRESSION") {
    test.pass_patterns = values;
  } else if (name == "FAIL_REGULAR_EXPRESSION") {
    test.fail_patterns = values;
  } else if (name == "SKIP_REGULAR_EXPRESSION") {
    test.skip_patterns = values;
  } else if (name == "RESOURCE_LOCK") {
    test.locks = values;
  } else if (name == "DEPENDS") {
    test.after = values;
  } else if (name == "FIXTURES_SETUP") {
    fixtures.sets_up = values;
  } else if (name == "FIXTURES_CLEANUP") {
    fixtures.cleans_up = values;
  } else if (name == "FIXTURES_REQUIRED") {
    fixtures.requires_ = values;
  } else if (name == "REQUIRED_FILES") {
    test.required_files = values;
  } else if (!is_harmless(name)) {
    test.unknown_properties.push_back(name);
  }
}

// {"timeout": 1.0, "regex": ["ready"]} of TIMEOUT_AFTER_MATCH.
void read_after_match(Json& json, Test& test) {
  for_each_member(json, [&](const std::string& key) {
    if (key == "regex") {
      test.match_patterns = read_values(json);
    } else if (key == "timeout") {
      const std::optional<double> seconds = number_of(std::string(json.scalar().text));
      if (seconds && *seconds >= 0 && *seconds < 1e9) test.after_match = *seconds * 1e9;
    } else {
      json.skip();
    }
  });
}

void read_ctest_test(Json& json, std::vector<Test>& tests, std::vector<Fixtures>& fixtures) {
  Test test;
  Fixtures own;
  Strings modifications;
  for_each_member(json, [&](const std::string& key) {
    if (key == "name") {
      test.name = json.scalar().text;
    } else if (key == "command") {
      test.command = read_values(json);
    } else if (key == "properties") {
      for_each_element(json, [&] {
        std::string name;
        Strings values;
        bool is_object = false;
        for_each_member(json, [&](const std::string& part) {
          if (part == "name") {
            name = json.scalar().text;
          } else if (part != "value") {
            json.skip();
          } else if (name == "TIMEOUT_AFTER_MATCH" && json.peek() == '{') {
            read_after_match(json, test);
            is_object = true;
          } else {
            values = read_values(json);
          }
        });
        if (is_object) return;
        set_property(test, own, modifications, name, values);
      });
    } else {
      json.skip();
    }
  });
  for (const std::string& one : modifications) modify_variable(test, one);
  tests.push_back(std::move(test));
  fixtures.push_back(std::move(own));
}

// A test runs after those that set its fixtures up, and before those that clean them up.
void order_by_fixtures(std::vector<Test>& tests, const std::vector<Fixtures>& fixtures) {
  std::map<std::string, Strings> sets_up;
  std::map<std::string, Strings> uses;
  for (size_t i = 0; i < tests.size(); i++) {
    for (const std::string& one : fixtures[i].sets_up) sets_up[one].push_back(tests[i].name);
    for (const std::string& one : fixtures[i].requires_) uses[one].push_back(tests[i].name);
  }
  const auto append = [](Strings& to, const Strings& names, const std::string& self) {
    for (const std::string& name : names)
      if (name != self) to.push_back(name);
  };
  for (size_t i = 0; i < tests.size(); i++) {
    for (const std::string& one : fixtures[i].requires_)
      append(tests[i].needs, sets_up[one], tests[i].name);
    for (const std::string& one : fixtures[i].cleans_up) {
      append(tests[i].after, uses[one], tests[i].name);
      append(tests[i].after, sets_up[one], tests[i].name);
    }
  }
}

}  // namespace

Result<std::vector<Test>> parse_ctest(std::string_view text) {
  Json json(text);
  std::vector<Test> tests;
  std::vector<Fixtures> fixtures;
  bool is_ctest = false;
  for_each_member(json, [&](const std::string& key) {
    if (key == "kind")
      is_ctest = json.scalar().text == "ctestInfo";
    else if (key == "tests")
      for_each_element(json, [&] { read_ctest_test(json, tests, fixtures); });
    else
      json.skip();
  });
  if (json.failed() || !is_ctest)
    return Error{.what = "not a list of CTest's tests", .offset = json.at()};
  order_by_fixtures(tests, fixtures);
  return tests;
}

Result<std::vector<Test>> ctest_tests(const std::string& folder, const Strings& options) {
  Strings command = {"ctest", "--show-only=json-v1"};
  command.insert(command.end(), options.begin(), options.end());
  const Listing listing = run_listing(command, folder, true);
  if (!has_succeeded(listing))
    return Error{.what = "ctest cannot list its tests",
                 .file = folder,
                 .advice = "is ctest installed, and the folder a build tree?"};
  Result<std::vector<Test>> tests = parse_ctest(listing.output);
  if (!tests) return Error{.what = "ctest printed " + tests.error().message(), .file = folder};
  return tests;
}

}  // namespace skein::cli
