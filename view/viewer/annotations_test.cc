#include "view/viewer/annotations.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "trace/model/example.h"
#include "view/viewer/viewer.h"

using namespace skein;

namespace {

// A query that is answered. `from` is the first task's id, `start` the clock at time 0.
Trace run(uint64_t from, uint64_t start) {
  const std::string a = std::to_string(from);
  const std::string b = std::to_string(from + 1);
  Trace trace = ours("0 create " + a + " as coroutine query\n0 resume " + a + "\n1000 create " + b +
                     " by " + a + " as coroutine answer\n9000 resolve " + a + " by " + a)
                    .trace;
  trace.info.start = start;
  trace.info.utc_offset = 0;
  return trace;
}

// Two runs, recorded one after the other on one machine.
struct Both {
  Both() {
    viewer.resize(1000, 600);
    viewer.add(run(1, 1'000'000), "good");
    viewer.add(run(50, 1'005'000), "bad");
  }
  Annotations annotations() const {
    Annotations all;
    all.matches = {{1, 50}};
    all.notes = {{.trace = 0, .task = 1, .clock = 1'003'000, .text = "replied, then requested"},
                 {.trace = 1, .task = 50, .clock = 1'009'000, .text = "requested, then replied"}};
    all.text = "In good it answered first";
    return all;
  }
  TaskIndex good(TaskId id) const { return viewer.model(0).find(id); }
  TaskIndex bad(TaskId id) const { return viewer.model(1).find(id); }

  Viewer viewer;
};

const PanelLine* line(const Panel& panel, std::string_view name) {
  for (const PanelLine& l : panel.lines)
    if (l.name == name) return &l;
  return nullptr;
}

}  // namespace

