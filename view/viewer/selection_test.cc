#include <doctest/doctest.h>

#include <algorithm>

#include "view/viewer/test_viewer.h"

using namespace skein;

TEST_CASE("a click selects the item there, or clears the selection") {
  Viewer viewer = over_server();
  const Point at = on_bar(viewer, 4.5e5, "session A");
  click(viewer, at.x, at.y);
  CHECK(selected_id(viewer) == 2);
  CHECK(count(viewer.picture(), Ink::Selection) == 4);
  viewer.run(Command::Escape);
  CHECK(viewer.selected() == no_index);
  CHECK(count(viewer.picture(), Ink::Selection) == 0);
  click(viewer, at.x, at.y);
  click(viewer, x_of(viewer, -8e3), 500);
  CHECK(viewer.selected() == no_index);
}

TEST_CASE("search highlights while the user types, counts, and steps through matches") {
  Viewer viewer = over_server();
  CHECK(count(viewer.picture(), Ink::Highlight) == 0);
  CHECK(viewer.search("sess").count == 2);
  CHECK(viewer.search("SESSION").count == 2);
  CHECK(count(viewer.picture(), Ink::Highlight) >= 2);
  CHECK(viewer.found().at == 0);
  viewer.run(Command::SearchNext);
  CHECK(selected_id(viewer) == 2);
  CHECK(viewer.found().at == 1);
  viewer.run(Command::SearchNext);
  CHECK(selected_id(viewer) == 3);
  viewer.run(Command::SearchNext);  // from the beginning again
  CHECK(selected_id(viewer) == 2);
  viewer.run(Command::SearchPrevious);
  CHECK(selected_id(viewer) == 3);
  CHECK(viewer.search("session B").count == 1);
  viewer.run(Command::ClearSearch);
  CHECK(viewer.found().count == 0);
  CHECK(count(viewer.picture(), Ink::Highlight) == 0);
}

TEST_CASE("search begins at the focus and reveals its matches") {
  Viewer viewer = over_server();
  viewer.search("session");
  viewer.show(5.2e5, 5.8e5);
  viewer.run(Command::SearchNext);
  CHECK(selected_id(viewer) == 3);
  const double start = 6e5;
  const Window found = viewer.window();
  CHECK(found.from < start);
  CHECK(found.to > 1e6);  // it is longer than the old window: shows all of it
  CHECK(found.to - found.from == doctest::Approx(1.1 * 4e5));
  viewer.show(7e5, 8e5);
  const Window inside = viewer.window();
  viewer.search("session B");
  viewer.run(Command::SearchNext);
  CHECK(same(viewer.window(), inside));  // it is visible already
}

