// The trace that a process records, or that the process of a core recorded, by the `.tasks` in its
// mappings.
//
//   const RecordedTrace trace = trace_of(*core);
//   if (trace.is_here) print("skein why " + trace.directory);
#pragma once

#include <string>

#include "target/core_file.h"
#include "target/target.h"

namespace skein::cli {

struct RecordedTrace {
  std::string directory = {};  // as the process named it, or where it is here; empty: none
  bool is_here = false;        // it exists on this machine, and is of this process
  // False: it may be that of a process from which this one was forked.
  bool is_own = false;
  bool is_known = true;  // false: the names of mapped files are missing
};

// The newest one, if it has several. A process that was forked from one that records has the
// other's mapped: that is none, unless this is a core and its trace cannot be read.
RecordedTrace trace_of(const Target& target, bool is_core);
// The same of a core.
RecordedTrace trace_of(const CoreFile& core);

// The end of a sentence: "was recorded to server.skein, which is not here". Escaped.
std::string recording_text(const RecordedTrace& trace, bool is_core);

}  // namespace skein::cli
