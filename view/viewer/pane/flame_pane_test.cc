#include "view/viewer/pane/flame_pane.h"

#include <doctest/doctest.h>

#include "trace/ask/random_events_trace.h"
#include "view/viewer/test_viewer.h"

using namespace skein;

namespace {

Viewer with_pane(Trace trace) {
  Viewer viewer = showing(std::move(trace));
  viewer.run(Command::ToggleTaskTable);
  viewer.flame().resize(500, 200);
  return viewer;
}

// The texts of the picture: the frames, then the title.
std::string texts(Viewer& viewer) {
  viewer.task_table();
  const DrawList& list = viewer.flame().picture();
  std::string all;
  for (const Primitive& one : list.primitives)
    if (one.shape == Shape::Text) all += (all.empty() ? "" : "|") + std::string(list.text(one));
  return all;
}

// A point in the frame with this name; the topmost one.
Point on_frame(Viewer& viewer, std::string_view name) {
  viewer.flame().picture();
  for (float y = 0; y < 200; y += 4) {
    for (float x = 0; x < 500; x += 2) {
      viewer.flame().pointer_move(x, y);
      if (viewer.flame().tooltip().starts_with(std::string(name) + "\n")) return {x, y};
    }
  }
  FAIL("no frame " << name);
  return {};
}
void click_frame(Viewer& viewer, std::string_view name) {
  const Point at = on_frame(viewer, name);
  viewer.flame().click(at.x, at.y);
  viewer.flame().picture();
}

std::string highlighted(const Viewer& viewer) {
  std::string ids;
  for (size_t track = 0; track < viewer.marks().tasks.size(); track++) {
    const auto& of = viewer.marks().tasks[track];
    for (TaskIndex i = 0; i < of.size(); i++)
      if (of[i] == 1) ids += '#' + std::to_string(viewer.model(track).tasks[i].id);
  }
  return ids;
}
std::string framed(Viewer& viewer) {
  std::string names;
  for (const TaskTable::Row& row : viewer.task_table().rows)
    if (row.framed) names += row.texts[0] + ';';
  return names;
}

}  // namespace

TEST_CASE("the flame graph shows each kind of time, as skein flame does") {
  Viewer viewer = with_pane(server_trace());
  CHECK(texts(viewer) == "all|session A|session B|running: 150 us");
  viewer.flame().set_time(FlameTime::Suspended);
  CHECK(texts(viewer) == "all|session A|session B|ring.read|lock|suspended: 640 us");
  viewer.flame().set_time(FlameTime::Ready);
  CHECK(texts(viewer) == "all|session A|ready: 10.0 us");
  viewer.flame().set_time(FlameTime::All);
  CHECK(texts(viewer).ends_with("all: 800 us"));
  CHECK(viewer.flame().times().size() == 4);  // it has no samples
  viewer.flame().set_time(FlameTime::Cpu);
  CHECK(texts(viewer) == "samples: none in the selection");
  viewer.flame().set_time(static_cast<FlameTime>(99));
  CHECK(viewer.flame().time() == FlameTime::Cpu);
}

TEST_CASE("a hidden graph is empty") {
  Viewer viewer = over_server();
  viewer.flame().resize(500, 200);
  CHECK(viewer.flame().picture().primitives.empty());
  CHECK(!viewer.flame().changed());
}

TEST_CASE("the graph follows the range, the selected task, the filter and the row") {
  Viewer viewer = with_pane(server_trace());
  select(viewer, 2);
  CHECK(texts(viewer) == "all|session A|running: 100 us");
  viewer.show(310'000, 350'000);
  viewer.select(0, no_index);
  viewer.run(Command::Measure);
  CHECK(texts(viewer) == "all|session A|running: 40.0 us");
  viewer.run(Command::ClearMeasure);
  viewer.set_filter({.label = "session B"});
  CHECK(texts(viewer) == "all|session B|running: 50.0 us");
  viewer.set_filter({});
  viewer.sort_tasks(TaskTable::Column::Name);
  for (size_t i = 0; i < viewer.task_table().rows.size(); i++)
    if (viewer.task_table().rows[i].texts[0] == "session A") viewer.choose_tasks(i);
  CHECK(texts(viewer) == "all|session A|running: 100 us");
  CHECK(highlighted(viewer) == "#2");
}

