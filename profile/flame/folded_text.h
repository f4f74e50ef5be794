// Writes a tree as folded text (folded.h), which the programs of FlameGraph and others read.
#pragma once

#include <string>

#include "profile/flame/stack_tree.h"

namespace skein {

// A line for each stack, sorted as the tree is. `compares`: two counts, before and after. Control
// characters and bytes that are not UTF-8 become \x1b, so that the text is safe in a terminal.
std::string folded_text(const StackTree& tree, bool compares);

}  // namespace skein
