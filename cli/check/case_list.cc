#include "cli/check/case_list.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <set>
#include <utility>

#include "base/disk_files.h"
#include "base/escape.h"
#include "cli/check/case_pattern.h"
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

// Each name once: a filter selects all test cases of that name.
Strings unique(Strings names) {
  std::set<std::string> seen;
  std::erase_if(names, [&](const std::string& name) { return !seen.insert(name).second; });
  return names;
}

Test test_of(const std::string& name, const Strings& command, const std::string& argument) {
  Test test{.name = name, .command = command};
  test.command.push_back(argument);
  return test;
}

std::string cannot_select(const std::string& framework, const std::string* other) {
  return "no filter of " + framework + " selects only this test case" +
         (other == nullptr ? "" : ": it selects '" + escaped(*other) + "', too");
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
      suite = name.ends_with('.') ? name : "";
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
    if (begin == std::string::npos) continue;
    line.erase(0, begin);
    if (line.size() > 2 && line.starts_with("\"#") && line.ends_with('"'))
      line = line.substr(1, line.size() - 2);
    names.push_back(line);
  }
  return names;
}

std::vector<std::string> parse_doctest_list(std::string_view text) {
  Strings names;
  bool is_list = false;  // between two lines of '='
  for (const std::string& line : lines_of(text)) {
    if (!line.empty() && line.find_first_not_of('=') == std::string::npos)
      is_list = !is_list;
    else if (is_list)
      names.push_back(line);
  }
  return names;
}

namespace {

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

// GTEST_SKIP() leaves the exit code 0, and so does a case that calls _exit(0). With --gtest_brief or
// another printer there is no text when a case begins.
std::vector<Test> with_skips_of_gtest(std::vector<Test> tests, bool runs_disabled) {
  for (Test& test : tests) {
    test.is_disabled = !runs_disabled && is_disabled_in_gtest(test.name);
    std::string pattern = "\\[  SKIPPED \\] ";
    for (const char c : test.name) {
      if (std::string_view(".[]()*+?{}|^$\\").find(c) != std::string_view::npos) pattern += '\\';
      pattern += c;
    }
    test.skip_patterns.push_back(pattern + " \\(");
    test.begin_text = "[ RUN      ] " + test.name + '\n';
    test.end_texts = {"[       OK ] " + test.name, "[  FAILED  ] " + test.name,
                      "[  SKIPPED ] " + test.name};
  }
  return tests;
}

// Lists the test cases that a command runs.
using ListSelected = std::function<Strings(const Strings& command)>;

std::vector<Test> tests_of_gtest(const Strings& names, const Strings& command,
                                 const ListSelected& list_selected) {
  std::vector<Test> tests;
  for (const std::string& name : names) {
    const std::string filter = glob_of(name, "*?:-");
    Test test = test_of(name, command, "--gtest_filter=" + filter);
    // What looks like the name of a suite may be another text.
    if (name.substr(0, name.find('.')).find(' ') != std::string::npos &&
        list_selected(test.command).empty())
      continue;
    const std::string* const other =
        filter == name ? nullptr : also_selected(filter, name, names, false);
    if (other != nullptr) test.obstacle = cannot_select("GoogleTest", other);
    tests.push_back(std::move(test));
  }
  return with_skips_of_gtest(std::move(tests), runs_disabled_gtest(command));
}

std::vector<Test> tests_of_doctest(const Strings& names, const Strings& enabled,
                                   const Strings& command) {
  const std::set<std::string> all_enabled(enabled.begin(), enabled.end());
  std::vector<Test> tests;
  for (const std::string& name : names) {
    const std::string filter = glob_of(name, ",\\*?");
    Test test = test_of(name, command, "--test-case=" + filter);
    if (name.empty()) {  // the only one that this does not exclude
      test.name = "(no name)";
      test.command.back() = "--test-case-exclude=?*";
    } else if (also_selected(filter, name, names, true) != nullptr) {
      test.command.emplace_back("--case-sensitive=true");
      if (const std::string* const other = also_selected(filter, name, names, false))
        test.obstacle = cannot_select("doctest", other);
    }
    test.is_disabled = !all_enabled.contains(name);
    tests.push_back(std::move(test));
  }
  return tests;
}

// Several patterns in one argument select what one of them selects; another argument restricts only
// the last of them.
bool has_several_patterns(const std::string& word) {
  return !word.starts_with('-') && word.find(',') != std::string::npos;
}

// The command that runs only this test case; else why there is none.
void find_command_of_catch(Test& test, const Strings& command, const Strings& names,
                           const ListSelected& list_selected) {
  Strings base = command;
  base.erase(std::remove_if(base.begin() + 1, base.end(), has_several_patterns), base.end());
  const bool is_restricted = base.size() != command.size();
  const Strings patterns = catch_patterns(test.name);
  test.command = command;
  test.command.push_back(patterns[0]);
  if (!is_restricted && is_plain_in_catch(test.name, names)) return;
  std::string other;
  std::vector<Strings> bases = {command};
  if (is_restricted) bases.insert(bases.begin(), base);
  for (const Strings& words : bases) {
    for (const std::string& pattern : patterns) {
      test.command = words;
      test.command.push_back(pattern);
      const Strings selected = unique(list_selected(test.command));
      if (selected == Strings{test.name}) return;
      for (const std::string& one : selected)
        if (one != test.name && other.empty()) other = one;
    }
  }
  test.obstacle = cannot_select("Catch2", other.empty() ? nullptr : &other);
}

}  // namespace

