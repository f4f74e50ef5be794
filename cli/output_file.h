// The file that a command writes: whole, or not at all.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace skein::cli {

// Writes `bytes` beside `path` and then gives them its name, so that a disk that is full leaves
// what was there; an existing file keeps its permissions. `-` is standard output; to what is no
// file (a pipe, a device) it writes at once. Does not replace one of `inputs`, nor write into a
// trace: then, and when it cannot write, says why on stderr and throws CLI::RuntimeError(2).
void write_output(const std::string& path, std::string_view bytes,
                  std::span<const std::string> inputs);

}  // namespace skein::cli
