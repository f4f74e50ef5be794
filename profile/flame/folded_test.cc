#include "profile/flame/folded.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace skein;

namespace {

std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// "depth name begin weight self", a line each.
std::string boxes(std::string_view text, const TreeOptions& options = {}) {
  FoldedStacks stacks;
  stacks.add(bytes_of(text));
  const StackTree tree = stacks.tree(options);
  std::string out;
  const auto number = [](double value) { return std::to_string(static_cast<int64_t>(value)); };
  for (const StackTree::Node& node : tree.nodes)
    out += std::to_string(node.depth) + " " + tree.names[node.name] + " " + number(node.begin) +
           " " + number(node.weight) + " " + number(node.self) + "\n";
  return out;
}

// A second implementation, as flamegraph.pl does it: by paths.
struct Box {
  double weight = 0;
  double self = 0;
};
using Path = std::vector<std::string>;
std::map<Path, Box> by_path(const std::vector<std::pair<Path, int>>& stacks, bool reverse) {
  std::map<Path, Box> found;
  for (auto [path, count] : stacks) {
    if (reverse) std::reverse(path.begin(), path.end());
    found[{}].weight += count;
    for (size_t i = 1; i <= path.size(); i++)
      found[Path(path.begin(), path.begin() + static_cast<ptrdiff_t>(i))].weight += count;
    found[path].self += count;
  }
  return found;
}

// The paths of a tree; checks that children lie inside their parent and do not overlap.
std::map<Path, Box> paths_of(const StackTree& tree) {
  std::map<Path, Box> found;
  std::vector<Path> paths;
  std::vector<double> filled(tree.nodes.size());
  for (size_t i = 0; i < tree.nodes.size(); i++) {
    const StackTree::Node& node = tree.nodes[i];
    Path path;
    if (i != 0) {
      const StackTree::Node& parent = tree.nodes[node.parent];
      path = paths[node.parent];
      path.push_back(tree.names[node.name]);
      CHECK(node.depth == parent.depth + 1);
      CHECK(node.begin >= std::max(filled[node.parent], parent.begin));
      filled[node.parent] = node.begin + node.weight;
      CHECK(filled[node.parent] <= parent.begin + parent.weight);
    }
    found[path] = {node.weight, node.self};
    paths.push_back(path);
  }
  return found;
}

}  // namespace

TEST_CASE("stacks become one tree, with siblings in the order of their names") {
  CHECK(boxes("main;b;c 3\nmain;a 2\nmain;b 1\n") ==
        "0  0 6 0\n1 main 0 6 0\n2 a 0 2 2\n2 b 2 4 1\n3 c 3 3 3\n");
  // A name that continues another one does not divide it.
  CHECK(boxes("a;b 1\na(x);b 2\na 4\n") ==
        "0  0 7 0\n1 a 0 5 4\n1 a(x) 5 2 0\n2 b 4 1 1\n2 b 5 2 2\n");
}

TEST_CASE("what a line may look like") {
  CHECK(boxes("") == "0  0 0 0\n");
  CHECK(boxes("operator new(unsigned long) 2\r\n\n  \n") ==
        "0  0 2 0\n1 operator new(unsigned long) 0 2 2\n");
  CHECK(boxes("a 2.50\na 1.5") == "0  0 4 0\n1 a 0 4 4\n");
  CHECK(boxes("a;;b 1\na; 1\na;; 0") == "0  0 2 0\n1 a 0 2 1\n2  1 1 0\n3 b 1 1 1\n");
  FoldedStacks stacks;
  const auto report =
      stacks.add(bytes_of("a 1\n\n# a comment\n#ruby 0\nno count\n5\nb x 7a\na .5\na 1.2.3\na "
                          "9999999999999999999\nb 2\n"));
  CHECK(stacks.lines() == 3);
  CHECK(stacks.total() == 3);
  CHECK(report.ignored == 6);
  CHECK(report.first_ignored == 5);
  CHECK(report.why == "no count at the end");
  CHECK(stacks.add(bytes_of("5\n")).why == "no stack before the count");
  CHECK(stacks.add(bytes_of("a -5\n")).why == "the count is negative");
  CHECK(stacks.add(bytes_of("a 9999999999999999999\n")).why == "the count is greater than 10^18");
  CHECK(stacks.add(bytes_of("a 7\n")).ignored == 0);
  CHECK(!stacks.compares());
}