Result<std::vector<Test>> case_tests(const Strings& command) {
  const std::string& program = command[0];
  const Framework framework = framework_of(program);
  int error = 0;
  const auto list_of = [&](Strings words, const Strings& options) {
    words.insert(words.end(), options.begin(), options.end());
    Listing listing = run_listing(words, "", false);
    if (listing.error != 0) error = listing.error;
    return listing;
  };
  const auto list = [&](const Strings& options) { return list_of(command, options); };
  if (framework == Framework::Doctest) {
    // With those that doctest::skip() disables, and without.
    const Listing all = list({"--list-test-cases", "--no-colors=true", "--no-skip=true"});
    const Listing listing = list({"--list-test-cases", "--no-colors=true"});
    if (has_succeeded(listing) && has_succeeded(all) && !parse_doctest_list(all.output).empty())
      return tests_of_doctest(unique(parse_doctest_list(all.output)),
                              parse_doctest_list(listing.output), command);
  } else if (framework == Framework::Catch2) {
    // The option of version 3; version 2 prints a title with it, and its other option returns the
    // number of tests.
    Strings options = {"--list-tests", "--verbosity", "quiet"};
    Listing names = list(options);
    if (!has_succeeded(names) || names.output.find("vailable test cases:") != std::string::npos ||
        names.output.find("atching test cases:") != std::string::npos) {
      options = {"--list-test-names-only"};
      names = list(options);
    }
    const Strings all = unique(parse_catch_list(names.output));
    std::vector<Test> tests;
    for (const std::string& name : has_exited(names) ? all : Strings()) {
      tests.push_back({.name = name});
      find_command_of_catch(tests.back(), command, all, [&](const Strings& words) {
        return parse_catch_list(list_of(words, options).output);
      });
    }
    if (!tests.empty()) return tests;
  } else {
    const Listing listing = list({"--gtest_list_tests"});
    const Strings names = parse_gtest_list(listing.output);
    if (has_succeeded(listing) && !names.empty()) {
      std::vector<Test> tests = tests_of_gtest(names, command, [&](const Strings& words) {
        return parse_gtest_list(list_of(words, {"--gtest_list_tests"}).output);
      });
      if (!tests.empty()) return tests;
    }
  }
  if (error != 0)
    return Error{.what = std::string("it cannot be executed: ") + strerror(error),
                 .file = program,
                 .advice = "is the path of the program right?"};
  return Error{.what = "it lists no test cases of GoogleTest, Catch2 or doctest",
               .file = program,
               .advice = "run it without --cases"};
}

}  // namespace skein::cli
