#include "trace/ask/name_paths.h"

#include <doctest/doctest.h>

#include <random>

#include "trace/ask/name_tree.h"

using namespace skein;

namespace {

void check_same_tree(const StackTree& a, const StackTree& b) {
  CHECK(a.names == b.names);
  CHECK(a.hidden == b.hidden);
  REQUIRE(a.nodes.size() == b.nodes.size());
  for (size_t i = 0; i < a.nodes.size(); i++) {
    CHECK(a.nodes[i].name == b.nodes[i].name);
    CHECK(a.nodes[i].parent == b.nodes[i].parent);
    CHECK(a.nodes[i].depth == b.nodes[i].depth);
    CHECK(a.nodes[i].begin == b.nodes[i].begin);
    CHECK(a.nodes[i].weight == b.nodes[i].weight);
    CHECK(a.nodes[i].self == b.nodes[i].self);
  }
}

}  // namespace

TEST_CASE("paths: the same tree as by adding each node") {
  std::mt19937 random(1);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  for (int round = 0; round < 60; round++) {
    NamePaths paths;
    NameTree nodes;
    std::vector<double> weights;
    for (uint32_t i = below(80); i-- > 0;) {
      weights.push_back(below(3) == 0 ? 0 : 1 + below(9));
      uint32_t node = NameTree::root;
      std::vector<uint32_t> parts[2];
      for (auto& part : parts)
        for (uint32_t length = below(4); length-- > 0;) {
          const std::string text(1, static_cast<char>('a' + below(3)));
          part.push_back(paths.name(text));
          if (weights.back() > 0) node = nodes.child(node, nodes.name(text));
        }
      const NamePaths::Part outer = paths.add_part(parts[0]);
      paths.add(outer, paths.add_part(parts[1]));
      if (weights.back() > 0) nodes.add(node, weights.back());
    }
    paths.complete();
    for (const double least_share : {0.0, 0.05, 0.3})
      check_same_tree(paths.tree(weights, least_share), nodes.build(least_share));
  }
}

TEST_CASE("paths: those that begin with given names") {
  NamePaths paths;
  const uint32_t a = paths.name("a"), b = paths.name("b");
  const auto part = [&](std::vector<uint32_t> names) { return paths.add_part(names); };
  const NamePaths::Part outer = part({a});
  paths.add(outer, part({b, a}));
  paths.add(part({}), part({a, b}));
  paths.add(outer, part({}));
  paths.complete();
  const auto begin_with = [&](std::vector<std::string> names) { return paths.begin_with(names); };
  CHECK(begin_with({"a"}) == std::vector<uint8_t>{1, 1, 1});
  CHECK(begin_with({"a", "b"}) == std::vector<uint8_t>{1, 1, 0});
  CHECK(begin_with({"a", "b", "a"}) == std::vector<uint8_t>{1, 0, 0});
  CHECK(begin_with({"b"}) == std::vector<uint8_t>{0, 0, 0});
  CHECK(begin_with({"c"}) == std::vector<uint8_t>{0, 0, 0});
}
