// Writes traces as one self-contained page, for `skein html` and the --html options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/input/profile_input.h"
#include "trace/read/trace.h"

namespace skein::cli {

struct Page {
  std::vector<std::string> traces;
  std::string output;            // a file, or - for standard output
  std::string title = {};        // empty: the traces' names
  bool align_by_start = false;   // align the traces by start, not by clock
  std::string critical = {};     // the page initially shows the critical path of this task
  std::string annotations = {};  // by write_annotations (view/viewer/annotations.h)
  std::vector<MadeTrace> made = {};  // instead of `traces`
};

// Reports losses on stderr, and the page's size on stdout unless the page goes there. Throws
// CommandError(2) if a trace cannot be read or the page cannot be written, and CommandError(1) if
// no task matches `critical`.
void write_page(Page page);

// For commands that print a report and also draw it: throws CommandError(2) if a trace or the page
// is `-`, because drawing reads the traces again and standard output has the report.
void reject_stdio(std::span<const std::string> traces, const std::string& page);

// Returns the id of the longest task that matches `text`, or none.
std::optional<TaskId> critical_task(const Trace& trace, const std::string& text);
// Throws CommandError(1): no task matches `text`.
[[noreturn]] void refuse_critical(const std::string& text);

}  // namespace skein::cli
