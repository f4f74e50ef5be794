// Where notes are kept, and how: beside the trace, `net.ctf.skein-notes.json`, for a directory
// beside it too, never in it: it may be a running recorder's, and every file in it is taken for a
// stream.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace skein {

// Empty for standard input, which has no place.
std::string notes_path(const std::string& trace);

// Empty: there are none.
Result<std::string> read_notes_file(const std::string& path);

}  // namespace skein