TEST_CASE("going to a bar too thin to see zooms in, and can be undone") {
  TestTrace t;
  t.create(0, 1, no_task, "main");
  t.create(500'000'000, 2, 1, "short");
  t.event(500'010'000, EventKind::Resolve, 2, 1);
  t.create(700'000'000, 3, 1, "instant");
  t.event(700'000'000, EventKind::Resolve, 3, 1);
  t.event(1'000'000'000, EventKind::Resolve, 1);
  Viewer viewer = showing(std::move(t.trace));
  const Window before = viewer.window();
  const auto width = [&](double ns) { return ns / per_pixel(viewer); };
  CHECK(width(10'000) < 1);
  SUBCASE("with the search") {
    viewer.search("short");
    viewer.run(Command::SearchNext);
  }
  SUBCASE("with a link of the panel") {
    select(viewer, 1);
    const Panel panel = viewer.panel();
    const auto link = std::find_if(
        panel.lines.begin(), panel.lines.end(),
        [](const PanelLine& line) { return line.link != 0 && line.value.starts_with("short"); });
    REQUIRE(link != panel.lines.end());
    viewer.click(link->link);
  }
  CHECK(selected_id(viewer) == 2);
  CHECK(width(10'000) == doctest::Approx(32));
  CHECK(viewer.window().from < 500'000'000);
  CHECK(viewer.window().to > 500'010'000);
  const Window near = viewer.window();
  viewer.search("instant");
  viewer.run(Command::SearchNext);
  CHECK(width(100) == doctest::Approx(32));
  viewer.run(Command::UndoZoom);
  CHECK(same(viewer.window(), near));
  viewer.run(Command::UndoZoom);
  CHECK(same(viewer.window(), before));
}

TEST_CASE("going to a row thinner than a bar makes rows higher") {
  TestTrace t;
  t.create(0, 1, no_task, "main");
  for (TaskId id = 2; id < 1000; id++) t.create(id * 1'000, id, 1, "child " + std::to_string(id));
  Viewer viewer = showing(std::move(t.trace));
  REQUIRE(viewer.window().row_height < 1);
  viewer.search("child 500");
  viewer.run(Command::SearchNext);
  CHECK(viewer.window().row_height >= 6);
  const double row = viewer.tracks()[0].rows->row[viewer.selected()];
  CHECK(line_of(viewer.marks().lines, row) > line_of(viewer.marks().lines, viewer.window().top));
  viewer.run(Command::UndoZoom);
  CHECK(viewer.window().row_height < 1);
}

TEST_CASE("arrows are followed to their other ends") {
  Viewer viewer = over_server();
  viewer.show(2.5e5, 3.5e5);
  select(viewer, 2);
  viewer.run(Command::FollowToSource);
  CHECK(selected_id(viewer) == 4);
  viewer.run(Command::FollowToDestination);
  CHECK(selected_id(viewer) == 2);
  // The target of B is not visible.
  viewer.show(2.5e5, 3.5e5);
  select(viewer, 3);
  viewer.run(Command::FollowToDestination);
  CHECK(selected_id(viewer) == 5);
  CHECK(viewer.window().from < 6.5e5);
  CHECK(viewer.window().to > 6.5e5);
  viewer.run(Command::FollowToSource);
  CHECK(selected_id(viewer) == 3);
}

TEST_CASE("of several arrows the one nearest to the focus is followed") {
  TestTrace t;
  t.create(0, 1, no_task, "main");
  for (TaskId id = 2; id < 12; id++) {
    t.create(id * 100'000, id, 1, "");
    t.event(id * 100'000 + 50'000, EventKind::Resolve, id, 1);
  }
  Viewer viewer = showing(std::move(t.trace));
  select(viewer, 1);
  viewer.show(7e5, 8e5);
  viewer.run(Command::FollowToDestination);
  CHECK(selected_id(viewer) == 7);
}

TEST_CASE("from a task to its parent, to the next and previous in its row") {
  Viewer viewer = over_server();
  select(viewer, 4);
  viewer.run(Command::SelectParent);
  CHECK(selected_id(viewer) == 2);
  viewer.run(Command::SelectParent);
  viewer.run(Command::SelectParent);
  CHECK(selected_id(viewer) == 1);
  select(viewer, 2);
  viewer.run(Command::SelectNext);  // 5 begins after 2 has ended
  CHECK(selected_id(viewer) == 5);
  viewer.run(Command::SelectNext);
  CHECK(selected_id(viewer) == 5);
  viewer.run(Command::SelectPrevious);
  CHECK(selected_id(viewer) == 2);
}

TEST_CASE("related tasks: predecessors, successors, their targets and waiters") {
  TestTrace t;
  using K = EventKind;
  t.create(0, 1, no_task, "main");
  t.create(10, 2, 1, "first");
  t.create(20, 3, 1, "second");
  t.create(30, 4, 1, "awaited");
  t.create(35, 6, 1, "other");
  t.event(40, K::TryRead, 2, 4);
  t.event(50, K::Become, 2, 3);
  t.event(60, K::TryRead, 1, 3);
  t.event(90, K::Resolve, 4, 6);
  Viewer viewer = showing(std::move(t.trace));
  CHECK(count(viewer.picture(), Ink::Highlight) == 0);
  select(viewer, 3);
  viewer.run(Command::HighlightRelated);
  const size_t all = count(viewer.picture(), Ink::Highlight);
  CHECK(all >= 2);
  select(viewer, 6);
  CHECK(count(viewer.picture(), Ink::Highlight) < all);  // only the task itself
  viewer.run(Command::HighlightRelated);
  CHECK(count(viewer.picture(), Ink::Highlight) == 0);
}

TEST_CASE("a double click zooms to the task and highlights related tasks") {
  Viewer viewer = over_server();
  const Point at = on_bar(viewer, 4.5e5, "session A");
  const Window before = viewer.window();
  viewer.double_click(at.x, at.y);
  CHECK(selected_id(viewer) == 2);
  CHECK(viewer.window().from == doctest::Approx(6e4));
  CHECK(viewer.window().to == doctest::Approx(5.4e5));
  CHECK(count(viewer.picture(), Ink::Highlight) >= 1);
  viewer.run(Command::UndoZoom);
  CHECK(same(viewer.window(), before));
}

TEST_CASE("stepping through matches continues when more arrive") {
  Viewer viewer = over_server();
  viewer.search("session");
  viewer.run(Command::SearchNext);
  viewer.run(Command::SearchNext);
  CHECK(viewer.found().at == 2);
  const auto more = [](uint64_t start) {
    TestTrace t = server();
    t.create(1'500'000, 20, 1, "session C");
    t.trace.info.start = start;
    return std::move(t.trace);
  };
  viewer.update(0, more(0));
  CHECK(viewer.found().count == 3);
  CHECK(viewer.found().at == 2);
  viewer.run(Command::SearchNext);
  CHECK(selected_id(viewer) == 20);
  CHECK(viewer.found().at == 3);
  viewer.set_filter({.only_stuck = true});  // the selected task does not pass
  CHECK(viewer.found().count == 1);
  CHECK(viewer.found().at == 0);
  viewer.set_filter({});
  viewer.run(Command::SearchPrevious);
  REQUIRE(viewer.found().at == 3);
  viewer.add(more(0), "another");  // as old as the first
  CHECK(viewer.found().count == 6);
  CHECK(viewer.found().at == 5);
  // A ring that overwrote the earlier tasks, then the current match, too.
  TestTrace t;
  t.create(0, 20, no_task, "session C");
  viewer.update(0, std::move(t.trace));
  CHECK(viewer.found().count == 4);
  CHECK(viewer.found().at == 1);
  viewer.update(0, server_trace());
  CHECK(viewer.found().at == 0);
  viewer.run(Command::SearchNext);
  viewer.search("sess");  // a new search
  CHECK(viewer.found().at == 0);
}
