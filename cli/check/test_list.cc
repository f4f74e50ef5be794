#include "cli/check/test_list.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/disk_files.h"
#include "trace/read/foreign/chrome/json.h"

extern char** environ;  // NOLINT: POSIX declares it in no header

namespace skein::cli {

namespace {

using chrome::Json;

struct Listing {
  std::string output = {};
  int status = -1;  // as of waitpid(); -1: it could not be run
};

// Runs a command that prints a list, with nothing on its standard input and its errors to ours, or
// nowhere.
Listing run_listing(const std::vector<std::string>& command, const std::string& folder,
                    bool shows_errors) {
  constexpr size_t most = size_t{256} << 20;
  Listing listing;
  int out[2];
  if (pipe2(out, O_CLOEXEC) != 0) return listing;
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  if (!shows_errors) posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  if (!folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t child = 0;
  const int error = posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  if (error == 0) {
    // A program that does not know the option runs its tests instead, and may wait for ever.
    using Clock = std::chrono::steady_clock;
    const Clock::time_point end = Clock::now() + std::chrono::seconds(30);
    char part[65536];
    for (;;) {
      pollfd ready = {.fd = out[0], .events = POLLIN, .revents = 0};
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
      const int count = poll(&ready, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
      if (count < 0 && errno == EINTR) continue;
      const ssize_t size = count > 0 ? read(out[0], part, sizeof part) : -1;
      if (size == 0) break;
      if (size > 0) listing.output.append(part, static_cast<size_t>(size));
      if (size > 0 && listing.output.size() < most) continue;
      kill(child, SIGKILL);
      break;
    }
    while (waitpid(child, &listing.status, 0) < 0 && errno == EINTR) {
    }
  }
  close(out[0]);
  return listing;
}

// ---- CTest ----

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
  }
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
        for_each_member(json, [&](const std::string& part) {
          if (part == "name")
            name = json.scalar().text;
          else if (part == "value")
            values = read_values(json);
          else
            json.skip();
        });
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

// ---- test cases of a program ----

Strings lines_of(std::string_view text) {
  Strings lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
  }
  return lines;
}

enum class Framework : uint8_t { GoogleTest, Catch2, Doctest };

// Looks for texts of the frameworks in the program's file, because a program runs all of its tests
// if it does not know the option that lists them. A script without these texts may start a program
// of GoogleTest.
Framework framework_of(const std::string& program) {
  std::string path = program;
  if (program.find('/') == std::string::npos) {
    const char* const variable = getenv("PATH");
    std::string_view folders = variable == nullptr ? "" : variable;
    while (!folders.empty()) {
      const size_t end = std::min(folders.find(':'), folders.size());
      const std::string candidate = std::string(folders.substr(0, end)) + "/" + program;
      folders.remove_prefix(std::min(end + 1, folders.size()));
      if (access(candidate.c_str(), X_OK) != 0) continue;
      path = candidate;
      break;
    }
  }
  DiskFiles files;
  if (files.type(path) != FileType::File) return Framework::GoogleTest;
  const Result<Contents> contents = files.open(path);
  if (!contents) return Framework::GoogleTest;
  const std::string_view bytes(reinterpret_cast<const char*>(contents->bytes().data()),  // NOLINT
                               contents->size());
  const auto has = [&](std::string_view text) {
    return bytes.find(text) != std::string_view::npos;
  };
  if (has("gtest_list_tests") || has("_ZN7testing8internal")) return Framework::GoogleTest;
  if (has("dt-list-test-cases")) return Framework::Doctest;
  if (has("list-test-names-only") || has("_ZN5Catch")) return Framework::Catch2;
  return Framework::GoogleTest;
}

bool has_exited(const Listing& listing) { return listing.status >= 0 && WIFEXITED(listing.status); }
bool has_succeeded(const Listing& listing) {
  return has_exited(listing) && WEXITSTATUS(listing.status) == 0;
}

Strings with(Strings command, std::initializer_list<const char*> more) {
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

std::vector<Test> tests_of(const Strings& names, const Strings& command, const std::string& before,
                           const std::string& escaped_characters) {
  std::vector<Test> tests;
  for (const std::string& name : names) {
    std::string pattern;
    for (const char c : name) {
      if (escaped_characters.find(c) != std::string::npos) pattern += '\\';
      pattern += c;
    }
    Test test{.name = name, .command = command};
    test.command.push_back(before + pattern);
    tests.push_back(std::move(test));
  }
  return tests;
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

std::vector<std::string> parse_gtest_list(std::string_view text) {
  Strings names;
  std::string suite;
  for (const std::string& line : lines_of(text)) {
    // "  Case/0  # GetParam() = 3", "Suite.  # TypeParam = int"
    const size_t comment = line.find("  # ", 1);
    const size_t end = std::min(comment, line.size());
    if (line.starts_with("  ")) {
      const std::string name = line.substr(2, end - 2);
      if (!suite.empty() && !name.empty()) names.push_back(suite + name);
    } else {
      const std::string name = line.substr(0, end);
      suite = name.ends_with('.') && name.find(' ') == std::string::npos ? name : "";
    }
  }
  return names;
}

bool is_disabled_in_gtest(std::string_view name) {
  // "DISABLED_Suite.Case", "Suite.DISABLED_Case", "Instance/DISABLED_Suite.Case/0"
  const auto begins = [](std::string_view part) {
    return part.starts_with("DISABLED_") || part.find("/DISABLED_") != part.npos;
  };
  const size_t dot = name.find('.');
  return begins(name.substr(0, dot)) || (dot != name.npos && begins(name.substr(dot + 1)));
}

std::vector<std::string> parse_catch_list(std::string_view text) {
  Strings names;
  for (std::string& line : lines_of(text)) {
    while (line.ends_with(' ')) line.pop_back();
    const size_t begin = line.find_first_not_of(' ');
    if (begin != std::string::npos) names.push_back(line.substr(begin));
  }
  return names;
}

std::vector<std::string> parse_doctest_list(std::string_view text) {
  Strings names;
  for (const std::string& line : lines_of(text))
    if (!line.empty() && !line.starts_with("[doctest]") &&
        line.find_first_not_of('=') != std::string::npos)
      names.push_back(line);
  return names;
}

// The value of a flag of GoogleTest: true unless it begins with one of "0fF".
bool is_set_in_gtest(std::string_view value) {
  return value.empty() || std::string_view("0fF").find(value[0]) == value.npos;
}

bool runs_disabled_gtest(const Strings& command) {
  constexpr std::string_view option = "--gtest_also_run_disabled_tests";
  const char* const variable = getenv("GTEST_ALSO_RUN_DISABLED_TESTS");
  bool runs = variable != nullptr && is_set_in_gtest(variable);
  for (const std::string_view word : command) {
    if (word == option) runs = true;
    if (word.starts_with(std::string(option) + "="))
      runs = is_set_in_gtest(word.substr(option.size() + 1));
  }
  return runs;
}

// GTEST_SKIP() leaves the exit code 0.
std::vector<Test> with_skips_of_gtest(std::vector<Test> tests, bool runs_disabled) {
  for (Test& test : tests) {
    test.is_disabled = !runs_disabled && is_disabled_in_gtest(test.name);
    std::string pattern = "\\[  SKIPPED \\] ";
    for (const char c : test.name) {
      if (std::string_view(".[]()*+?{}|^$\\").find(c) != std::string_view::npos) pattern += '\\';
      pattern += c;
    }
    test.skip_patterns.push_back(pattern + " \\(");
  }
  return tests;
}

Result<std::vector<Test>> case_tests(const Strings& command) {
  const std::string& program = command[0];
  const Framework framework = framework_of(program);
  const auto list = [&](std::initializer_list<const char*> options) {
    return run_listing(with(command, options), "", false);
  };
  if (framework == Framework::Doctest) {
    // With those that doctest::skip() disables, and without.
    const Listing all = list({"--list-test-cases", "--no-colors=true", "--no-skip=true"});
    const Listing listing = list({"--list-test-cases", "--no-colors=true"});
    if (has_succeeded(listing) && has_succeeded(all)) {
      const Strings run = parse_doctest_list(listing.output);
      const std::set<std::string> enabled(run.begin(), run.end());
      std::vector<Test> tests =
          tests_of(parse_doctest_list(all.output), command, "--test-case=", ",\\");
      for (Test& test : tests) test.is_disabled = !enabled.contains(test.name);
      return tests;
    }
  } else if (framework == Framework::Catch2) {
    // The option of version 3; version 2 prints a title with it, and its other option returns the
    // number of tests.
    const Listing listing = list({"--list-tests", "--verbosity", "quiet"});
    const bool is_3 = has_succeeded(listing) &&
                      listing.output.find("vailable test cases:") == std::string::npos &&
                      listing.output.find("atching test cases:") == std::string::npos;
    const Listing names = is_3 ? listing : list({"--list-test-names-only"});
    if (has_exited(names)) return tests_of(parse_catch_list(names.output), command, "", ",[]*\"\\");
  } else {
    const Listing listing = list({"--gtest_list_tests"});
    const Strings names = parse_gtest_list(listing.output);
    if (has_succeeded(listing) && !names.empty())
      return with_skips_of_gtest(tests_of(names, command, "--gtest_filter=", ""),
                                 runs_disabled_gtest(command));
  }
  return Error{.what = "it lists no test cases of GoogleTest, Catch2 or doctest",
               .file = program,
               .advice = "run it without --cases"};
}

}  // namespace skein::cli
