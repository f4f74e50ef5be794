// Lines of text about the selection, with links.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/session/session.h"

namespace skein {

// A line of the panel. `link` is the argument of click(); 0: none.
struct PanelLine {
  std::string name;   // "waits for"
  std::string value;  // "ring.write (#1205)"
  uint32_t link = 0;
  bool heading = false;  // of the following lines: value stands out, name may be hidden
};
struct Panel {
  std::string title;
  std::vector<PanelLine> lines;
};

// The destination of a link: a task, a time, a task at a time, or more lines of the panel itself.
struct PanelTarget {
  uint32_t track = 0;
  TaskIndex task = no_index;
  double time = no_time;
  bool more = false;
};

}  // namespace skein
