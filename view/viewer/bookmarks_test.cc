#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "view/viewer/test_viewer.h"

using namespace skein;

TEST_CASE("bookmarks are kept in order, saved and loaded") {
  Viewer viewer = over_server();
  viewer.add_bookmark(7e5, "late");
  viewer.add_bookmark(2e5, "early");
  viewer.add_bookmark(NAN, "never");
  REQUIRE(viewer.bookmarks().size() == 2);
  CHECK(viewer.bookmarks()[0].text == "early");
  CHECK(count(viewer.picture(), Ink::Bookmark) > 0);
  const std::string notes = viewer.save_notes();

  Viewer other = over_server();
  REQUIRE(other.load_notes(notes));
  CHECK(other.save_notes() == notes);
  CHECK(!other.load_notes("no notes"));
  CHECK(other.bookmarks().size() == 2);
  other.remove_bookmark(0);
  other.remove_bookmark(5);
  other.rename_bookmark(0, "later");
  other.rename_bookmark(5, "nowhere");
  CHECK(other.bookmarks()[0].text == "later");
  REQUIRE(other.bookmarks().size() == 1);
  CHECK(other.bookmarks()[0].time == 7e5);

  viewer.show(4e5, 4.2e5);
  viewer.run(Command::NextBookmark);
  CHECK(viewer.window().from + 1e4 == doctest::Approx(7e5));
  viewer.run(Command::NextBookmark);
  CHECK(viewer.window().from + 1e4 == doctest::Approx(7e5));
  viewer.run(Command::PreviousBookmark);
  CHECK(viewer.window().from + 1e4 == doctest::Approx(2e5));
  viewer.pointer_leave();
  select(viewer, 2);
  viewer.run(Command::AddBookmark);
  CHECK(viewer.bookmarks().size() == 3);
  CHECK(viewer.bookmarks()[1].text == "session A (#2)");
}

TEST_CASE("a bookmark has the selected task's name only while that task is live") {
  Viewer viewer = over_server();
  const auto named = [&](TaskId id, double time) {
    select(viewer, id);
    viewer.pointer_move(x_of(viewer, time), 100);
    viewer.run(Command::AddBookmark);
    const auto last = std::max_element(
        viewer.bookmarks().begin(), viewer.bookmarks().end(), [](const auto& a, const auto& b) {
          return a.text.starts_with("Bookmark") < b.text.starts_with("Bookmark");
        });
    const std::string text = last->text;
    while (!viewer.bookmarks().empty()) viewer.remove_bookmark(0);
    return text;
  };
  CHECK(named(2, 3e5) == "session A (#2)");
  CHECK(named(2, 5.1e5) == "Bookmark 1");
  CHECK(named(2, 9e4) == "Bookmark 1");
  CHECK(named(5, 9e5) == "lock (#5)");  // never ends
  CHECK(named(3, 9e5) == "session B (#3)");
}

TEST_CASE("a bookmark stays at its event when a ring overwrites its beginning") {
  Viewer viewer;
  viewer.resize(1000, 600);
  viewer.add(ring(0), "ring");
  viewer.add_bookmark(6e5, "session B begins");
  const std::string early = viewer.save_notes();
  viewer.update(0, ring(200'000));
  CHECK(viewer.bookmarks()[0].time - viewer.tracks()[0].offset == doctest::Approx(4e5));
  CHECK(viewer.save_notes() == early);  // unchanged
  Viewer second;
  second.resize(1000, 600);
  second.add(ring(200'000), "ring");
  second.add_bookmark(4e5, "session B begins");
  CHECK(second.save_notes() != early);

  for (const std::string& notes : {early, second.save_notes()}) {
    Viewer later;
    later.resize(1000, 600);
    later.add(ring(300'000), "ring");
    REQUIRE(later.load_notes(notes));
    CHECK(later.bookmarks()[0].time == doctest::Approx(3e5));
    later.add(ring(100'000), "another");
    CHECK(later.bookmarks()[0].time - later.tracks()[0].offset == doctest::Approx(3e5));
  }
}

TEST_CASE("a bookmark stays at its event beside another trace of the same boot") {
  const auto read_with = [](uint64_t frequency) {
    Trace trace = ring(0);
    constexpr uint64_t ticks = 54'000'000'000'000;  // since the boot: 100 hours
    trace.info.tick_clock.frequency = frequency;
    trace.info.start =
        static_cast<uint64_t>(1e9 * static_cast<double>(ticks) / static_cast<double>(frequency));
    return trace;
  };
  Viewer alone = showing(read_with(150'000'000));
  alone.add_bookmark(6e5, "session B begins");
  // Its own clock was measured as 20 ppb slower than that of the other trace.
  Viewer beside = showing(read_with(150'000'003));
  CHECK(beside.trace(0).info.start != alone.trace(0).info.start);
  REQUIRE(beside.load_notes(alone.save_notes()));
  CHECK(beside.bookmarks()[0].time == doctest::Approx(6e5).epsilon(1e-7));
  CHECK(beside.tracks()[0].offset == 0);
  REQUIRE(alone.load_notes(beside.save_notes()));
  CHECK(alone.bookmarks()[0].time == doctest::Approx(6e5).epsilon(1e-7));
}
