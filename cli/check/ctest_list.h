// Lists the tests of a CTest build tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/check/test.h"

namespace skein::cli {

// Runs `ctest --show-only=json-v1` with these options in `folder`. Fails with what ctest printed.
Result<std::vector<Test>> ctest_tests(const std::string& folder,
                                      const std::vector<std::string>& options);

// The tests in what that prints; any bytes are allowed. A test without a command, such as one whose
// program was not built, has none here either.
Result<std::vector<Test>> parse_ctest(std::string_view json);

}  // namespace skein::cli
