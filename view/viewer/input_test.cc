#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "view/draw/scene.h"
#include "view/viewer/test_viewer.h"

using namespace skein;

TEST_CASE("the wheel zooms under the pointer; with shift it pans, with alt rows grow") {
  Viewer viewer = over_server();
  viewer.show(2e5, 6e5);
  const double time = time_at(viewer, 300);
  const double before = per_pixel(viewer);
  viewer.wheel(300, 200, 0, -120, {});
  CHECK(per_pixel(viewer) < before);
  CHECK(std::fabs(time_at(viewer, 300) - time) <= 0.5 * per_pixel(viewer));
  const double coarse = before / per_pixel(viewer);
  const double middle = per_pixel(viewer);
  viewer.wheel(300, 200, 0, -120, {.control = true});
  CHECK(middle / per_pixel(viewer) < coarse);
  CHECK(middle / per_pixel(viewer) > 1);

  const double near = per_pixel(viewer);
  const double from = viewer.window().from;
  viewer.wheel(300, 200, 0, 120, {.shift = true});
  CHECK(viewer.window().from == doctest::Approx(from + 120 * near));
  viewer.wheel(300, 200, -120, 10, {});
  CHECK(viewer.window().from == doctest::Approx(from));
  CHECK(per_pixel(viewer) == doctest::Approx(near));

  const double height = viewer.window().row_height;
  viewer.wheel(300, 200, 0, -120, {.alt = true});
  CHECK(viewer.window().row_height > height);
  CHECK(per_pixel(viewer) == doctest::Approx(near));

  const double held = time_at(viewer, 700);
  viewer.pinch(700, 200, 2);
  CHECK(per_pixel(viewer) == doctest::Approx(near / 2));
  CHECK(std::fabs(time_at(viewer, 700) - held) <= 0.5 * per_pixel(viewer));
  viewer.pinch(100, 200, 0.5);
  CHECK(per_pixel(viewer) == doctest::Approx(near));
  CHECK(std::fabs(time_at(viewer, 700) - held) > 100 * per_pixel(viewer));
}

TEST_CASE("zooms by the wheel at one point are one gesture, those elsewhere another") {
  Viewer viewer = over_server();
  const Window all = viewer.window();
  for (int i = 0; i < 5; i++) viewer.wheel(300, 200, 0, -120, {});
  const Window first = viewer.window();
  viewer.pointer_move(302, 200);
  for (int i = 0; i < 5; i++) viewer.wheel(302, 200, 0, -120, {});
  viewer.pointer_move(600, 200);
  const Window second = viewer.window();
  for (int i = 0; i < 5; i++) viewer.wheel(600, 200, 0, -120, {});
  CHECK(!same(first, second));
  viewer.run(Command::UndoZoom);
  CHECK(same(viewer.window(), second));
  viewer.run(Command::UndoZoom);
  CHECK(same(viewer.window(), all));
  viewer.run(Command::RedoZoom);
  CHECK(same(viewer.window(), second));
}

TEST_CASE("dragging moves the picture with the pointer") {
  Viewer viewer = over_server();
  viewer.show(2e5, 6e5);
  const Window before = viewer.window();
  const double time = time_at(viewer, 300);
  viewer.pointer_down(300, 200, {});
  viewer.pointer_move(350, 210);
  viewer.pointer_move(420, 220);
  CHECK(time_at(viewer, 420) == doctest::Approx(time));
  viewer.pointer_up(420, 220);
  CHECK(viewer.selected() == no_index);
  viewer.pointer_move(500, 220);
  CHECK(time_at(viewer, 420) == doctest::Approx(time));
  viewer.run(Command::UndoZoom);
  CHECK(same(viewer.window(), before));
}

TEST_CASE("bound keys run their commands, others do nothing") {
  Viewer viewer = over_server();
  const double before = per_pixel(viewer);
  CHECK(viewer.key("+", {.shift = true}));
  CHECK(per_pixel(viewer) < before);
  CHECK(viewer.key("0", {}));
  CHECK(per_pixel(viewer) == doctest::Approx(before));
  CHECK(!viewer.key("q", {}));
  CHECK(!viewer.key("+", {.control = true}));
  viewer.show(4e5, 5e5);
  const double from = viewer.window().from;
  viewer.key("ArrowRight", {});
  CHECK(viewer.window().from > from);
  viewer.key("ArrowLeft", {});
  CHECK(viewer.window().from == doctest::Approx(from));
  viewer.key("Home", {});
  CHECK(viewer.window().from == doctest::Approx(0));
  viewer.key("End", {});
  CHECK(viewer.window().to >= 1e6);
  CHECK(viewer.window().to < 1.01e6);
}

