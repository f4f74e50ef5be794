// Paths of names, and the tree of those that have weight. Of a million paths of which a picture shows
// some hundred frames, only these are made: the others cost no more than their weight.
//
//   NamePaths paths;
//   const NamePaths::Part inner = paths.add_part(names);    // the outermost name first
//   const uint32_t path = paths.add(outer, inner);           // numbers from 0
//   paths.complete();
//   StackTree tree = paths.tree(weights, 0.001);             // weights by path
//
// A path is two parts, which paths share: 16 bytes for each. The tree is found from the root on, by
// the names of the paths that pass a node. NameTree, which keeps all nodes, is for trees that are
// shown completely: of 20,000 stacks below 8 chains of tasks it has two million.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profile/flame/name_table.h"
#include "profile/flame/stack_tree.h"

namespace skein {

class NamePaths {
 public:
  struct Part {
    uint32_t first = 0;  // of parts_
    uint32_t count = 0;
  };

  uint32_t name(std::string_view text) { return names_.add(text); }
  Part add_part(std::span<const uint32_t> names) {
    const auto first = static_cast<uint32_t>(parts_.size());
    parts_.insert(parts_.end(), names.begin(), names.end());
    return {first, static_cast<uint32_t>(names.size())};
  }
  // Valid until the next add_part().
  std::span<const uint32_t> names_of(Part part) const {
    return std::span(parts_).subspan(part.first, part.count);
  }
  uint32_t add(Part outer, Part inner) {
    paths_.push_back({outer, inner});
    return static_cast<uint32_t>(paths_.size() - 1);
  }
  void complete();  // after the last name

  size_t size() const { return paths_.size(); }

  // Nodes level by level, siblings by name; those of a smaller share of the weight are omitted, and
  // so are those without weight. O(paths + names of the frames that are shown), each of these for
  // the paths that pass it. After complete().
  StackTree tree(const std::vector<double>& weights, double least_share) const;

  // By path: whether it begins with these names. After complete().
  std::vector<uint8_t> begin_with(std::span<const std::string> names) const;

 private:
  struct Path {
    Part outer;
    Part inner;
    uint32_t size() const { return outer.count + inner.count; }
  };
  uint32_t name_at(const Path& path, uint32_t depth) const {
    return depth < path.outer.count ? parts_[path.outer.first + depth]
                                    : parts_[path.inner.first + (depth - path.outer.count)];
  }

  NameTable names_;
  std::vector<uint32_t> ranks_;  // by name, in their order
  std::vector<uint32_t> parts_;
  std::vector<Path> paths_;
};

}  // namespace skein
