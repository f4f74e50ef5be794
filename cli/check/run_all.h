// Runs tests, several at once, each in a process of its own (guarded_run.h).
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "cli/check/guarded_run.h"

namespace skein::cli {

// Runs each of `runs` when those that its test names in `after` and `needs` have ended, at most
// `jobs` at a time. `ended` is called for each when it has ended, also for those that do not run:
// they have no end. It returns whether the test is good; tests that need one that is not do not
// run.
//
// Signals to this process go to the tests; those from its terminal, they have received. Returns 0,
// or the signal that ended the run early (SIGINT, SIGTERM, SIGHUP, SIGQUIT).
//
// The caller must have no other threads.
int run_all(const std::vector<TestRun>& runs, size_t jobs,
            const std::function<bool(size_t index, const RunEnd* end)>& ended);

}  // namespace skein::cli
