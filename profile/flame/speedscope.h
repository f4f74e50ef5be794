// Writes a tree for speedscope (github.com/jlfwong/speedscope), in the format of its
// file-format-spec: https://www.speedscope.app/file-format-schema.json
#pragma once

#include <string>

#include "profile/flame/profile_unit.h"
#include "profile/flame/stack_tree.h"

namespace skein {

// `compares`: the file has two profiles, after and before.
std::string speedscope_json(const StackTree& tree, const ProfileUnit& unit,
                            const std::string& title, bool compares);

}  // namespace skein
