#include <doctest/doctest.h>

#include <algorithm>

#include "trace/ask/random_events_trace.h"
#include "trace/ask/random_program.h"
#include "trace/model/example.h"
#include "view/viewer/viewer.h"

using namespace skein;

namespace {

//        0    10   20   30   40   50   60   70   80   90  100 us
//    1   ====----------------------------------====]        waits for 2, then runs
//    2        ====-----------=======]  runnable         runs, waits for a timer (3), runs
//    3            -----------]                         a timer
//    4   runs while 1 is runnable
Trace program() {
  return ours(R"(
      0 create 1 as coroutine caller
      0 create 9 as coroutine bystander
      0 resume 1
  10000 create 2 by 1 as coroutine callee
  10000 suspend 1 on 2
  10000 resume 2 by 1
  20000 create 3 by 2 as timer deadline
  20000 suspend 2 on 3
  50000 resolve 3 by 3
  50000 resume 2 by 3
  70000 resolve 2 by 2
  70000 resume 9
  90000 suspend 9
  90000 resume 1 by 2
 100000 resolve 1 by 1
 110000 executor_end -
  )")
      .trace;
}

Viewer showing(Trace trace) {
  Viewer viewer;
  viewer.resize(1000, 600);
  viewer.add(std::move(trace), "a trace");
  return viewer;
}
size_t count(const DrawList& list, Ink ink) {
  return static_cast<size_t>(std::count_if(list.primitives.begin(), list.primitives.end(),
                                           [&](const Primitive& p) { return p.ink == ink; }));
}
TaskIndex index_of(const Viewer& viewer, TaskId id) { return viewer.model(0).find(id); }

}  // namespace

