// The contents of a small file, such as one of /proc.
#pragma once

#include <string>

namespace skein {

// Empty: it cannot be read, or its process ended in the meantime, for which an iterator of the
// stream's buffer would throw.
std::string whole_text(const std::string& path);

}  // namespace skein
