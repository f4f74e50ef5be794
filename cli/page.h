// Traces as one page that needs nothing else: what `skein html` and `skein diff --html` write.
#pragma once

#include <string>
#include <vector>

namespace skein::cli {

struct Page {
  std::vector<std::string> traces;
  std::string output;         // a file, or - for standard output
  std::string title = {};     // empty: the traces' names
  bool together = false;      // they begin together, whatever their clocks say
  std::string critical = {};  // of this task the critical path is shown at first
  std::string links = {};     // by write_links (view/viewer/links.h)
};

// Says on stderr what was lost, and on stdout what it wrote. Ends with exit code 2 for what is no
// trace, 1 for a page that cannot be written.
void write_page(const Page& page);

}  // namespace skein::cli
