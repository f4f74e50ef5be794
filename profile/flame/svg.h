// A flame graph as an SVG: a picture for every viewer, and in a browser one to work with: zoom by
// click, search with the matched share, function and share below the pointer.
//
//   std::string svg = flame_svg(stacks.tree({.least_share = least_share(look)}), look);
//
// The geometry follows flamegraph.pl (github.com/brendangregg/FlameGraph): one row a function, its
// width in proportion to its weight, siblings in the order of their names. Names come from outside
// and are escaped.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "profile/flame/name_attributes.h"
#include "profile/flame/palette.h"
#include "profile/flame/stack_tree.h"

namespace skein {

struct FlameLook {
  std::string title = "Flame graph";
  std::string subtitle = {};
  std::string notes = {};  // about the profile, in the file but not in the picture
  std::string unit = "samples";
  std::string name_type = {};  // before a name below the picture: "Function"
  std::string font = {};       // empty: monospaced
  double font_size = 11;       // px
  double letter = 0.6;         // a character's width, as a share of font_size: of monospaced fonts
  std::optional<Gradient> background = {};  // none: white
  Palette palette = Palette::Hot;
  // For Palette::Module: the library of a name, if that is known.
  std::map<std::string, std::string, std::less<>> libraries = {};
  NameAttributes attributes = {};  // of boxes by their names
  bool random = false;             // a shade for each box, not for each function
  double width = 1200;       // px, of the whole picture
  double row = 16;           // px, height
  double least_width = 0.1;  // px; narrower boxes are left out
  bool icicle = false;       // from the top down
  bool compares = false;     // colours show the change of a node itself, not with its children
  bool negate = false;       // blue for more, red for less: widths are of the profile before
};

inline constexpr double flame_margin = 10;  // px, left and right
// For TreeOptions: what gets a box.
inline double least_share(const FlameLook& look) {
  return look.least_width / (look.width - 2 * flame_margin);
}

// O(nodes). Has no time stamp and nothing random: the same input gives the same bytes.
std::string flame_svg(const StackTree& tree, const FlameLook& look);
// The same as a page, which a browser opens by its name.
std::string flame_html(const StackTree& tree, const FlameLook& look);

}  // namespace skein
