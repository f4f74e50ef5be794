// Converts a trace of another tool's format to skein's format, in memory, because the page reads
// only that.
#pragma once

#include <string>

#include "base/disk_files.h"
#include "trace/read/trace.h"

namespace skein::cli {

// Whether the page reads the files of this trace as they are: a directory of skein's, or a file
// that begins with a packet of mirage-profile. Of other files, such as a memory image that contains
// one, the page gets only the trace.
bool is_read_by_page(Files& files, const std::string& path, const Trace& trace);

// Reports on stderr the symbolic links in a trace directory: UnlinkedFiles does not open them.
void report_links(const std::string& path);

// Adds the converted trace to `files`, as the directory `path`.
void add_converted(MemoryFiles& files, const std::string& path, const Trace& trace);

}  // namespace skein::cli
