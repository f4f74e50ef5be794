#include "trace/ask/name_paths.h"

#include "base/stable_sort.h"

namespace skein {

void NamePaths::complete() {
  std::vector<uint32_t> sorted(names_.size());
  ranks_.resize(names_.size());
  for (uint32_t i = 0; i < sorted.size(); i++) sorted[i] = i;
  stable_sort(sorted, [&](uint32_t a, uint32_t b) { return names_[a] < names_[b]; });
  for (uint32_t i = 0; i < sorted.size(); i++) ranks_[sorted[i]] = i;
}

std::vector<uint8_t> NamePaths::begin_with(std::span<const std::string> names) const {
  std::vector<uint8_t> found(paths_.size());
  std::vector<uint32_t> wanted;
  for (const std::string& text : names) {
    uint32_t name = 0;
    while (name < names_.size() && names_[name] != text) name++;
    if (name == names_.size()) return found;
    wanted.push_back(name);
  }
  for (size_t i = 0; i < paths_.size(); i++) {
    uint32_t depth = 0;
    if (paths_[i].size() < wanted.size()) continue;
    while (depth < wanted.size() && name_at(paths_[i], depth) == wanted[depth]) depth++;
    found[i] = depth == wanted.size();
  }
  return found;
}

StackTree NamePaths::tree(const std::vector<double>& weights, double least_share) const {
  constexpr uint32_t none = UINT32_MAX;
  struct Range {  // of `order`: the paths that pass a node
    size_t first = 0;
    size_t last = 0;
  };
  struct Child {
    uint32_t name = 0;
    uint32_t rank = 0;
    double weight = 0;
    size_t paths = 0;
    size_t next = 0;  // where its next path goes
  };
  std::vector<uint32_t> order;
  double total = 0;
  for (uint32_t i = 0; i < paths_.size(); i++) {
    if (weights[i] <= 0) continue;
    order.push_back(i);
    total += weights[i];
  }
  const double least = least_share * total;
  std::vector<uint32_t> child_of(names_.size(), none);  // of the node that is divided
  std::vector<Child> children;
  std::vector<uint32_t> scattered;
  StackTree tree;
  NameTable used;
  tree.nodes.push_back({.weight = total});
  std::vector<Range> ranges = {{0, order.size()}};  // by node
  for (uint32_t at = 0; at < tree.nodes.size(); at++) {
    const Range range = ranges[at];
    const uint32_t depth = tree.nodes[at].depth;
    double self = 0;
    children.clear();
    for (size_t i = range.first; i < range.last; i++) {
      const Path& path = paths_[order[i]];
      const double weight = weights[order[i]];
      if (path.size() == depth) {
        self += weight;
        continue;
      }
      const uint32_t name = name_at(path, depth);
      uint32_t& number = child_of[name];
      if (number == none) {
        number = static_cast<uint32_t>(children.size());
        children.push_back({.name = name, .rank = ranks_[name]});
      }
      children[number].weight += weight;
      children[number].paths++;
    }
    tree.nodes[at].self = self;
    stable_sort(children, [](const Child& a, const Child& b) { return a.rank < b.rank; });
    double begin = tree.nodes[at].begin + self;
    size_t next = range.first;
    for (uint32_t i = 0; i < children.size(); i++) {
      Child& child = children[i];
      const bool is_shown = child.weight >= least;
      child_of[child.name] = is_shown ? i : none;
      if (is_shown) {
        ranges.push_back({next, next + child.paths});
        child.next = next;
        next += child.paths;
        tree.nodes.push_back({.name = used.add(names_[child.name]),
                              .parent = at,
                              .depth = depth + 1,
                              .begin = begin,
                              .weight = child.weight});
      } else {
        tree.hidden++;
      }
      begin += child.weight;
    }
    // The paths of each child that is shown are next to each other.
    if (children.size() > 1 || self > 0) {
      scattered.assign(order.begin() + static_cast<ptrdiff_t>(range.first),
                       order.begin() + static_cast<ptrdiff_t>(range.last));
      for (const uint32_t path : scattered) {
        if (paths_[path].size() == depth) continue;
        if (const uint32_t number = child_of[name_at(paths_[path], depth)]; number != none)
          order[children[number].next++] = path;
      }
    }
    for (const Child& child : children) child_of[child.name] = none;
  }
  tree.names = used.take();
  return tree;
}

}  // namespace skein