TEST_CASE("two runs are aligned by their clock, or by their starts") {
  Both both;
  CHECK(both.viewer.tracks()[1].offset == 5'000);
  CHECK(line(both.viewer.panel(), "aligned")->value == "by clock");
  both.viewer.align_by_start();
  CHECK(both.viewer.tracks()[1].offset == 0);
  CHECK(line(both.viewer.panel(), "aligned")->value == "by start");
}

TEST_CASE("traces that are added later begin at the same time, too") {
  Viewer viewer;
  viewer.align_by_start();
  viewer.add(run(1, 1'000'000), "good");
  viewer.add(run(50, 1'005'000), "bad");
  CHECK(viewer.tracks()[1].offset == 0);
}

TEST_CASE("a selected task highlights its counterpart, and the panel links there and back") {
  Both both;
  both.viewer.link(both.annotations());
  CHECK(both.viewer.tracks()[1].offset == 0);
  both.viewer.select(0, both.good(1));
  CHECK(both.viewer.marks().tasks[1][both.bad(50)] == 1);
  const Panel panel = both.viewer.panel();
  REQUIRE(line(panel, "in bad") != nullptr);
  CHECK(line(panel, "in bad")->value == "query (#50)");
  both.viewer.click(line(panel, "in bad")->link);
  CHECK(both.viewer.selected_track() == 1);
  CHECK(both.viewer.selected() == both.bad(50));
  CHECK(both.viewer.marks().tasks[0][both.good(1)] == 1);
  CHECK(line(both.viewer.panel(), "in good")->value == "query (#1)");
  // A task without a counterpart is unmatched, and nothing else is highlighted.
  both.viewer.select(0, both.good(2));
  CHECK(line(both.viewer.panel(), "in bad")->value == "unmatched");
  CHECK(line(both.viewer.panel(), "in bad")->link == 0);
  const auto marks = both.viewer.marks().tasks[1];
  CHECK(std::count(marks.begin(), marks.end(), 1) == 0);
}

TEST_CASE("notes appear in the picture, at their time in their trace, and in the panel") {
  Both both;
  both.viewer.link(both.annotations());
  CHECK(both.viewer.alarm() == "In good it answered first");
  // Both are visible, and apart; one undo shows everything.
  CHECK(both.viewer.window().from > 0);
  CHECK(both.viewer.window().to < 9'000);
  both.viewer.run(Command::UndoZoom);
  CHECK(both.viewer.window().from <= 0);
  CHECK(both.viewer.window().to >= 9'000);
  const DrawList list = both.viewer.picture();
  const auto text = [&](std::string_view wanted) -> const Primitive* {
    for (const Primitive& p : list.primitives)
      if (p.shape == Shape::Text && p.ink == Ink::Bookmark && list.text(p) == wanted) return &p;
    return nullptr;
  };
  const Primitive* good = text("replied, then requested");
  const Primitive* bad = text("requested, then replied");
  REQUIRE(good != nullptr);
  REQUIRE(bad != nullptr);
  CHECK(good->x < bad->x);  // 3 us, 4 us
  CHECK(good->y < bad->y);  // the second trace is below
  both.viewer.select(1, both.bad(50));
  CHECK(line(both.viewer.panel(), "divergence")->value == "4.000 us: requested, then replied");
  CHECK(line(both.viewer.panel(), "divergence")->link != 0);
}

TEST_CASE("invalid annotations are ignored") {
  Both both;
  Annotations annotations = both.annotations();
  annotations.matches = {{99, 50}, {1, 99}, {no_task, no_task}};
  annotations.notes = {{.trace = 7, .task = 1, .clock = 1'000'001, .text = "?"},
                       {.trace = 0, .task = 99, .clock = 1'000'001, .text = "?"},
                       {.trace = 0, .task = 1, .clock = 0, .text = "?"},
                       {.trace = 0, .task = 1, .clock = INT64_MAX, .text = "\x1b[31m"}};
  both.viewer.link(annotations);
  both.viewer.select(0, 0);
  CHECK(line(both.viewer.panel(), "in bad")->link == 0);
  CHECK(!both.viewer.picture().primitives.empty());
  annotations.second = annotations.first;
  both.viewer.link(annotations);
  CHECK(line(both.viewer.panel(), "in bad") == nullptr);
  annotations.second = 5;
  both.viewer.link(annotations);
  CHECK(line(both.viewer.panel(), "in bad") == nullptr);
}

TEST_CASE("notes on one trace need no other trace") {
  Viewer viewer;
  viewer.resize(1000, 600);
  viewer.add(run(1, 1'000'000), "alone");
  Annotations annotations{.first = 0, .second = 0};
  annotations.notes = {{.task = 1, .clock = 1'003'000, .text = "it ran long"},
                       {.task = 1, .clock = 1'003'000, .text = "it woke itself"}};
  viewer.link(annotations);
  viewer.select(0, 0);
  const Panel panel = viewer.panel();
  REQUIRE(line(panel, "doctor") != nullptr);
  CHECK(line(panel, "doctor")->value == "3.000 us: it ran long");
  // The texts do not overlap.
  const DrawList list = viewer.picture();
  std::vector<float> heights;
  for (const Primitive& p : list.primitives)
    if (p.shape == Shape::Text && p.ink == Ink::Bookmark) heights.push_back(p.y);
  REQUIRE(heights.size() == 2);
  CHECK(std::abs(heights[0] - heights[1]) >= 16);
}

TEST_CASE("annotations find their tasks and times in a trace that was read again") {
  Both both;
  const Annotations annotations = both.annotations();
  both.viewer.link(annotations);
  both.viewer.select(0, both.good(1));
  const auto window = both.viewer.window();
  // A ring that overwrote 2 us and begins with another task.
  Trace ring = ours(
                   "0 create 49 as coroutine first\n100 create 50 as coroutine query\n"
                   "500 resume 50\n20000 resolve 50 by 50")
                   .trace;
  ring.info.start = 1'007'000;
  ring.info.utc_offset = 0;
  both.viewer.update(1, std::move(ring));
  both.viewer.relink(annotations);
  REQUIRE(both.bad(50) == 1);
  CHECK(both.viewer.marks().tasks[1][1] == 1);
  CHECK(line(both.viewer.panel(), "in bad")->value == "query (#50)");
  CHECK(both.viewer.window().from == window.from);
  CHECK(both.viewer.window().to == window.to);
  both.viewer.select(1, both.bad(50));
  CHECK(line(both.viewer.panel(), "divergence")->value == "4.000 us: requested, then replied");
  CHECK(both.viewer.marks().tasks[0][both.good(1)] == 1);
  // All annotated tasks were overwritten.
  Trace later = ours("0 create 51 as coroutine query").trace;
  later.info.start = 1'009'001;
  both.viewer.update(1, std::move(later));
  both.viewer.relink(annotations);
  CHECK(both.viewer.marks().notes.size() == 1);
  both.viewer.select(0, both.good(1));
  CHECK(line(both.viewer.panel(), "in bad")->link == 0);
  both.viewer.relink(no_annotations);
  CHECK(both.viewer.marks().notes.empty());
  CHECK(line(both.viewer.panel(), "in bad") == nullptr);
}

TEST_CASE("a trace that has grown is of the same run, a new recording is not") {
  const auto trace = [](uint64_t pid, uint64_t start, int64_t utc_offset) {
    Trace made;
    made.processes[0].pid = pid;
    made.info.start = start;
    made.info.utc_offset = utc_offset;
    return made;
  };
  constexpr int64_t utc = 1'700'000'000'000'000'000;
  const Trace before = trace(7, 1'000, utc);
  CHECK(is_same_run(before, trace(7, 1'000, utc)));
  CHECK(is_same_run(before, trace(7, 2'000, utc)));            // a ring
  CHECK_FALSE(is_same_run(before, trace(7, 2'000, utc + 1)));  // the first process of a container
  CHECK_FALSE(is_same_run(before, trace(8, 1'000, utc)));
  CHECK(is_same_run(trace(0, 1'000, utc), trace(0, 1'000, utc)));
  CHECK_FALSE(is_same_run(trace(0, 1'000, utc), trace(0, 2'000, utc)));

  // Read with another trace's frequency: the program's own measurement identifies the run.
  const auto aligned = [&](uint64_t start, int64_t utc_offset, int64_t measured) {
    Trace made = trace(7, start, utc_offset);
    made.info.tick_clock = {
        .boot_id = "boot", .source = "tsc", .frequency = 1'000, .utc_of_tick_0 = measured};
    return made;
  };
  CHECK(is_same_run(aligned(1'000, utc, utc + 5), aligned(2'000, utc + 1, utc + 5)));
  CHECK_FALSE(is_same_run(aligned(1'000, utc, utc + 5), aligned(1'000, utc, utc + 6)));
}

TEST_CASE("annotations survive a round trip through the page, truncated ones are rejected") {
  Both both;
  Annotations annotations = both.annotations();
  annotations.matches.push_back({300, 70'000});
  const std::string bytes = write_annotations(annotations);
  const auto read = [](std::string_view from) {
    return read_annotations({reinterpret_cast<const uint8_t*>(from.data()), from.size()});
  };
  const auto back = read(bytes);
  REQUIRE(back);
  CHECK(back->first == 0);
  CHECK(back->second == 1);
  CHECK(back->matches == annotations.matches);
  REQUIRE(back->notes.size() == 2);
  CHECK(back->notes[1].trace == 1);
  CHECK(back->notes[1].clock == 1'009'000);
  CHECK(back->notes[1].text == "requested, then replied");
  CHECK(back->text == "In good it answered first");
  for (size_t size = 0; size < bytes.size(); size++) CHECK(!read(bytes.substr(0, size)));
  CHECK(!read(bytes + "x"));
  CHECK(!read(std::string(20, '\xff')));
}