TEST_CASE("zooming by keys is centred on the pointer, if it is over the picture") {
  Viewer viewer = over_server();
  viewer.show(2e5, 6e5);
  viewer.pointer_move(250, 200);
  double time = time_at(viewer, 250);
  viewer.key("+", {});
  CHECK(time_at(viewer, 250) == doctest::Approx(time));
  viewer.pointer_leave();
  time = time_at(viewer, 500);
  viewer.key("+", {});
  CHECK(time_at(viewer, 500) == doctest::Approx(time));
}

TEST_CASE("pointer movements change the readouts, not the scene") {
  Viewer viewer = over_server();
  viewer.run(Command::ToggleLegend);
  viewer.picture();
  const uint32_t version = viewer.scene_version();
  const std::string scene = to_text(viewer.scene());
  const std::string readouts = to_text(viewer.readouts());
  CHECK(!viewer.changed());
  viewer.pointer_move(400, 300);
  CHECK(viewer.changed());
  CHECK(viewer.scene_version() == version);
  CHECK(to_text(viewer.readouts()) != readouts);
  CHECK(!viewer.changed());
  viewer.pointer_down(300, 300, {.shift = true});
  viewer.pointer_move(500, 300);
  CHECK(viewer.scene_version() == version);
  CHECK(count(viewer.readouts(), Ink::Measure) > 0);
  viewer.pointer_up(500, 300);
  CHECK(to_text(viewer.scene()) == scene);
  // Both together make up the picture.
  DrawList whole;
  draw(viewer.tracks(), viewer.window(), viewer.marks(), whole);
  CHECK(to_text(viewer.picture()) == to_text(whole));
  DrawList both = viewer.scene();
  append(both, viewer.readouts());
  CHECK(to_text(both) == to_text(whole));
  viewer.run(Command::ZoomIn);
  CHECK(viewer.scene_version() != version);
}

