// Annotations of GitHub Actions: a line of a job's output that marks a line of a source file.
#pragma once

#include <string>
#include <string_view>

#include "cli/check/test.h"

namespace skein::cli {

// "::error file=src/a.cc,line=7,title=T::MESSAGE\n", with % , : and line breaks escaped as GitHub
// requires, so that no text of a test begins another command. `workspace`: the folder that the file
// is relative to; a file elsewhere is named by its whole path. Without a line: no file.
std::string github_error(const SourcePlace& place, std::string_view workspace,
                         std::string_view title, std::string_view message);

}  // namespace skein::cli
