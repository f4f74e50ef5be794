// A flame graph as a draw list, in the style of the other pictures: the outermost functions at the
// bottom, and the same hue for a name as everywhere.
//
//   const FlameLayout layout(tree, {.width = 600, .height = 220, .zoomed = node});
//   draw_flame(tree, layout, marks, list);
//   const uint32_t node = layout.node_at(tree, x, y);
//
//    +---------------------------------------+
//    | title                      (a choice) |   flame_title px; front ends have a widget there
//    |            hash                       |
//    |  parse     read                       |   rows of flame_row px
//    |  all                                  |
//    +---------------------------------------+
//
// The zoomed node has the whole width, above the nodes that contain it. A deep graph is scrolled.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "profile/flame/stack_tree.h"
#include "view/draw/draw_list.h"

namespace skein {

inline constexpr float flame_row = 17;
inline constexpr float flame_title = 20;
inline constexpr float flame_choice = 130;  // px at the right of the title
inline constexpr uint32_t no_node = UINT32_MAX;

struct FlameViewport {
  float width = 0;
  float height = 0;
  uint32_t zoomed = 0;  // of the nodes; 0: everything
  float scroll = 0;     // px by which the rows are moved down; limited by the layout
};

// Requires a parent to precede its children. O(nodes) to make and to find a node.
class FlameLayout {
 public:
  FlameLayout() = default;
  FlameLayout(const StackTree& tree, const FlameViewport& view);

  const FlameViewport& view() const { return view_; }  // with the scroll that is possible
  struct Box {
    float x = 0;
    float y = 0;
    float w = 0;  // 0: not in the picture
  };
  Box box(const StackTree& tree, uint32_t node) const;
  uint32_t node_at(const StackTree& tree, float x, float y) const;  // no_node: none
  // By how much to scroll more so that the node is in the picture.
  float beyond(const StackTree& tree, uint32_t node) const;

 private:
  FlameViewport view_;
  double begin_ = 0;  // of the zoomed node
  double end_ = 0;
  uint32_t depth_ = 0;
};

struct FlameMarks {
  std::string_view title = {};          // safe to display
  std::span<const uint8_t> found = {};  // by node: it matches a search
  uint32_t pointed = no_node;
  uint32_t chosen = no_node;
};

// A frame's name in a box: the most that fits of "shop::session (server.cc:78)",
// "session (server.cc:78)", "session" and a prefix of it.
std::string fit_frame_name(const std::string& name, float size, float width);

// The name that is shown: "parse" of "parse_[i]", an inlined function. The suffix is for folded
// text.
std::string_view shown_frame_name(std::string_view name);

// The part of a frame's name that decides on its hue: without the line of the await, and label.
std::string_view hue_name(std::string_view frame);

// Replaces the contents of the list. Names of the tree are made safe to display; the root is "all".
void draw_flame(const StackTree& tree, const FlameLayout& layout, const FlameMarks& marks,
                DrawList& list);

}  // namespace skein