TEST_CASE("a search highlights frames and is not the selection") {
  Viewer viewer = with_pane(server_trace());
  viewer.flame().set_time(FlameTime::Suspended);
  viewer.search("SESSION a");
  CHECK(texts(viewer).ends_with("suspended: 640 us, 45.3 % matches the search"));
  CHECK(count(viewer.flame().picture(), Ink::Highlight) == 1);
  viewer.search("ring.read");  // its callers do not count
  CHECK(texts(viewer).ends_with("21.9 % matches the search"));
  viewer.search("no such text");
  CHECK(texts(viewer).ends_with(" 0.0 % matches the search"));
  viewer.search("");
  CHECK(texts(viewer).ends_with("640 us"));
}

TEST_CASE("a chosen frame fills the width, and highlights its tasks in picture and table") {
  Viewer viewer = with_pane(server_trace());
  viewer.flame().set_time(FlameTime::Suspended);
  click_frame(viewer, "lock");
  CHECK(viewer.flame().chooses());
  CHECK(texts(viewer) == "all|session B|lock|suspended: 640 us");
  CHECK(highlighted(viewer) == "#3");
  CHECK(framed(viewer) == "session B;");
  click_frame(viewer, "lock");  // again: its caller
  CHECK(texts(viewer) == "all|session B|lock|suspended: 640 us");
  click_frame(viewer, "all");
  CHECK(!viewer.flame().chooses());
  CHECK(highlighted(viewer).empty());
  CHECK(framed(viewer).empty());

  click_frame(viewer, "session A");
  viewer.run(Command::Escape);
  CHECK(!viewer.flame().chooses());
  CHECK(highlighted(viewer).empty());
  click_frame(viewer, "session A");
  viewer.flame().set_time(FlameTime::Running);  // has the frame, too
  viewer.flame().picture();
  CHECK(viewer.flame().chooses());
  select(viewer, 3);  // does not
  viewer.flame().picture();
  CHECK(!viewer.flame().chooses());
  viewer.select(0, no_index);
  click_frame(viewer, "session A");
  viewer.run(Command::ToggleTaskTable);
  CHECK(highlighted(viewer).empty());
}

TEST_CASE("a frame does not clear the row that is chosen, and the other way round") {
  Viewer viewer = with_pane(server_trace());
  viewer.sort_tasks(TaskTable::Column::Name);
  size_t row = 0;
  while (viewer.task_table().rows[row].texts[0] != "session A") row++;
  viewer.choose_tasks(row);
  viewer.flame().set_time(FlameTime::Suspended);
  click_frame(viewer, "ring.read");
  CHECK(viewer.task_table().rows[row].chosen);
  CHECK(viewer.task_table().rows[row].framed);
  CHECK(highlighted(viewer) == "#2");
  viewer.run(Command::Escape);  // the frame
  CHECK(!viewer.flame().chooses());
  CHECK(viewer.task_table().rows[row].chosen);
  CHECK(highlighted(viewer) == "#2");
  viewer.run(Command::Escape);  // the row
  CHECK(!viewer.task_table().rows[row].chosen);
  CHECK(highlighted(viewer).empty());
}

TEST_CASE("all kinds of time have a frame for each, which can be chosen") {
  Viewer viewer = with_pane(server_trace());
  viewer.flame().set_time(FlameTime::All);
  click_frame(viewer, "(ready)");
  CHECK(highlighted(viewer) == "#2");
}

