// What the counts of a profile mean for the user, a part of a sentence each.
#pragma once

#include <cstdint>
#include <string>

namespace skein {

// How to copy more of each stack than `bytes`.
std::string larger_copies_text(uint32_t bytes);

}  // namespace skein