TEST_CASE("a measured range is clipped to the traces") {
  Viewer viewer = over_server();
  CHECK(viewer.window().from < 0);
  CHECK(viewer.window().to > 1e6);
  viewer.run(Command::Measure);
  const Panel whole = viewer.panel();
  CHECK(whole.title == "Range of 1.00 ms");
  CHECK(value(whole, "from") == "0 us");
  CHECK(value(whole, "to") == "1.000 ms");
  CHECK(value(whole, "ran") == "150 us, 15.0 %");
  CHECK(value(whole, "tasks created") == "5");
  viewer.pointer_down(999, 10, {});
  viewer.pointer_move(0, 10);
  CHECK(viewer.marks().measure_from == 0);
  CHECK(viewer.marks().measure_to == 1e6);
  viewer.pointer_up(1, 10);
  CHECK(viewer.panel().title == "Range of 1.00 ms");
  // A range in the margin is empty.
  viewer.pointer_down(1, 10, {});
  viewer.pointer_move(6, 10);
  viewer.pointer_up(6, 10);
  CHECK(viewer.marks().measure_from == viewer.marks().measure_to);
  CHECK(viewer.panel().title == "a trace");

  // A range that a ring has overwritten is dropped.
  Viewer forgets;
  forgets.resize(1000, 600);
  forgets.add(ring(0), "ring");
  select(forgets, 3);
  forgets.run(Command::Measure);
  CHECK(forgets.panel().title == "Range of 400 us");
  forgets.update(0, ring(700'000, 1));
  CHECK(forgets.panel().title == "Range of 300 us");
  CHECK(value(forgets.panel(), "from").starts_with("700"));
  CHECK(forgets.marks().measure_from == 7e5);
  TestTrace later = server();
  later.trace.info.start = ring(2'000'000).info.start;
  forgets.update(0, std::move(later.trace));
  CHECK(forgets.marks().measure_from == forgets.marks().measure_to);

  // The range includes the last event.
  TestTrace t;
  t.create(0, 1, no_task, "all");
  t.event(500, EventKind::Resolve, 1);
  t.create(500, 2, no_task, "late");
  Viewer to_the_end = showing(std::move(t.trace));
  to_the_end.run(Command::Measure);
  CHECK(value(to_the_end.panel(), "tasks created") == "2");
  CHECK(value(to_the_end.panel(), "tasks ended") == "1");
}

TEST_CASE("dragging with shift or on the axis measures") {
  Viewer viewer = over_server();
  viewer.pointer_down(x_of(viewer, 1.3e5), 200, {.shift = true});
  viewer.pointer_move(x_of(viewer, 2e5), 210);
  viewer.pointer_up(x_of(viewer, 3.3e5), 210);
  Panel panel = viewer.panel();
  CHECK(panel.title == "Range of 200 us");
  CHECK(value(panel, "tasks created") == "1");
  CHECK(value(panel, "tasks ended") == "1");
  CHECK(value(panel, "ran").starts_with("50.0 us, 25.0 %"));
  CHECK(value(panel, "bytes") == "0 to 100 (+100)");
  CHECK(count(viewer.picture(), Ink::Measure) > 0);
  viewer.run(Command::FitSelection);
  CHECK(viewer.window().from == doctest::Approx(1.1e5).epsilon(0.01));
  viewer.run(Command::ClearMeasure);
  CHECK(count(viewer.picture(), Ink::Measure) == 0);
  CHECK(viewer.panel().title == "a trace");

  viewer.pointer_down(700, 10, {});
  viewer.pointer_move(300, 10);
  viewer.pointer_up(300, 10);
  CHECK(viewer.panel().title.starts_with("Range of"));
  select(viewer, 2);  // the latest selection is shown
  CHECK(viewer.panel().title == "session A (#2)");
  viewer.run(Command::Measure);
  CHECK(viewer.panel().title == "Range of 400 us");
}

TEST_CASE("counters are switched off one by one and all together") {
  Viewer viewer = over_server();
  REQUIRE(viewer.counters().size() == 1);
  CHECK(viewer.counters()[0].name == "bytes");
  CHECK(count(viewer.picture(), Ink::Counter0) > 0);
  viewer.show_counter(0, false);
  CHECK(!viewer.counters()[0].shown);
  CHECK(count(viewer.picture(), Ink::Counter0) == 0);
  viewer.show_counter(0, true);
  viewer.run(Command::ToggleCounters);
  CHECK(!viewer.counters()[0].shown);
  CHECK(count(viewer.picture(), Ink::Counter0) == 0);
  viewer.show_counter(0, true);
  CHECK(viewer.counters()[0].shown);
  viewer.show_counter(7, false);
}

TEST_CASE("arrows, legend and theme") {
  Viewer viewer = over_server();
  const size_t arrows = count(viewer.picture(), Ink::Read);
  CHECK(arrows > 0);
  viewer.run(Command::ToggleArrows);
  CHECK(count(viewer.picture(), Ink::Read) == 0);
  viewer.run(Command::ToggleArrows);
  CHECK(!viewer.legend_shown());
  viewer.run(Command::ToggleLegend);
  CHECK(viewer.legend_shown());
  CHECK(count(viewer.picture(), Ink::Read) > arrows);
  viewer.set_legend_shown(false);
  CHECK(count(viewer.picture(), Ink::Read) == arrows);
  viewer.set_hint(true);
  const size_t with = count(viewer.picture(), Ink::PanelText);
  viewer.set_legend_shown(true);  // by the front end, not by the user: the hint stays
  CHECK(viewer.legend_shown());
  CHECK(count(viewer.picture(), Ink::PanelText) > with);
  std::set<std::string_view> names;
  for (size_t i = 0; i < themes.size(); i++) {
    names.insert(viewer.theme().name);
    viewer.run(Command::NextTheme);
  }
  CHECK(names.size() == themes.size());
  CHECK(viewer.theme().name == themes[0].name);
}

TEST_CASE("escape closes the topmost object, one at a time") {
  Viewer viewer = over_server();
  select(viewer, 2);
  viewer.run(Command::HighlightRelated);
  viewer.run(Command::Measure);
  viewer.run(Command::Search);
  viewer.search("session");
  viewer.run(Command::Help);
  CHECK(viewer.help_shown());
  viewer.key("Escape", {});
  CHECK(!viewer.help_shown());
  CHECK(viewer.search_shown());
  CHECK(viewer.found().count == 2);
  viewer.key("Escape", {});
  CHECK(!viewer.search_shown());
  CHECK(viewer.found().count == 0);
  CHECK(viewer.panel().title.starts_with("Range"));
  viewer.key("Escape", {});
  CHECK(viewer.panel().title.starts_with("session A"));
  CHECK(count(viewer.picture(), Ink::Highlight) > 0);
  viewer.key("Escape", {});
  CHECK(count(viewer.picture(), Ink::Highlight) == 0);
  CHECK(viewer.selected() != no_index);
  viewer.key("Escape", {});
  CHECK(viewer.selected() == no_index);
}

TEST_CASE("the hint disappears at the first input") {
  Viewer viewer = over_server();
  viewer.set_hint(true);
  const size_t with = count(viewer.picture(), Ink::PanelText);
  viewer.pointer_move(100, 100);
  CHECK(count(viewer.picture(), Ink::PanelText) >= with);
  viewer.wheel(100, 100, 0, 10, {});
  viewer.pointer_leave();
  CHECK(count(viewer.picture(), Ink::PanelText) < with);

  // Touch: shows the gestures until a tap.
  const auto says = [&](std::string_view text) {
    return to_text(viewer.picture()).find(text) != std::string::npos;
  };
  viewer.set_hint(true);
  CHECK(says("any key or click"));
  viewer.set_hint(true, true);
  CHECK(says("two fingers: zoom"));
  CHECK_FALSE(says("any key"));
  viewer.pointer_down(100, 100, {});
  viewer.pointer_up(100, 100);
  CHECK_FALSE(says("two fingers: zoom"));
}
