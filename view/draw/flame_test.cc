#include "view/draw/flame.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "view/draw/text.h"

using namespace skein;

namespace {

// all 100: serve 60 (itself 10): parse 20, read 30; idle 40.
StackTree example() {
  return {.nodes = {{.weight = 100},
                    {.name = 1, .parent = 0, .depth = 1, .begin = 0, .weight = 40, .self = 40},
                    {.name = 2, .parent = 0, .depth = 1, .begin = 40, .weight = 60, .self = 10},
                    {.name = 3, .parent = 2, .depth = 2, .begin = 50, .weight = 20, .self = 20},
                    {.name = 4, .parent = 2, .depth = 2, .begin = 70, .weight = 30, .self = 30}},
          .names = {"", "idle", "serve (a.cc:3)", "parse", "read"}};
}

std::string drawn(const StackTree& tree, const FlameViewport& view, const FlameMarks& marks = {}) {
  DrawList list;
  draw_flame(tree, FlameLayout(tree, view), marks, list);
  std::string text;
  for (const Primitive& one : list.primitives)
    if (one.shape == Shape::Text) text += (text.empty() ? "" : "|") + std::string(list.text(one));
  return text;
}

size_t count(const StackTree& tree, const FlameViewport& view, const FlameMarks& marks, Ink ink) {
  DrawList list;
  draw_flame(tree, FlameLayout(tree, view), marks, list);
  return static_cast<size_t>(std::count_if(list.primitives.begin(), list.primitives.end(),
                                           [&](const Primitive& one) { return one.ink == ink; }));
}

}  // namespace

TEST_CASE("boxes are as wide as their weight, callers below") {
  const StackTree tree = example();
  const FlameLayout layout(tree, {.width = 500, .height = 200});
  CHECK(layout.box(tree, 0).w == 500);
  CHECK(layout.box(tree, 0).y == 200 - flame_row);
  CHECK(layout.box(tree, 3).x == 250);
  CHECK(layout.box(tree, 3).w == 100);
  CHECK(layout.box(tree, 3).y == 200 - 3 * flame_row);
  CHECK(layout.node_at(tree, 260, 200 - 3 * flame_row + 1) == 3);
  CHECK(layout.node_at(tree, 210, 200 - 3 * flame_row + 1) == no_node);  // itself
  CHECK(layout.node_at(tree, 210, 200 - 1) == 0);
  CHECK(layout.node_at(tree, 210, flame_title - 1) == no_node);
  CHECK(drawn(tree, {.width = 500, .height = 200}, {.title = "running"}) ==
        "all|idle|serve (a.cc:3)|parse|read|running");
}

TEST_CASE("a zoomed frame has the whole width above its callers, and hides the others") {
  const StackTree tree = example();
  const FlameViewport view = {.width = 500, .height = 200, .zoomed = 2};
  const FlameLayout layout(tree, view);
  CHECK(layout.box(tree, 2).w == 500);
  CHECK(layout.box(tree, 0).w == 500);
  CHECK(layout.box(tree, 1).w == 0);
  CHECK(layout.box(tree, 4).w == doctest::Approx(250));
  CHECK(drawn(tree, view) == "all|serve (a.cc:3)|parse|read");
  CHECK(FlameLayout(tree, {.width = 500, .height = 200, .zoomed = 99}).view().zoomed == 0);
}

TEST_CASE("a deep graph is scrolled as far as its rows go") {
  StackTree tree = example();
  for (uint32_t depth = 3; depth < 40; depth++)
    tree.nodes.push_back({.name = 4,
                          .parent = static_cast<uint32_t>(tree.nodes.size() - 1),
                          .depth = depth,
                          .begin = 70,
                          .weight = 30});
  const FlameLayout top(tree, {.width = 500, .height = 200, .scroll = 1e6f});
  CHECK(top.view().scroll == 40 * flame_row - (200 - flame_title));
  CHECK(top.box(tree, 41).y == flame_title);
  CHECK(FlameLayout(tree, {.width = 500, .height = 200, .scroll = -5}).view().scroll == 0);
  const FlameLayout bottom(tree, {.width = 500, .height = 200});
  CHECK(bottom.beyond(tree, 0) == 0);
  CHECK(bottom.beyond(tree, 41) == top.view().scroll);
  CHECK(top.beyond(tree, 0) == -top.view().scroll);
}

TEST_CASE("matches are highlighted, the chosen and the pointed frame have an outline") {
  const StackTree tree = example();
  const FlameViewport view = {.width = 500, .height = 200};
  const std::vector<uint8_t> found = {0, 0, 1, 0, 1};
  CHECK(count(tree, view, {.found = found}, Ink::Highlight) == 2);
  CHECK(count(tree, view, {.pointed = 3, .chosen = 2}, Ink::Selection) == 4);
  CHECK(count(tree, view, {.pointed = no_node, .chosen = no_node}, Ink::Selection) == 0);
}

TEST_CASE("a function has one hue, whatever its await and label") {
  CHECK(hue_name("serve (a.cc:3)") == "serve");
  CHECK(hue_name("serve [A] (a.cc:3)") == "serve");
  CHECK(hue_name("serve") == "serve");
  CHECK(hue_name("(running)") == "(running)");
}

TEST_CASE("an inlined function is shown without its suffix, in the hue of its name") {
  StackTree tree = example();
  tree.names[3] = "parse_[i]";
  CHECK(drawn(tree, {.width = 500, .height = 200}) == "all|idle|serve (a.cc:3)|parse|read");
  const auto ink_of_box = [](const StackTree& of) {
    DrawList list;
    draw_flame(of, FlameLayout(of, {.width = 500, .height = 200}), {}, list);
    for (const Primitive& one : list.primitives)
      if (one.shape == Shape::Fill && one.x == 250 && one.y == 200 - 3 * flame_row) return one.ink;
    return Ink::Background;
  };
  CHECK(ink_of_box(tree) == hue_of("parse"));
  CHECK(ink_of_box(tree) == ink_of_box(example()));
  CHECK(shown_frame_name("vfs_read_[k]") == "vfs_read_[k]");
}

TEST_CASE("a narrow frame has its function without scope, then without line, then the beginning") {
  const std::string name = "shop::session (server.cc:78)";
  const auto shown = [&](float width) { return fit_frame_name(name, 10, width); };
  CHECK(shown(300) == name);
  CHECK(shown(text_width(name, 10) - 1) == "session (server.cc:78)");
  CHECK(shown(text_width("session (server.cc:78)", 10) - 1) == "session");
  CHECK(shown(text_width("session", 10) - 1).starts_with("se"));
  CHECK(shown(1).empty());
  CHECK(fit_frame_name("main::<lambda>", 10, 60).starts_with("main::"));
  CHECK(fit_frame_name("shop::", 10, 10).empty());
}

TEST_CASE("hostile names and sizes are harmless") {
  StackTree tree = example();
  tree.names[3] = "a\x1b[31m\u202e\n";
  const std::string text = drawn(tree, {.width = 500, .height = 200});
  CHECK(text.find('\x1b') == text.npos);
  CHECK(text.find("\u202e") == text.npos);
  drawn({}, {.width = 500, .height = 200});
  drawn(tree, {});
  drawn(tree, {.width = 1, .height = 1});
  CHECK(FlameLayout().node_at(tree, 0, 0) == no_node);
}
