#include <doctest/doctest.h>

#include <algorithm>

#include "trace/ask/random_events_trace.h"
#include "trace/ask/random_program.h"
#include "trace/model/example.h"
#include "view/viewer/viewer.h"

using namespace skein;

namespace {

//        0    5    10   15   20 us
//    1   ====------------------>   creates 20, a condition; waits for it from 16 on
//    2   .....=]                   notifies it at 10
Trace lost_wake_up() {
  return ours(R"(
     0 create 1 as coroutine query
     0 create 2 as coroutine network
     0 resource 1 of 20 as condition answered
  1000 resume 1
  2000 create 3 by 1 as timer
  3000 suspend 1 on 3
  9000 resume 2
 10000 notify 20 by 2 =0
 11000 resolve 2 by 2
 14000 resolve 3 by 3
 15000 resume 1 by 3
 16000 suspend 1 on 20 =1
 20000 executor_end -
  )")
      .trace;
}

// Two tasks each hold a lock and wait for the other's.
Trace circle() {
  return ours(R"(
     0 create 1 as coroutine left
     0 create 2 as coroutine right
     0 resource 1 of 10 as mutex a
     0 resource 2 of 11 as mutex b
     1 resume 1
     2 acquire 1 of 10
     3 suspend 1 on 11 =1
     4 resume 2
     5 acquire 2 of 11
     6 suspend 2 on 10 =1
    20 executor_end -
  )")
      .trace;
}

Viewer showing(Trace trace, std::string title = "a trace") {
  Viewer viewer;
  viewer.resize(1000, 600);
  viewer.add(std::move(trace), std::move(title));
  return viewer;
}

const PanelLine& line(const Panel& panel, std::string_view name) {
  const auto found = std::find_if(panel.lines.begin(), panel.lines.end(),
                                  [&](const PanelLine& l) { return l.name == name; });
  REQUIRE_MESSAGE(found != panel.lines.end(), "no line " << name);
  return *found;
}
bool says(const Panel& panel, std::string_view text) {
  return std::any_of(panel.lines.begin(), panel.lines.end(),
                     [&](const PanelLine& l) { return l.value.find(text) != std::string::npos; });
}
TaskId selected_id(const Viewer& viewer) {
  return viewer.selected() == no_index
             ? no_task
             : viewer.model(viewer.selected_track()).tasks[viewer.selected()].id;
}

}  // namespace

