#include "view/draw/flame.h"

#include <algorithm>
#include <utility>

#include "base/function_name.h"
#include "base/text.h"
#include "view/draw/painter.h"
#include "view/draw/text.h"

namespace skein {

namespace {

constexpr float least_frame_width = 0.4f;  // px: narrower boxes are not drawn
constexpr float frame_gap = 1;             // between boxes
constexpr uint8_t frame_text_size = 11;
constexpr float frame_margin = 4;
constexpr uint8_t frame_fade = 90;  // the boxes that contain the zoomed one

void draw_outline(Painter& painter, Ink ink, const FlameLayout::Box& box) {
  const double right = box.x + box.w - frame_gap, bottom = box.y + flame_row - frame_gap;
  painter.line(ink, box.x, box.y, right, box.y);
  painter.line(ink, box.x, bottom, right, bottom);
  painter.line(ink, box.x, box.y, box.x, bottom);
  painter.line(ink, right, box.y, right, bottom);
}

}  // namespace

FlameLayout::FlameLayout(const StackTree& tree, const FlameViewport& view) : view_(view) {
  if (tree.nodes.empty()) return;
  if (view_.zoomed >= tree.nodes.size()) view_.zoomed = 0;
  const StackTree::Node& zoomed = tree.nodes[view_.zoomed];
  begin_ = zoomed.begin;
  end_ = zoomed.begin + zoomed.weight;
  depth_ = zoomed.depth;
  uint32_t rows = 0;
  for (const StackTree::Node& node : tree.nodes)
    if (node.begin < end_ && node.begin + node.weight > begin_)
      rows = std::max(rows, node.depth + 1);
  const float beyond = static_cast<float>(rows) * flame_row - (view.height - flame_title);
  view_.scroll = std::clamp(view.scroll, 0.0f, std::max(0.0f, beyond));
}

FlameLayout::Box FlameLayout::box(const StackTree& tree, uint32_t node) const {
  const StackTree::Node& of = tree.nodes[node];
  const double from = std::max(of.begin, begin_), to = std::min(of.begin + of.weight, end_);
  if (!(from < to)) return {};
  const double scale = static_cast<double>(view_.width) / (end_ - begin_);
  return {.x = static_cast<float>((from - begin_) * scale),
          .y = view_.height - static_cast<float>(of.depth + 1) * flame_row + view_.scroll,
          .w = static_cast<float>((to - from) * scale)};
}

uint32_t FlameLayout::node_at(const StackTree& tree, float x, float y) const {
  if (y < flame_title || y >= view_.height) return no_node;
  for (uint32_t i = 0; i < tree.nodes.size(); i++) {
    const Box at = box(tree, i);
    if (at.w < least_frame_width || y < at.y || y >= at.y + flame_row) continue;
    if (x >= at.x && x < at.x + std::max(at.w, 1.0f)) return i;
  }
  return no_node;
}

float FlameLayout::beyond(const StackTree& tree, uint32_t node) const {
  const float y = box(tree, node).y;
  if (y < flame_title) return flame_title - y;
  return std::min(0.0f, view_.height - flame_row - y);
}

std::string_view shown_frame_name(std::string_view name) {
  return annotation_of(name) == 'i' ? without_annotation(name) : name;
}

std::string_view hue_name(std::string_view frame) {
  const size_t end = std::min(frame.find(" ("), frame.find(" ["));
  return frame.substr(0, end == 0 ? frame.npos : end);
}

std::string fit_frame_name(const std::string& name, float size, float width) {
  if (text_width(name, size) <= width) return name;
  const std::string_view function = hue_name(name);
  const size_t scope = function.rfind("::");
  // Of others, what is last is no name: "main::<lambda>", "f<a::b>".
  const bool has_scope = scope != function.npos && function.find_first_of("<(") == function.npos;
  const size_t begin = has_scope ? scope + 2 : 0;
  const std::string with_line = name.substr(begin);
  if (text_width(with_line, size) <= width) return with_line;
  return fit_text(function.substr(begin), size, width);
}

void draw_flame(const StackTree& tree, const FlameLayout& layout, const FlameMarks& marks,
                DrawList& list) {
  const FlameViewport& view = layout.view();
  list.width = view.width;
  list.height = view.height;
  list.primitives.clear();
  list.texts.assign(1, '\0');
  Painter painter(list);
  painter.fill(Ink::Background, 0, 0, view.width, view.height);
  const uint32_t depth = tree.nodes.empty() ? 0 : tree.nodes[view.zoomed].depth;
  const auto draw_box = [&](uint32_t i) {
    const StackTree::Node& node = tree.nodes[i];
    const FlameLayout::Box box = layout.box(tree, i);
    if (box.w < least_frame_width || box.y + flame_row <= flame_title || box.y >= view.height)
      return;
    const bool is_found = i < marks.found.size() && marks.found[i] != 0;
    const std::string_view shown = shown_frame_name(tree.names[node.name]);
    const Ink ink = is_found          ? Ink::Highlight
                    : node.depth == 0 ? Ink::Sleep
                                      : hue_of(hue_name(shown));
    painter.fill(ink, box.x, box.y, std::max(box.w - frame_gap, least_frame_width),
                 flame_row - frame_gap, node.depth < depth ? frame_fade : 255);
    if (box.w < 20) return;
    const std::string name = node.depth == 0 ? "all" : safe_text(shown);
    painter.text(Ink::Label, box.x + frame_margin, box.y + 12, frame_text_size,
                 fit_frame_name(name, frame_text_size, box.w - 2 * frame_margin));
  };
  for (uint32_t i = 0; i < tree.nodes.size(); i++) draw_box(i);
  for (const auto& [node, ink] :
       {std::pair(marks.chosen, Ink::Selection), std::pair(marks.pointed, Ink::Label)})
    if (node < tree.nodes.size())
      if (const FlameLayout::Box box = layout.box(tree, node); box.w >= least_frame_width)
        draw_outline(painter, ink, box);
  // Above the rows that are scrolled below it.
  painter.fill(Ink::Background, 0, 0, view.width, flame_title);
  painter.text(Ink::Axis, frame_margin, 14, frame_text_size,
               fit_text(marks.title, frame_text_size, view.width - flame_choice - frame_margin));
}

}  // namespace skein
