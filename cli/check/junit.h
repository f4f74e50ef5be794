// The results of tests as JUnit's XML, which build servers read.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/check/test.h"

namespace skein::cli {

struct TestResult {
  std::string name = {};
  Outcome outcome = {};
};

// One suite with this name. A hang and a missed budget are failures; what did not run is an error.
std::string junit_xml(std::string_view suite, std::span<const TestResult> results);

}  // namespace skein::cli
