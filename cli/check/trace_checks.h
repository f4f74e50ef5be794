// What `skein check` requires of a test's trace: budgets, and no findings of chosen lints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/check/budget.h"
#include "cli/check/test.h"
#include "trace/ask/waits.h"

namespace skein::cli {

struct TraceChecks {
  std::vector<Budget> budgets = {};
  uint32_t lints = 0;  // as in DoctorOptions; 0: none
  bool is_empty() const { return budgets.empty() && lints == 0; }
};

// The tasks of a function in a trace, what each cost. A task belongs to it if its label, name or
// function is `function`, or the function's last parts are: "run" and "Server::run" of
// "net::Server::run". The running time is that of the task itself, without the tasks that it
// awaits. Where the CPU time of its thread is known (CpuUse), it counts at most that. O(activations
// + waits + tasks).
std::vector<TaskCost> costs_of(const Subject& subject, std::string_view function);

// Sentences about the events that a trace lacks; empty: it has all of them.
std::string losses_text(const Trace& trace);

// Adds to the outcome of a test that has passed: fails it if its trace misses a budget, has a
// finding, or lacks the events to decide that. Sets has_run[i] if the function of budget i ran.
// A test without a trace stays as it is, and false is returned. Throws CommandError if the trace
// cannot be read.
bool check_trace(const TraceChecks& checks, const std::string& directory, Outcome& outcome,
                 std::vector<bool>& has_run);

}  // namespace skein::cli
