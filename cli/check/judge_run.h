// Whether a test has passed.
#pragma once

#include <string>
#include <string_view>

#include "cli/check/guarded_run.h"

namespace skein::cli {

// Of a run that has ended: its exit code or signal, its output and its report of a hang. `end`
// null: it did not run. Reads files in the run's folder.
Outcome judge_run(const TestRun& run, const RunEnd* end);

// Where a test has failed, from what GoogleTest, Catch2 ("a.cc:8: FAILED:") or doctest ("a.cc:8:
// ERROR: ..") printed: the first such place. Any bytes are allowed.
SourcePlace place_of_failure(std::string_view output);

// "killed by signal 11 (Segmentation fault)", "exit code 3"; of a status of waitpid().
std::string status_text(int status);

}  // namespace skein::cli