TEST_CASE("keys move to a frame and choose it") {
  Viewer viewer = with_pane(server_trace());
  FlamePane& flame = viewer.flame();
  flame.set_time(FlameTime::Suspended);
  CHECK(flame.key("ArrowUp"));  // the widest
  CHECK(flame.tooltip() == "session B\n350 us, 54.7 % of the selection");
  CHECK(flame.key("ArrowLeft"));
  CHECK(flame.tooltip() == "session A\n290 us, 45.3 % of the selection\nitself 150 us");
  CHECK(flame.key("ArrowLeft"));  // there is none
  CHECK(flame.tooltip().starts_with("session A"));
  CHECK(flame.key("ArrowUp"));
  CHECK(flame.tooltip().starts_with("ring.read"));
  CHECK(flame.key("ArrowDown"));
  CHECK(flame.key("ArrowRight"));
  CHECK(flame.tooltip().starts_with("session B"));
  CHECK(flame.key("Enter"));
  flame.picture();
  CHECK(highlighted(viewer) == "#3");
  CHECK(flame.key("Escape"));
  CHECK(!flame.key("Escape"));
  CHECK(!flame.key("g"));
  CHECK(highlighted(viewer).empty());
}

TEST_CASE("several traces are beside each other; a graph follows a trace that grows") {
  Viewer viewer = with_pane(server_trace());
  viewer.add(server_trace(), "b");
  CHECK(texts(viewer) == "all|a trace|session A|session B|b|session A|session B|running: 300 us");
  click_frame(viewer, "b");
  CHECK(highlighted(viewer) == "#2#3");
  CHECK(viewer.marks().tasks[0].empty());
  viewer.run(Command::Escape);
  TestTrace longer = server();
  longer.event(1'100'000, EventKind::Resume, 3);
  longer.event(1'200'000, EventKind::Resolve, 3);
  viewer.update(0, std::move(longer.trace));
  CHECK(texts(viewer).ends_with("running: 400 us"));
}

TEST_CASE("samples have a separate graph") {
  TestTrace t = server();
  const std::vector<StackFrame> frames = {
      {.address = 1, .function = t.trace.strings.intern("hash")},
      {.address = 2, .function = t.trace.strings.intern("run_loop")}};
  const uint32_t stack = t.trace.stacks.add(0);
  t.trace.stacks.set_frames(stack, frames);
  t.add({.time = 1'000'000, .value = stack, .kind = EventKind::Sample});
  Trace trace = std::move(t.trace);
  Viewer viewer = with_pane(std::move(trace));
  CHECK(viewer.flame().times()[0] == FlameTime::Cpu);
  CHECK(viewer.flame().times()[1] == FlameTime::Physical);
  CHECK(viewer.flame().times().size() == 6);
  viewer.flame().set_time(FlameTime::Cpu);
  CHECK(texts(viewer).starts_with("all|"));
  CHECK(texts(viewer).ends_with("hash|1 sample"));
  viewer.flame().set_time(FlameTime::Physical);
  CHECK(texts(viewer) == "all|run_loop|hash|1 sample");
  click_frame(viewer, "hash");
  CHECK(viewer.flame().chooses());
  REQUIRE(viewer.marks().samples.size() == 1);
  CHECK(viewer.marks().samples[0] == std::vector<SampleAt>{{.executor = 0, .time = 1'000'000}});
  viewer.run(Command::Escape);
  CHECK(viewer.marks().samples.empty());
}

TEST_CASE("random events: every frame can be chosen, and every selection has a picture") {
  for (uint32_t seed = 1; seed <= 30; seed++) {
    CAPTURE(seed);
    Viewer viewer = with_pane(random_events_trace(seed));
    FlamePane& flame = viewer.flame();
    for (const FlameTime time : flame.times()) {
      flame.set_time(time);
      const auto count = static_cast<TaskIndex>(viewer.model(0).tasks.size());
      for (TaskIndex task = 0; task < count; task += count / 3 + 1) {
        viewer.select(0, task);
        flame.picture();
        for (const std::string_view key : {"ArrowUp", "ArrowUp", "Enter", "ArrowRight", "Enter"})
          flame.key(key);
        flame.picture();
        viewer.task_table();
      }
      viewer.select(0, no_index);
    }
    viewer.picture();
  }
}