TEST_CASE("a key shows the selected task's critical path, and hides it") {
  Viewer viewer = showing(program());
  viewer.key("k", {});
  CHECK(viewer.marks().path.empty());  // no selection
  viewer.select(0, index_of(viewer, 1));
  viewer.key("k", {});
  const auto path = viewer.marks().path;
  REQUIRE(!path.empty());
  CHECK(path.front().begin == 0);
  CHECK(path.back().end == 100'000);
  CHECK(count(viewer.picture(), Ink::Path) >= path.size());
  // Other tasks fade.
  CHECK(viewer.marks().tasks[0][index_of(viewer, 9)] == 2);
  CHECK(viewer.marks().tasks[0][index_of(viewer, 2)] == 0);
  SUBCASE("the same key") {
    viewer.key("k", {});
    CHECK(viewer.marks().path.empty());
    CHECK(count(viewer.picture(), Ink::Path) == 0);
    const auto marks = viewer.marks().tasks[0];
    CHECK(std::count(marks.begin(), marks.end(), 2) == 0);
  }
  SUBCASE("escape, before it clears the selection") {
    viewer.run(Command::Escape);
    CHECK(viewer.marks().path.empty());
    CHECK(viewer.selected() == index_of(viewer, 1));
  }
  SUBCASE("the path of another task replaces it") {
    viewer.select(0, index_of(viewer, 2));
    CHECK(viewer.marks().path.back().end == 100'000);  // the first path stays
    viewer.key("k", {});
    CHECK(viewer.marks().path.back().end == 70'000);
  }
  SUBCASE("a trace that grows keeps it, one without the task does not") {
    viewer.update(0, program());
    CHECK(viewer.marks().path.size() == path.size());
    viewer.update(0, ours("0 create 77 as coroutine other\n1 resume 77").trace);
    CHECK(viewer.marks().path.empty());
  }
}

TEST_CASE("the panel lists the segments, whose lengths add up") {
  Viewer viewer = showing(program());
  viewer.select(0, index_of(viewer, 1));
  viewer.key("k", {});
  const Panel panel = viewer.panel();
  auto line = std::find_if(panel.lines.begin(), panel.lines.end(),
                           [](const PanelLine& l) { return l.name == "critical path"; });
  REQUIRE(line != panel.lines.end());
  CHECK(line->heading);
  CHECK(line->value == "100 us");
  const auto says = [&](std::string_view name, std::string_view value) {
    return std::any_of(line, panel.lines.end(), [&](const PanelLine& l) {
      return l.name.find(name) != std::string::npos && l.value.find(value) != std::string::npos;
    });
  };
  CHECK(says("external", "30.0 us, 30.0 %"));
  CHECK(says("runnable", "20.0 us, 20.0 %"));
  CHECK(says("running", "50.0 us, 50.0 %"));
  CHECK(says("", "deadline (#3): external, 30.0 us, 30.0 %"));
  CHECK(says("", "caller (#1): runnable, while bystander (#9) ran, 20.0 us, 20.0 %"));
  // A segment links to its task.
  const auto step = std::find_if(
      line, panel.lines.end(), [](const PanelLine& l) { return l.value.starts_with("deadline"); });
  viewer.click(step->link);
  CHECK(viewer.selected() == index_of(viewer, 3));
}

TEST_CASE("pointing at the path and hovering over an SVG show the segment") {
  Viewer viewer = showing(program());
  REQUIRE(viewer.show_critical_path("caller"));
  CHECK(viewer.selected() == index_of(viewer, 1));
  const DrawList list = viewer.titled_picture();
  const auto titled = [&](std::string_view text) {
    return std::any_of(list.primitives.begin(), list.primitives.end(), [&](const Primitive& p) {
      return p.shape == Shape::Fill && list.text(p).find(text) != std::string_view::npos;
    });
  };
  CHECK(titled("deadline (#3), critical path: external, 30.0 us, 30.0 %"));
  const float x = static_cast<float>((35'000 - viewer.window().from) /
                                     (viewer.window().to - viewer.window().from) * 1000);
  bool told = false;
  for (float y = 0; y < 600 && !told; y++) {
    viewer.pointer_move(x, y);
    told = viewer.tooltip().find("critical path: external") != std::string::npos;
  }
  CHECK(told);
}

TEST_CASE("a task can be given by label, name or id") {
  Viewer viewer = showing(program());
  CHECK(viewer.show_critical_path("#2"));
  CHECK(viewer.marks().path.back().end == 70'000);
  CHECK(viewer.show_critical_path("callee"));
  CHECK(!viewer.show_critical_path("no-such-task"));
}

TEST_CASE("each way to wait looks different") {
  Viewer viewer = showing(program());
  viewer.show_critical_path("caller");
  const DrawList& list = viewer.picture();
  const auto x = [&](double time) {
    return static_cast<float>((time - viewer.window().from) /
                              (viewer.window().to - viewer.window().from) * 1000);
  };
  const auto over = [&](double time) {
    std::vector<Primitive> all;
    for (const Primitive& p : list.primitives)
      if (p.ink == Ink::Path && p.w > 3 && p.x <= x(time) && p.x + p.w >= x(time)) all.push_back(p);
    return all;
  };
  REQUIRE(over(5'000).size() == 1);  // running
  CHECK(over(80'000).size() == 2);   // runnable: the edges of a frame
  const auto dashes =
      std::count_if(list.primitives.begin(), list.primitives.end(), [&](const Primitive& p) {
        return p.ink == Ink::Path && p.x >= x(20'000) - 1 && p.x < x(50'000) && p.w <= 6 && p.w > 2;
      });
  CHECK(dashes > 10);
  for (const Primitive& p : over(80'000)) CHECK(p.h < over(5'000)[0].h);
}

TEST_CASE("a path of any task of any program is drawn within bounds, at any zoom") {
  for (uint32_t seed = 0; seed < 30; seed++) {
    Viewer viewer = showing(seed % 3 == 0 ? random_events_trace(seed)
                                          : RandomProgram(seed, RandomProgram::Fault::None).trace);
    viewer.run(Command::ToggleLegend);
    for (TaskIndex task = 0; task < viewer.model(0).tasks.size(); task += 3) {
      viewer.select(0, task);
      viewer.run(Command::CriticalPath);
      CHECK(viewer.picture().primitives.size() <= 50'000);
      CHECK(!viewer.panel().title.empty());
      viewer.run(Command::FitSelection);
      CHECK(viewer.picture().primitives.size() <= 50'000);
      viewer.titled_picture();
    }
  }
}

TEST_CASE("thousands of segments in a pixel are one line") {
  std::string text = "0 create 1 as coroutine left\n0 create 2 as coroutine right\n0 resume 1\n";
  uint64_t time = 10;
  for (int i = 0; i < 4000; i++) {
    const std::string a = i % 2 ? "2" : "1", b = i % 2 ? "1" : "2";
    text += std::to_string(time) + " suspend " + a + " on " + b + "\n";
    text += std::to_string(time) + " resume " + b + " by " + a + "\n";
    time += 10;
  }
  text += std::to_string(time) + " resolve 1 by 1\n";
  Viewer viewer = showing(ours(text).trace);
  viewer.show_critical_path("left");
  REQUIRE(viewer.marks().path.size() > 2000);
  CHECK(count(viewer.picture(), Ink::Path) <= 1100);
  CHECK(viewer.panel().lines.size() < 300);
}
