// The call stacks of threads as text, with escaped names, and as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/input/thread_stacks.h"
#include "report/json.h"

namespace skein::cli {

// A stack for each thread; threads with the same stack share one, below the first four of them and
// those in a deadlock of mutexes. The functions of the C library that begin a thread are left out.
std::string thread_stacks_text(const std::vector<ThreadStack>& stacks);

// How to get what the program's own functions in these stacks lack, names or lines: a paragraph
// after an empty line. Empty if the stacks show none, or one with a line, or if it is a program of
// the system, such as sleep(1).
std::string missing_lines_text(const std::vector<ThreadStack>& stacks);

// The end of a report: a title and the stacks. Nothing: they were not read.
std::string call_stacks_text(const std::optional<std::vector<ThreadStack>>& stacks);

// An array of objects, all functions included; null: they were not read.
Json call_stacks_json(const std::optional<std::vector<ThreadStack>>& stacks);

}  // namespace skein::cli
