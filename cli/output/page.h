// Traces as one page that needs nothing else: what `skein html` and `skein diff --html` write.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace/read/trace.h"

namespace skein::cli {

struct Page {
  std::vector<std::string> traces;
  std::string output;            // a file, or - for standard output
  std::string title = {};        // empty: the traces' names
  bool together = false;         // they begin together, whatever their clocks say
  std::string critical = {};     // of this task the critical path is shown at first
  std::string annotations = {};  // by write_annotations (view/viewer/annotations.h)
};

// Says on stderr what was lost, and on stdout what it wrote. Ends with exit code 2 for what is no
// trace, 1 for a page that cannot be written.
void write_page(const Page& page);

// For commands that draw what they also say in words: the traces are read again, and standard
// output has the words. Ends with exit code 2 if one of them is `-`.
void refuse_streams(std::span<const std::string> traces, const std::string& page);

// The number of the longest task that `text` means; nothing: the trace has none.
std::optional<TaskId> critical_task(const Trace& trace, const std::string& text);
[[noreturn]] void refuse_critical(const std::string& text);

}  // namespace skein::cli
