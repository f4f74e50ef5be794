// A file in the place of another, whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace skein {

// Writes `bytes` beside `path`, to the disk, and then renames: whoever reads it meanwhile sees the
// old file or the new one, and so does who comes after a crash. `mode`: its permissions, as
// chmod's, where the file system has any. On failure what was there stays, and nothing lies beside
// it. A symbolic link is replaced itself.
Result<void> replace_file(const std::string& path, std::string_view bytes, unsigned mode);
// The same with the permissions that the old file has; for a new one 0600.
Result<void> replace_file(const std::string& path, std::string_view bytes);

}  // namespace skein
