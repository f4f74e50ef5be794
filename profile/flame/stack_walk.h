// The stacks of a tree: for formats that have one entry for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "profile/flame/stack_tree.h"

namespace skein {

// Calls visit(node, names) for each node at which stacks end, depth first and siblings in their
// order. `names`: of `tree.names`, from the outermost function, without the root's. O(nodes).
template <class Visit>
void for_each_stack(const StackTree& tree, Visit visit) {
  const size_t count = tree.nodes.size();
  // Nodes are in the order of their parents: the children of one are neighbours.
  std::vector<uint32_t> first(count + 1, 0), last(count + 1, 0);
  for (uint32_t i = 1; i < count; i++) {
    const uint32_t parent = tree.nodes[i].parent;
    if (last[parent] == 0) first[parent] = i;
    last[parent] = i + 1;
  }
  std::vector<uint32_t> names;
  std::vector<uint32_t> open;  // reversed, so that the next one is at the end
  if (count != 0) open.push_back(0);
  while (!open.empty()) {
    const uint32_t index = open.back();
    open.pop_back();
    const StackTree::Node& node = tree.nodes[index];
    if (index != 0) {
      names.resize(node.depth - 1);
      names.push_back(node.name);
    }
    if (node.self > 0 || node.self_before > 0) visit(node, std::span<const uint32_t>(names));
    for (uint32_t child = last[index]; child > first[index]; child--) open.push_back(child - 1);
  }
}

}  // namespace skein
