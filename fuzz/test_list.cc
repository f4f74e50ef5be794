// What ctest and test programs print when they list their tests: for `skein check`.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cli/check/case_list.h"
#include "cli/check/case_pattern.h"
#include "cli/check/ctest_list.h"

using namespace skein::cli;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto require = [](bool condition) {
    if (!condition) std::abort();
  };
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto tests = parse_ctest(text))
    for (const Test& test : *tests)
      require(!test.timeout || (*test.timeout > 0 && *test.timeout <= 1e18));
  for (const auto& names :
       {parse_gtest_list(text), parse_catch_list(text), parse_doctest_list(text)})
    for (const auto& name : names) {
      require(name.find('\n') == std::string::npos);
      require(glob_of(name, "*?:-").size() == name.size());
      for (const auto& pattern : catch_patterns(name))
        require(pattern.size() >= name.size() && !pattern.starts_with('-'));
    }
  for (const auto& name : parse_catch_list(text)) require(!name.empty());
  return 0;
}
