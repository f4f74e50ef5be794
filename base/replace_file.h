// Atomic replacement of a file.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace skein {

// Writes `bytes` to a temporary file beside `path`, syncs it and renames it. A reader sees either
// the old or the new file, also after a crash. `mode` is the file's permissions (as for chmod), if
// the file system supports them. On failure the old file is unchanged and the temporary file is
// removed. A symbolic link is itself replaced.
Result<void> replace_file(const std::string& path, std::string_view bytes, unsigned mode);
// Keeps the permissions of the old file; a new file gets 0600.
Result<void> replace_file(const std::string& path, std::string_view bytes);

}  // namespace skein
