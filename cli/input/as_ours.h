// A trace of another tool's format as the page's reader knows it: as a directory of ours, in
// memory.
#pragma once

#include <string>

#include "base/file.h"
#include "trace/read/trace.h"

namespace skein::cli {

// Adds the files of the directory `path`.
void add_as_ours(MemoryFiles& files, const std::string& path, const Trace& trace);

}  // namespace skein::cli