TEST_CASE("narrow nodes leave a gap") {
  const std::string text = "main;a 1\nmain;b;x 50\nmain;c 1\nmain;d 48\n";
  CHECK(boxes(text, {.least_share = 0.02}) ==
        "0  0 100 0\n1 main 0 100 0\n2 b 1 50 0\n2 d 52 48 48\n3 x 1 50 50\n");
}

TEST_CASE("from the innermost function, and without merging") {
  CHECK(boxes("a;b;c 1\nx;c 2\nc 4\n", {.reverse = true}) ==
        "0  0 7 0\n1 c 0 7 4\n2 b 4 1 0\n2 x 5 2 2\n3 a 4 1 1\n");
  CHECK(boxes("b;x 1\nb;y 1\na 3\nb 2\n", {.merge = false}) ==
        "0  0 7 0\n1 b 0 2 0\n1 a 2 3 3\n1 b 5 2 2\n2 x 0 1 1\n2 y 1 1 1\n");
}

TEST_CASE("two counts, and two texts, are compared") {
  FoldedStacks stacks;
  stacks.add(bytes_of("a;b 3 5\na 1 0\n"));
  CHECK(stacks.compares());
  StackTree tree = stacks.tree();
  REQUIRE(tree.nodes.size() == 3);
  CHECK(tree.nodes[1].weight == 5);
  CHECK(tree.nodes[1].before == 4);
  CHECK(tree.nodes[1].self == 0);
  CHECK(tree.nodes[1].self_before == 1);
  CHECK(tree.nodes[2].self_before == 3);

  FoldedStacks two;
  two.add(bytes_of("a 1\n"));
  two.add(bytes_of("b 2\n"), FoldedStacks::Side::Before);
  tree = two.tree();
  REQUIRE(tree.nodes.size() == 3);
  CHECK(tree.nodes[1].before == 0);
  CHECK(tree.nodes[2].weight == 0);
  CHECK(tree.nodes[2].before == 2);
}

TEST_CASE("a second count is one only if all lines have it") {
  FoldedStacks stacks;
  FoldedStacks::Report report =
      stacks.add(bytes_of("worker 1;f 5\nworker 2 7\nmain 1\nno count\nworker 3 0\n"));
  CHECK(report.with_two == 2);
  CHECK(report.first_with_two == 2);
  CHECK(!stacks.compares());
  CHECK(stacks.lines() == 4);
  CHECK(stacks.total() == 13);
  CHECK(stacks.tree().names.back() == "f");
  CHECK(stacks.tree().nodes[2].weight == 5);
  report = stacks.add(bytes_of("\na 1 2\nb 3 4\n"));
  CHECK(report.with_two == 2);
  CHECK(report.first_with_two == 2);
  CHECK(stacks.compares());
  CHECK(stacks.total() == 19);
  CHECK(stacks.total_before() == 4);
}

TEST_CASE("random stacks: the same boxes as another implementation finds") {
  std::mt19937 random(5);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const std::vector<std::string> names{"a", "ab", "a(b)", "b", "b::c<d, e>", "c", "f f"};
  for (int round = 0; round < 300; round++) {
    std::vector<std::pair<Path, int>> stacks;
    std::string text;
    Path path{"a"};
    for (unsigned line = below(40) + 1; line > 0; line--) {
      path.resize(1 + below(static_cast<unsigned>(path.size())));
      while (below(4) != 0) path.push_back(names[below(static_cast<unsigned>(names.size()))]);
      const int count = static_cast<int>(below(9));
      stacks.emplace_back(path, count);
      for (size_t i = 0; i < path.size(); i++) text += (i == 0 ? "" : ";") + path[i];
      text += " " + std::to_string(count) + "\n";
    }
    FoldedStacks folded;
    folded.add(bytes_of(text));
    for (const bool reverse : {false, true}) {
      std::map<Path, Box> expected = by_path(stacks, reverse);
      const double total = expected[{}].weight;
      for (const double share : {0.0, 0.1}) {
        std::map<Path, Box> found =
            paths_of(folded.tree({.least_share = share, .reverse = reverse}));
        size_t wide = 0;
        for (const auto& [where, box] : expected) {
          if (!where.empty() && (box.weight <= 0 || box.weight < total * share)) continue;
          wide++;
          REQUIRE(found.count(where) == 1);
          CHECK(found[where].weight == box.weight);
          CHECK(found[where].self == box.self);
        }
        CHECK(found.size() == wide);
      }
    }
  }
}
