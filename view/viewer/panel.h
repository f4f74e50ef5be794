// Lines of text about what is selected, with links.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/session/session.h"

namespace skein {

// A line of the panel; `link` is what click() takes, 0: none.
struct PanelLine {
  std::string name;   // "waits for"
  std::string value;  // "ring.write (#1205)"
  uint32_t link = 0;
  bool heading = false;  // of the lines that follow: value stands out, name need not be shown
};
struct Panel {
  std::string title;
  std::vector<PanelLine> lines;
};

// Where a link of the panel leads: a task, a time, a task at a time, or more lines of the panel
// itself.
struct PanelTarget {
  uint32_t track = 0;
  TaskIndex task = no_index;
  double time = no_time;
  bool more = false;
};

}  // namespace skein
