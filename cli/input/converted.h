// Converts a trace of another tool's format to skein's format, in memory, because the page reads
// only that.
#pragma once

#include <string>

#include "base/file.h"
#include "trace/read/trace.h"

namespace skein::cli {

// Adds the converted trace to `files`, as the directory `path`.
void add_converted(MemoryFiles& files, const std::string& path, const Trace& trace);

}  // namespace skein::cli