TEST_CASE("a trace opens with its errors, and a key selects them") {
  Viewer viewer = showing(lost_wake_up());
  CHECK(viewer.alarm() == "1 stuck task: lost wake-up");
  CHECK(line(viewer.panel(), "stuck").value == "query (#1): lost wake-up");
  CHECK(viewer.key("e", {}));
  CHECK(selected_id(viewer) == 1);
  // The condition that it waits for and the task that notified it are highlighted, too.
  const Marks marks = viewer.marks();
  CHECK(marks.tasks[0][viewer.model(0).find(20)] == 1);
  CHECK(marks.tasks[0][viewer.model(0).find(2)] == 1);
  // Both times are visible, and apart.
  CHECK(viewer.window().from < 10'000);
  CHECK(viewer.window().to > 16'000);
  CHECK((viewer.window().to - viewer.window().from) < 60'000);
  viewer.run(Command::NextStuck);
  CHECK(selected_id(viewer) == 1);  // there is no other
}

TEST_CASE("red tasks are those of the alarm and of the filter") {
  // The wait of task 1 is in vain, whether or not it is marked should_resolve.
  Viewer viewer = showing(lost_wake_up());
  const auto is_red = [&] {
    const auto& all = viewer.picture().primitives;
    return std::any_of(all.begin(), all.end(),
                       [](const Primitive& p) { return p.ink == Ink::Failed; });
  };
  CHECK(!is_red());  // not known yet
  CHECK(!viewer.changed());
  CHECK(!viewer.alarm().empty());
  CHECK(viewer.changed());
  CHECK(is_red());
  viewer.set_filter({.only_stuck = true});
  size_t shown = 0;
  for (const uint32_t row : viewer.tracks()[0].rows->row) shown += row != Rows::no_row;
  CHECK(shown == 1);
  CHECK(viewer.tracks()[0].rows->row[viewer.model(0).find(1)] != Rows::no_row);
  CHECK(is_red());
}

TEST_CASE("a task destroyed in between did not resume") {
  Trace trace = lost_wake_up();
  trace.events.append({.time = 25'000, .task = 1, .kind = EventKind::ShouldResolve});
  trace.events.append({.time = 30'000, .task = 1, .kind = EventKind::Cancel});
  Viewer viewer = showing(std::move(trace));
  CHECK(viewer.alarm() == "1 task was stuck: lost wake-up");
}

TEST_CASE("the panel of a stuck task explains it") {
  Viewer viewer = showing(lost_wake_up());
  viewer.run(Command::NextStuck);
  const Panel panel = viewer.panel();
  CHECK(line(panel, "why").value == "lost wake-up");
  CHECK(line(panel, "why").heading);
  CHECK(says(panel,
             "answered (#20) was notified at 10.000 us by network (#2), when no task was waiting. "
             "query (#1) began to wait at 16.000 us, 6.00 us later. "));
  SUBCASE("the notifier is a link to that time") {
    const PanelLine& by = line(panel, "notified by");
    CHECK(by.value == "network (#2), 10.000 us");
    viewer.click(by.link);
    CHECK(selected_id(viewer) == 2);
    // It has ended: nothing is wrong with it.
    for (const PanelLine& l : viewer.panel().lines) CHECK(l.name != "why");
  }
  SUBCASE("the target is a link, too") {
    const auto why = std::find_if(panel.lines.begin(), panel.lines.end(),
                                  [](const PanelLine& l) { return l.name == "why"; });
    const auto waits = std::find_if(why, panel.lines.end(), [](const PanelLine& l) {
      return l.name == "waits for" && l.link != 0;
    });
    REQUIRE(waits != panel.lines.end());
    viewer.click(waits->link);
    CHECK(selected_id(viewer) == 20);
  }
}

TEST_CASE("a cycle is shown with all its edges, in several traces by name") {
  Viewer viewer = showing(circle(), "bad");
  viewer.add(lost_wake_up(), "worse");
  viewer.add(ours("0 create 1 as coroutine fine\n1 resume 1\n2 resolve 1 by 1").trace, "good");
  CHECK(viewer.alarm() ==
        "bad: 2 stuck tasks: deadlock; "
        "worse: 1 stuck task: lost wake-up");
  viewer.run(Command::NextStuck);
  const Panel panel = viewer.panel();
  CHECK(line(panel, "trace").value == "bad");
  CHECK(line(panel, "why").value == "deadlock");
  CHECK(line(panel, "which is held by").link != 0);
  CHECK(line(panel, "which waits for").link != 0);
  viewer.run(Command::NextStuck);  // the other one
  CHECK(viewer.selected_track() == 0);
  viewer.run(Command::NextStuck);
  CHECK(viewer.selected_track() == 1);
  viewer.run(Command::NextStuck);
  CHECK(viewer.selected_track() == 0);
}

TEST_CASE("a trace without errors shows no message") {
  for (uint32_t seed = 0; seed < 20; seed++) {
    RandomProgram program(seed, RandomProgram::Fault::None);
    Viewer viewer = showing(std::move(program.trace));
    CHECK(viewer.alarm() == "");
    viewer.run(Command::NextStuck);
    CHECK(viewer.selected() == no_index);
  }
  CHECK(Viewer().alarm() == "");
}

TEST_CASE("an analysis on another thread equals one on demand") {
  for (uint32_t seed = 0; seed < 20; seed++) {
    const auto program = [&] { return RandomProgram(seed, RandomProgram::Fault::LostWakeUp); };
    Viewer lazy = showing(program().trace);
    LoadedTrace loaded(program().trace);
    loaded.find_problems();
    Viewer asked;
    asked.add(std::move(loaded), "a trace");
    CHECK(lazy.alarm() != "");
    CHECK(lazy.alarm() == asked.alarm());
    // A trace that grows is analysed again.
    asked.update(0, RandomProgram(seed, RandomProgram::Fault::None).trace);
    CHECK(asked.alarm() == "");
  }
}

TEST_CASE("any panel of a nonsensical trace") {
  for (uint32_t seed = 0; seed < 200; seed++) {
    Viewer viewer = showing(random_events_trace(seed));
    viewer.alarm();
    for (TaskIndex task = 0; task < viewer.model(0).tasks.size(); task++) {
      viewer.select(0, task);
      CHECK(!viewer.panel().title.empty());
    }
    viewer.run(Command::NextStuck);
  }
}

TEST_CASE("a program that destroyed its stuck tasks at its end: they were stuck before") {
  const auto destroyed = [] {
    Trace trace = circle();
    trace.events.append({.time = 50'000, .task = 1, .kind = EventKind::Cancel});
    trace.events.append({.time = 60'000, .task = 2, .kind = EventKind::Cancel});
    trace.info.start = 1'000'000'000;
    trace.info.utc_offset = 0;
    return trace;
  };
  const auto red_ends = [](Viewer& viewer) {
    viewer.alarm();
    viewer.picture();
    std::vector<uint64_t> ends;
    const Rows& rows = *viewer.tracks()[0].rows;
    for (const Rows::Times& red : rows.red_times)
      ends.push_back(uint64_t{red.end} << rows.time_shift);
    return ends;
  };
  Viewer viewer = showing(destroyed());
  CHECK(viewer.alarm() == "2 tasks were stuck: deadlock");
  CHECK(red_ends(viewer) == std::vector<uint64_t>{50'000, 60'000});
  viewer.run(Command::NextStuck);
  CHECK(selected_id(viewer) == 1);
  const Panel panel = viewer.panel();
  CHECK(line(panel, "why").value == "deadlock");
  CHECK(line(panel, "state").value == "cancelled");
  CHECK(says(panel, "When the program began to destroy its tasks, at 20 ns:"));  // the thread ended
  CHECK(line(panel, "which is held by").value == "right (#2)");

  // As long as it runs, it has not ended, and waits for nothing.
  Viewer live;
  live.resize(1000, 600);
  live.add(LoadedTrace(destroyed(), {.utc = 1'000'070'000, .running = true}), "live");
  CHECK(live.alarm() == "");
  CHECK(red_ends(live).empty());
  live.set_filter({.only_stuck = true});
  SUBCASE("a sign of its end") { live.set_liveness(0, {.utc = 1'000'070'000, .running = false}); }
  SUBCASE("it is read again") {
    live.update(0, LoadedTrace(destroyed(), {.utc = 1'000'070'000, .running = false}));
  }
  CHECK(live.alarm() == "2 tasks were stuck: deadlock");
  CHECK(red_ends(live).size() == 2);
}

// runnable at 1,000; no events until the trace is read ten seconds later
TEST_CASE("a program whose trace is read later is not starved") {
  const std::string text = R"(
     0 create 1 as coroutine session
     1 resume 1
     2 create 3 by 1 as timer
     3 suspend 1 on 3
  1000 resolve 3 by 3 @1
  )";
  Trace trace = ours(text).trace;
  trace.info.start = 1'000'000'000;
  trace.info.utc_offset = 0;
  Viewer viewer;
  viewer.add(LoadedTrace(std::move(trace), {.utc = 11'000'000'000, .running = true}), "live");
  CHECK(viewer.model(0).end == 10'000'000'000);
  CHECK(viewer.alarm() == "");
}
