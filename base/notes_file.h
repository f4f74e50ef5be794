// The notes file: `net.ctf.skein-notes.json`, beside the trace. If the trace is a directory, the
// file is beside it and not in it, because the directory may belong to a running recorder, and
// readers treat every file in it as a stream.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace skein {

// Returns the path of a trace's notes file, or an empty string for standard input.
std::string notes_path(const std::string& trace);

// Returns an empty string if there is no such file.
Result<std::string> read_notes_file(const std::string& path);

}  // namespace skein
