#include "cli/check/case_list.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "base/disk_files.h"
#include "cli/check/listing.h"

namespace skein::cli {

namespace {

using Strings = std::vector<std::string>;

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
