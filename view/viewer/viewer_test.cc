#include <doctest/doctest.h>

#include <random>

#include "view/viewer/keys.h"
#include "view/viewer/test_viewer.h"

using namespace skein;

TEST_CASE("at first everything is visible and there is no history") {
  Viewer viewer = over_server();
  CHECK(viewer.window().from < 0);
  CHECK(viewer.window().to > 1e6);
  const Window before = viewer.window();
  viewer.run(Command::UndoZoom);
  CHECK(same(viewer.window(), before));
  CHECK(viewer.changed());
  CHECK(count(viewer.picture(), Ink::Bar) >= 4);
  CHECK(!viewer.changed());
}

TEST_CASE("the pointer on the kernel's line of a thread shows its state, then the task") {
  TestTrace t = server();
  t.trace.executors[0].tid = 7;
  t.trace.thread_states = {
      {.time = 0, .tid = 7, .state = ThreadState::Running, .cpu = 3},
      {.time = 320'000,
       .tid = 7,
       .state = ThreadState::Preempted,
       .other = 9,
       .text = t.trace.strings.intern("rival")},
      {.time = 340'000, .tid = 7, .state = ThreadState::Blocked},
      {.time = 340'000,
       .tid = 7,
       .state = ThreadState::Function,
       .text = t.trace.strings.intern("futex_wait")},
  };
  Viewer viewer = showing(std::move(t.trace));
  viewer.run(Command::FitAll);
  on_bar(viewer, 330'000, "preempted by rival for 20.0 us\nsession A (#2)");
  on_bar(viewer, 600'000, "blocked in futex_wait for ");
  on_bar(viewer, 200'000, "on CPU 2 for 320 us");
  on_bar(viewer, 330'000, "session A (#2)");  // the bar itself
}

TEST_CASE("without a trace every command does nothing, and there is a picture") {
  Viewer viewer;
  for (const KeyBinding& entry : key_bindings()) {
    viewer.run(entry.command);
    viewer.picture();
    viewer.panel();
  }
  viewer.pointer_down(10, 100, {});
  viewer.pointer_move(50, 100);
  viewer.pointer_up(50, 100);
  viewer.double_click(10, 100);
  viewer.wheel(10, 10, 0, -100, {});
  viewer.select(0, 0);
  viewer.update(0, {});
  viewer.click(1);
  viewer.show_counter(0, true);
  CHECK(viewer.search("x").count == 0);
  CHECK(viewer.tooltip().empty());
  CHECK(viewer.selected() == no_index);
}

TEST_CASE("a longer trace replaces the shorter one, and the end is followed") {
  Viewer viewer = over_server();
  viewer.add_bookmark(3e5, "here");
  select(viewer, 3);
  viewer.run(Command::Collapse);
  viewer.search("session");
  TestTrace longer = server();
  longer.create(1'500'000, 20, 1, "session C");
  Trace copy = std::move(longer.trace);

  viewer.update(0, std::move(copy));
  CHECK(selected_id(viewer) == 3);
  CHECK(viewer.found().count == 3);
  CHECK(viewer.bookmarks().size() == 1);
  // All was visible, and is.
  CHECK(viewer.window().from <= 0);
  CHECK(viewer.window().to >= 1.5e6);
  viewer.run(Command::UndoZoom);
  CHECK(viewer.window().to >= 1.5e6);

  viewer.show(1.3e6, 1.55e6);
  const auto update = [&](uint64_t end) {
    TestTrace more = server();
    more.create(end, 20, 1, "session C");
    viewer.update(0, std::move(more.trace));
  };
  update(2'000'000);
  CHECK(viewer.window().from == doctest::Approx(1.8e6));
  CHECK(viewer.window().to == doctest::Approx(2.05e6));
  viewer.show(2e5, 3e5);
  update(3'000'000);
  CHECK(viewer.window().from == doctest::Approx(2e5));
  CHECK(viewer.window().to == doctest::Approx(3e5));
}

TEST_CASE("the selected task stays although its index changes, and is cleared with it") {
  Viewer viewer = over_server();
  select(viewer, 5);
  viewer.run(Command::Collapse);
  viewer.show_counter(0, false);
  const TaskIndex before = viewer.selected();
  TestTrace t;  // a ring that overwrote its beginning, with another first task
  t.trace.info.start = 400'000;
  t.create(10, 50, no_task, "new");
  t.create(20, 51, no_task, "new");
  t.create(30, 52, no_task, "new");
  t.create(40, 53, no_task, "new");
  t.create(150'000, 5, 50, "lock", "operation");
  t.counter(160'000, "another", 1);
  t.counter(170'000, "bytes", 2);
  viewer.show(5.4e5, 5.6e5);
  viewer.update(0, std::move(t.trace));
  CHECK(viewer.selected() != before);
  CHECK(selected_id(viewer) == 5);
  CHECK(viewer.counters()[0].shown);
  CHECK(!viewer.counters()[1].shown);
  // The same time is at the same position.
  on_bar(viewer, 5.5e5 + 2, "lock");

  TestTrace other;
  other.create(10, 50, no_task, "new");
  viewer.update(0, std::move(other.trace));
  CHECK(viewer.selected() == no_index);
  viewer.picture();
}

TEST_CASE("a trace that was empty is shown whole when it gets events") {
  Viewer viewer = showing({});
  CHECK(!viewer.notice().empty());
  viewer.picture();
  viewer.update(0, server_trace());
  CHECK(viewer.window().from <= 0);
  CHECK(viewer.window().to >= 1e6);
  CHECK(viewer.window().to < 1.1e6);
  CHECK(viewer.notice().empty());
}

TEST_CASE("a hanging program extends in the picture") {
  constexpr uint64_t ms = 1'000'000;
  const auto text_of = [](const Viewer& viewer, std::string_view name) -> std::string {
    for (const PanelLine& line : viewer.panel().lines)
      if (line.name == name) return line.value;
    return "";
  };
  const auto trace = [] {
    Trace made = server_trace();  // of one millisecond
    made.info.start = 7 * ms;
    made.info.utc_offset = 1000 * ms;
    return made;
  };
  const auto at = [](uint64_t time) { return SignOfLife{1007 * ms + time, true}; };
  Viewer viewer;
  viewer.add(trace(), "hangs");
  viewer.resize(1000, 600);
  const TaskIndex lock = viewer.model(0).find(5);
  viewer.select(0, lock);
  CHECK(text_of(viewer, "since").ends_with("for 450 us"));
  const double margin = viewer.window().to - 1e6;
  viewer.picture();

  viewer.set_liveness(0, at(20 * ms));
  CHECK(viewer.changed());
  CHECK(viewer.window().to == doctest::Approx(20e6 + margin));
  CHECK(viewer.window().from < 0);
  CHECK(viewer.model(0).end == 20 * ms);
  CHECK(viewer.model(0).tasks[lock].end == 20 * ms);
  CHECK(viewer.model(0).tasks[viewer.model(0).find(2)].end == 500'000);
  CHECK(viewer.selected() == lock);
  CHECK(text_of(viewer, "since").ends_with("for 19.5 ms so far"));
  viewer.picture();
  viewer.set_liveness(0, at(20 * ms));
  CHECK_FALSE(viewer.changed());

  // New events: the program was running.
  viewer.update(0, LoadedTrace(trace(), at(30 * ms)));
  CHECK(viewer.window().to == doctest::Approx(30e6 + margin));
  CHECK(viewer.selected() == lock);

  // Elsewhere nothing is redrawn; the panel is updated.
  viewer.show(0, 1e6);
  const Window window = viewer.window();
  viewer.picture();
  viewer.set_liveness(0, at(40 * ms));
  viewer.update(0, LoadedTrace(trace(), at(50 * ms)));
  CHECK_FALSE(viewer.changed());
  CHECK(viewer.window().to == window.to);
  CHECK(text_of(viewer, "since").ends_with("for 49.5 ms so far"));

  // Back at the end it is followed; it stays in place after the program has ended.
  viewer.run(Command::FitAll);
  viewer.set_liveness(0, at(60 * ms));
  CHECK(viewer.model(0).end == 60 * ms);
  SignOfLife last = at(60 * ms);
  last.running = false;
  viewer.update(0, LoadedTrace(trace(), last));
  CHECK(viewer.model(0).end == 60 * ms);
  CHECK(text_of(viewer, "since").ends_with("for 59.5 ms"));

  // An implausible sign of life, or none.
  viewer.set_liveness(0, {.utc = 5, .running = true});
  viewer.set_liveness(0, {.utc = UINT64_MAX, .running = true});
  viewer.set_liveness(7, at(1));
  viewer.update(0, server_trace());
  viewer.set_liveness(0, at(90 * ms));
  CHECK(viewer.model(0).end == ms);
}

TEST_CASE("two traces share an axis: by their clocks if these are near, else by their starts") {
  const auto two = [](std::optional<int64_t> first, std::optional<int64_t> second) {
    TestTrace a = server();
    TestTrace b = server();
    a.trace.info.utc_offset = first;
    b.trace.info.utc_offset = second;
    Viewer viewer = showing(std::move(a.trace));
    viewer.add(std::move(b.trace), "the other");
    return viewer;
  };
  constexpr int64_t now = 1'700'000'000'000'000'000;
  Viewer apart = two(now, now + 300'000);
  CHECK(apart.traces() == 2);
  CHECK(apart.window().to >= 1.3e6);
  CHECK(value(apart.panel(), "aligned") == "by clock");
  // Tasks of the later trace keep their distance in time.
  apart.select(1, index_of(apart, 2, 1));
  apart.run(Command::FitSelection);
  CHECK(apart.window().from == doctest::Approx(4e5 - 4e4));

  CHECK(value(two(now, now + 3'600'000'000'000).panel(), "aligned") == "by start");
  CHECK(value(two(now, {}).panel(), "aligned") == "by start");
  CHECK(value(two(INT64_MIN, INT64_MAX).panel(), "aligned") == "by start");
  Viewer earlier = two(now, now - 300'000);
  CHECK(earlier.window().from <= -3e5);

  Viewer both = two({}, {});
  CHECK(both.search("session").count == 4);
  for (int i = 0; i < 4; i++) both.run(Command::SearchNext);
  CHECK(both.found().at == 4);
  CHECK(both.selected_track() == 1);
  CHECK(both.counters().size() == 2);
  CHECK(both.counters()[1].track == 1);
  both.show_counter(1, false);
  CHECK(both.counters()[0].shown);
  CHECK(!both.counters()[1].shown);
}

TEST_CASE("traces with the same tick counter are aligned by it, others by UTC") {
  const auto one = [](uint64_t start, std::string boot_id, int64_t utc) {
    TestTrace made = server();
    made.trace.info.start = start;
    made.trace.info.utc_offset = utc;
    if (!boot_id.empty())
      made.trace.info.tick_clock = {
          .boot_id = std::move(boot_id), .source = "tsc", .frequency = 156'250'000};
    return std::move(made.trace);
  };
  constexpr int64_t now = 1'700'000'000'000'000'000;
  Viewer viewer;
  viewer.add(one(1'000'000, "", now), "another counter");
  viewer.add(one(2'000'000'000, "boot", now - 1'999'000'000 + 5), "one");
  // 1.2 us earlier by UTC, but 7 ns later by the counter.
  viewer.add(one(2'000'000'007, "boot", now - 1'999'000'000 - 1'200), "two");
  viewer.add(one(2'000'000'007, "other boot", now - 1'999'000'000 - 1'200), "three");
  const auto tracks = viewer.tracks();
  REQUIRE(tracks.size() == 4);
  CHECK(tracks[0].offset == 0);
  CHECK(tracks[1].offset == 5);
  CHECK(tracks[2].offset == 12);
  CHECK(tracks[3].offset == -1'193);
  REQUIRE(viewer.tick_clocks().size() == 4);
  CHECK(viewer.tick_clocks()[1].is_same_axis(viewer.tick_clocks()[2]));
  CHECK_FALSE(viewer.tick_clocks()[2].counts_with(viewer.tick_clocks()[3]));
  CHECK_FALSE(viewer.tick_clocks()[0].counts_with(viewer.tick_clocks()[0]));
}

TEST_CASE("any sequence of inputs does no harm") {
  std::mt19937 random(5);
  const auto number = [&](float most) {
    return static_cast<float>(random() % 10'000) / 10'000 * most - most / 10;
  };
  for (int round = 0; round < 20; round++) {
    Viewer viewer = over_server();
    if (round % 2) viewer.add(server_trace(), "another");
    for (int i = 0; i < 300; i++) {
      const Modifiers modifiers{random() % 4 == 0, random() % 4 == 0, random() % 4 == 0};
      switch (random() % 12) {
        case 0:
          viewer.pointer_down(number(1000), number(600), modifiers);
          break;
        case 1:
          viewer.pointer_move(number(1000), number(600));
          break;
        case 2:
          viewer.pointer_up(number(1000), number(600));
          break;
        case 3:
          viewer.wheel(number(1000), number(600), number(200), number(500) - 200, modifiers);
          break;
        case 4:
          viewer.double_click(number(1000), number(600));
          break;
        case 5:
          viewer.resize(number(3000), number(2000));
          break;
        case 6:
          viewer.search(std::string_view("session A").substr(0, random() % 9));
          break;
        case 7:
          viewer.click(static_cast<uint32_t>(random() % 20));
          break;
        case 8:
          viewer.set_filter({.label = random() % 2 ? "s" : "", .only_stuck = random() % 5 == 0});
          break;
        case 9:
          viewer.update(random() % 2, random() % 8 ? server_trace() : Trace{});
          break;
        default:
          viewer.run(static_cast<Command>(random() % commands));
      }
      const Window& window = viewer.window();
      REQUIRE(window.to > window.from);
      REQUIRE(std::isfinite(window.from));
      REQUIRE(std::isfinite(window.top));
      REQUIRE(window.row_height > 0);
      viewer.tooltip();
      viewer.panel();
      REQUIRE(viewer.picture().primitives.size() <= 50'000);
    }
  }
}
