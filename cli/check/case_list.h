// Lists the test cases of a test program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/check/test.h"

namespace skein::cli {

// The test cases of a program that uses GoogleTest, Catch2 or doctest, each with the command that
// runs only that case. Runs the program with the options that list them. Fails if it uses none of
// these.
Result<std::vector<Test>> case_tests(const std::vector<std::string>& command);

// The names in what the programs print. GoogleTest: "Suite.Case", also of disabled ones.
std::vector<std::string> parse_gtest_list(std::string_view text);
// Whether GoogleTest runs this one only with --gtest_also_run_disabled_tests.
bool is_disabled_in_gtest(std::string_view name);
// Catch2 2 and 3, with --list-test-names-only or --list-tests --verbosity quiet: a name in a line.
std::vector<std::string> parse_catch_list(std::string_view text);
// doctest, with --list-test-cases.
std::vector<std::string> parse_doctest_list(std::string_view text);

}  // namespace skein::cli
