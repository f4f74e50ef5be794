// The file that a command writes: whole, or not at all.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace skein::cli {

// A trace is not written over by what is made of it: if `path` is one of `inputs`, by whatever
// name, or inside one, says so on stderr and throws CLI::RuntimeError(2).
void refuse_inputs(const std::string& path, std::span<const std::string> inputs);

// Writes `bytes` beside `path` and then gives them its name, so that a disk that is full leaves
// what was there; an existing file keeps its permissions. `-` is standard output; to what is no
// file (a pipe, a device) it writes at once. When it cannot, says why on stderr and throws
// CLI::RuntimeError(2).
void write_output(const std::string& path, std::string_view bytes);

}  // namespace skein::cli
