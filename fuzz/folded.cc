// Folded stacks, and everything that `skein flame` makes of them. The first byte selects options.
#include "profile/flame/folded.h"

#include <cmath>
#include <cstdlib>
#include <string>

#include "profile/flame/folded_text.h"
#include "profile/flame/pprof.h"
#include "profile/flame/speedscope.h"
#include "profile/flame/svg.h"

using namespace skein;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_tree(const StackTree& tree) {
  require(!tree.nodes.empty() && tree.nodes[0].parent == 0);
  double self = 0;
  for (size_t i = 0; i < tree.nodes.size(); i++) {
    const StackTree::Node& node = tree.nodes[i];
    require(node.name < tree.names.size());
    require(node.parent <= i && std::isfinite(node.begin) && std::isfinite(node.weight));
    require(node.weight >= 0 && node.self >= 0);
    self += node.self;
    if (i == 0) continue;
    const StackTree::Node& parent = tree.nodes[node.parent];
    require(node.parent < i && node.depth == parent.depth + 1);
    const double slack = 1e-9 * tree.nodes[0].weight;
    require(node.begin >= parent.begin - slack);
    require(node.begin + node.weight <= parent.begin + parent.weight + slack);
  }
  const double all = tree.nodes[0].weight;
  require(tree.hidden != 0 || std::abs(self - all) <= 1e-9 * all);
}

void check_text(const std::string& text) {
  for (const char c : text) require(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const uint8_t choice = *data;
  const std::span<const uint8_t> text(data + 1, size - 1);
  FoldedStacks stacks;
  stacks.add(text.first(text.size() / 2 * (choice >> 7)), FoldedStacks::Side::Before);
  stacks.add(text);
  const bool compares = stacks.compares();
  const StackTree tree = stacks.tree({.least_share = choice & 1 ? 0.01 : 0,
                                      .reverse = (choice & 2) != 0,
                                      .merge = (choice & 4) == 0});
  check_tree(tree);
  FlameLook look;
  look.palette = static_cast<Palette>(choice >> 3 & 15);
  look.icicle = (choice & 2) != 0;
  look.compares = compares;
  const std::string svg = flame_svg(tree, look);
  check_text(svg);
  require(svg.find("<script") == svg.rfind("<script"));
  check_text(speedscope_json(tree, profile_unit("ns"), "title", compares));
  require(!pprof_message(tree, profile_unit("samples"), "title", compares).empty());
  const std::string folded = folded_text(tree, compares);
  check_text(folded);
  if (compares || (choice & 1) != 0) return 0;
  // What was written once stays the same. Sums of decimals and large numbers may be rounded.
  if (is_rounded(tree) || stacks.total() > 1e15) return 0;
  const auto again = [&](const std::string& lines) -> std::string {
    FoldedStacks read;
    read.add({reinterpret_cast<const uint8_t*>(lines.data()), lines.size()});
    require(!read.compares());
    return folded_text(read.tree({.merge = (choice & 4) == 0}), false);
  };
  const std::string second = again(folded);
  require(again(second) == second);
  return 0;
}
