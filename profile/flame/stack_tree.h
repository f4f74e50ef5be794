// Stacks as one tree: what a flame graph shows. A node is a function in its place on the stack; its
// weight (samples, ns, bytes) is that of all stacks that pass through it.
//
//   StackTree tree = reader.tree({.least_share = 1e-4});
//   for (const StackTree::Node& node : tree.nodes) draw(node.depth, node.begin, node.weight);
//
// A tree has only nodes of a share that can be seen: of a million different stacks a picture shows
// some thousand boxes, and the rest need not be built.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skein {

struct StackTree {
  struct Node {
    uint32_t name = 0;    // of `names`
    uint32_t parent = 0;  // of `nodes`; the root's own is 0
    uint32_t depth = 0;   // 0: the root
    double begin = 0;     // the weight to the left of the node, in the whole tree
    double weight = 0;
    double self = 0;    // of stacks that end here
    double before = 0;  // the weight in the other profile, for a comparison
    double self_before = 0;
  };
  // The root, then level by level: a parent precedes its children. Siblings are ordered by name.
  // Those that are too narrow are missing, and leave a gap.
  std::vector<Node> nodes = {};
  std::vector<std::string> names = {};  // of the root: ""
  uint64_t hidden = 0;                  // nodes that are missing, without their descendants
};

}  // namespace skein
