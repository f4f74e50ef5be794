// Suggests a correction for a mistyped word.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace skein::cli {

// Returns the only candidate that begins with `word`, which must have at least two letters; else
// the candidate with the smallest edit distance (insertions, deletions, replacements and swaps of
// neighbours), which is at most a third of the letters of `word`, or one. Empty if none is similar.
std::string most_similar(std::string_view word, std::span<const std::string> candidates);

}  // namespace skein::cli
