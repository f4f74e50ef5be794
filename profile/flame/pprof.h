// Writes a tree for pprof (github.com/google/pprof): profile.proto, compressed by gzip. By hand
// (base/protobuf.h), because the message has few fields.
#pragma once

#include <string>

#include "profile/flame/profile_unit.h"
#include "profile/flame/stack_tree.h"

namespace skein {

// Weights are rounded to integers; is_rounded() reports whether that changes one. `compares`: each
// stack has two values, before and after, of which pprof shows the latter. Empty: no memory.
std::string pprof_gzip(const StackTree& tree, const ProfileUnit& unit, const std::string& title,
                       bool compares);
bool is_rounded(const StackTree& tree);

// Without the compression.
std::string pprof_message(const StackTree& tree, const ProfileUnit& unit, const std::string& title,
                          bool compares);

}  // namespace skein
