// A tree of names under construction, for a StackTree (profile/flame/stack_tree.h).
//
//   NameTree tree;
//   tree.add(tree.child(NameTree::root, tree.name("main")), 5);
//   StackTree done = tree.build();
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/stable_sort.h"
#include "profile/flame/name_table.h"
#include "profile/flame/stack_tree.h"
#include "trace/ask/number_table.h"

namespace skein {

class NameTree {
 public:
  static constexpr uint32_t root = 0;
  NameTree() { nodes_.add({}); }

  uint32_t name(std::string_view text) { return names_.add(text); }
  uint32_t child(uint32_t node, uint32_t name) { return nodes_.add({node, name}); }
  void add(uint32_t node, double weight) {
    if (selves_.size() < nodes_.size()) selves_.resize(nodes_.size());
    selves_[node] += weight;
  }

  // Nodes level by level, siblings by name; those of a smaller share of the weight are omitted.
  StackTree build(double least_share = 0) {
    selves_.resize(nodes_.size());
    return build(least_share, selves_);
  }

 private:
  struct Key {
    uint32_t parent = root;
    uint32_t name = UINT32_MAX;
    bool operator==(const Key&) const = default;
    uint64_t hash() const { return hash_of(parent, name); }
  };

  // Sorts only the children of nodes that are wide enough: of a million nodes, some thousand.
  StackTree build(double least_share, const std::vector<double>& selves) const {
    const auto count = static_cast<uint32_t>(nodes_.size());
    std::vector<double> weights = selves;
    for (uint32_t i = count; i-- > 1;) weights[nodes_[i].parent] += weights[i];
    const double least = least_share * weights[0];
    std::vector<uint32_t> order;
    for (uint32_t i = 1; i < count; i++)
      if (const uint32_t parent = nodes_[i].parent; parent == root || weights[parent] >= least)
        order.push_back(i);
    // By name: those of a node are then in order, too.
    const std::vector<uint32_t> ranks = ranks_of_names();
    stable_sort_by(order, [&](uint32_t node) { return ranks[nodes_[node].name]; });
    stable_sort_by(order, [&](uint32_t node) { return nodes_[node].parent; });
    const auto first_of = [&](uint32_t parent) {
      return std::partition_point(order.begin(), order.end(),
                                  [&](uint32_t node) { return nodes_[node].parent < parent; });
    };
    StackTree tree;
    NameTable used;
    std::vector<uint32_t> origin = {root};
    tree.nodes.push_back({.weight = weights[0], .self = selves[0]});
    for (uint32_t at = 0; at < tree.nodes.size(); at++) {
      double begin = tree.nodes[at].begin + tree.nodes[at].self;
      for (auto next = first_of(origin[at]);
           next != order.end() && nodes_[*next].parent == origin[at]; ++next) {
        const uint32_t child = *next;
        if (weights[child] >= least) {
          origin.push_back(child);
          tree.nodes.push_back({.name = used.add(names_[nodes_[child].name]),
                                .parent = at,
                                .depth = tree.nodes[at].depth + 1,
                                .begin = begin,
                                .weight = weights[child],
                                .self = selves[child]});
        } else {
          tree.hidden++;
        }
        begin += weights[child];
      }
    }
    tree.names = used.take();
    return tree;
  }

  std::vector<uint32_t> ranks_of_names() const {
    std::vector<uint32_t> sorted(names_.size()), ranks(names_.size());
    for (uint32_t i = 0; i < sorted.size(); i++) sorted[i] = i;
    stable_sort(sorted, [&](uint32_t a, uint32_t b) { return names_[a] < names_[b]; });
    for (uint32_t i = 0; i < sorted.size(); i++) ranks[sorted[i]] = i;
    return ranks;
  }

  NameTable names_;
  NumberTable<Key> nodes_;      // [0]: the root; a parent precedes its children
  std::vector<double> selves_;  // by node
};

}  // namespace skein
