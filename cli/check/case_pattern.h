// What selects one test case on the command line of a test program.
//
//              argument                  means something there        escape
//   GoogleTest  --gtest_filter=PATTERN    * ? : -                      none
//   doctest     --test-case=PATTERN       * ? ,   case is ignored      \, and in some versions \\ .
//   Catch2      PATTERN                   see catch_patterns()         \ .
//
// So in the first two '?' stands for each such character. It may select other names, too.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skein::cli {

// The pattern of a name, with '?' for each of these characters.
std::string glob_of(std::string_view name, std::string_view special);

// Of these names, the first other one that the pattern selects; null: none. A pattern with '*'
// selects nothing here.
const std::string* also_selected(std::string_view pattern, std::string_view name,
                                 const std::vector<std::string>& names, bool ignores_case);

// Patterns of Catch2 that may select only this name: which one does depends on the version.
//
// In a pattern, ',' begins another one, [] is a tag, "" quotes a name, '~' and exclude: negate,
// and '*' at the ends is a wildcard; case and blanks around are ignored. A first '-' is an option.
std::vector<std::string> catch_patterns(std::string_view name);

// Whether the first of these patterns selects only this name for certain: not if it has special
// characters, or if other names differ only by their case.
bool is_plain_in_catch(std::string_view name, const std::vector<std::string>& names);

}  // namespace skein::cli
