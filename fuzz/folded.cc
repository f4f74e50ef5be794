// Folded stacks, and what `skein flame` makes of them. The first byte selects options of the tree,
// the second one the output: all outputs in each run would take ten times longer. The rest is the
// text; longer ones than `most` have no other branches, but take longer.
#include "profile/flame/folded.h"

#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "profile/flame/folded_text.h"
#include "profile/flame/pprof.h"
#include "profile/flame/speedscope.h"
#include "profile/flame/svg.h"
#include "profile/flame/svg_script.h"

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

// Its branches are no coverage of the program, and take longer than making the text.
__attribute__((no_sanitize("coverage", "address", "undefined"))) void check_text(
    std::string_view text) {
  unsigned wrong = 0;
  for (const char *c = text.data(), *end = c + text.size(); c != end; c++)
    wrong |= static_cast<unsigned char>(*c) < 0x20 && *c != '\n';
  require(wrong == 0);
}

FoldedStacks read(std::string_view text) {
  FoldedStacks stacks;
  stacks.add({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  return stacks;
}

// The script behind the boxes is constant.
void check_svg(const std::string& svg) {
  static const std::string end =
      "<script><![CDATA[\n" + std::string(svg_script) + "]]></script>\n</svg>\n";
  require(svg.ends_with(end));
  const std::string_view boxes(svg.data(), svg.size() - end.size());
  check_text(boxes);
  require(boxes.find("<script") == boxes.npos);
}

// With bit 5 of `output` the text has attributes of names (--nameattr) as well.
FlameLook look_of(uint8_t choice, uint8_t output, bool compares, std::string_view text) {
  FlameLook look;
  look.palette = static_cast<Palette>(choice >> 3 & 15);
  look.icicle = (choice & 2) != 0;
  look.compares = compares;
  look.negate = (output & 8) != 0;
  if ((output & 16) != 0) look.unit = "ns";
  look.random = (output & 16) != 0;
  if ((output & 32) != 0)
    if (Result<NameAttributes> attributes = read_name_attributes(text))
      look.attributes = std::move(*attributes);
  return look;
}

// What was written once stays the same. Sums of decimals and large numbers may be rounded.
void check_folded(const StackTree& tree, bool merge) {
  const std::string folded = folded_text(tree, false);
  check_text(folded);
  if (is_rounded(tree) || tree.nodes[0].weight > 1e15) return;
  const auto again = [&](const std::string& lines) {
    const FoldedStacks stacks = read(lines);
    require(!stacks.compares());
    return folded_text(stacks.tree({.merge = merge}), false);
  };
  const std::string second = again(folded);
  require(again(second) == second);
}

}  // namespace

// Half of the time are allocations. By default 256 MB of freed memory pass through the caches, each
// allocation is filled, and its stack kept. ASAN_OPTIONS=malloc_context_size=30 shows more of it.
extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=1:thread_local_quarantine_size_kb=64:malloc_context_size=1:"
         "max_malloc_fill_size=8";
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t most = 160;
  if (size < 2 || size > most) return -1;
  const uint8_t choice = data[0], output = data[1];
  const std::span<const uint8_t> text(data + 2, size - 2);
  const std::string_view all(reinterpret_cast<const char*>(data) + 2, size - 2);
  FoldedStacks stacks;
  if (choice >> 7 != 0) stacks.add(text.first(text.size() / 2), FoldedStacks::Side::Before);
  stacks.add(text);
  const bool compares = stacks.compares(), merge = (choice & 4) == 0, narrow = (choice & 1) != 0;
  const StackTree tree =
      stacks.tree({.least_share = narrow ? 0.01 : 0, .reverse = (choice & 2) != 0, .merge = merge});
  check_tree(tree);
  switch (output & 7) {
    case 0:
      // Most runs draw small graphs only: a box takes as long as reading a line.
      if (tree.nodes.size() > 6 && output >> 5 != 0) break;
      check_svg(flame_svg(tree, look_of(choice, output, compares, all)));
      break;
    case 1:
      check_text(speedscope_json(tree, profile_unit("ns"), "title", compares));
      break;
    case 2:
      require(!pprof_message(tree, profile_unit("samples"), "title", compares).empty());
      break;
    case 4:  // three trees
      if (!compares && !narrow) check_folded(tree, merge);
      break;
    default:
      check_text(folded_text(tree, compares));
  }
  return 0;
}
