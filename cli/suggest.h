// What a mistyped word most likely means.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace skein::cli {

// The candidate nearest to `word` by insertions, deletions, replacements and swaps of neighbours:
// one that begins with `word` if it is the only one, else with at most a third of the letters
// wrong. Empty: none is similar.
std::string most_similar(std::string_view word, std::span<const std::string> candidates);

}  // namespace skein::cli
