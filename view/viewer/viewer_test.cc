#include "view/viewer/viewer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>
#include <set>
#include <thread>

#include "view/viewer/keys.h"
#include "view/viewer/test_trace.h"

using namespace skein;

namespace {

Viewer showing(Trace trace) {
  Viewer viewer;
  viewer.resize(1000, 600);
  viewer.add(std::move(trace), "a trace");
  return viewer;
}
Viewer over_server() { return showing(server_trace()); }

TaskIndex index_of(const Viewer& viewer, TaskId id, size_t track = 0) {
  const TaskIndex found = viewer.model(track).find(id);
  REQUIRE(found != no_index);
  return found;
}
TaskId selected_id(const Viewer& viewer) {
  if (viewer.selected() == no_index) return no_task;
  return viewer.model(viewer.selected_track()).tasks[viewer.selected()].id;
}
void select(Viewer& viewer, TaskId id) { viewer.select(0, index_of(viewer, id)); }

// The value of the first line of this name; "-" if there is none.
std::string value(const Panel& panel, std::string_view name) {
  for (const PanelLine& line : panel.lines)
    if (line.name == name) return line.value;
  return "-";
}
uint32_t link(const Panel& panel, std::string_view name) {
  for (const PanelLine& line : panel.lines)
    if (line.name == name) return line.link;
  return 0;
}

bool same(const Window& a, const Window& b) {
  return a.from == b.from && a.to == b.to && a.top == b.top && a.row_height == b.row_height;
}
double per_pixel(const Viewer& viewer) {
  return (viewer.window().to - viewer.window().from) / static_cast<double>(viewer.window().width);
}
double time_at(const Viewer& viewer, double x) {
  return viewer.window().from + x * per_pixel(viewer);
}
float x_of(const Viewer& viewer, double time) {
  return static_cast<float>((time - viewer.window().from) / per_pixel(viewer));
}

size_t count(const DrawList& list, Ink ink) {
  return static_cast<size_t>(std::count_if(list.primitives.begin(), list.primitives.end(),
                                           [&](const Primitive& p) { return p.ink == ink; }));
}

// A point on the bar of a task, found by asking what is where.
struct Point {
  float x = 0;
  float y = 0;
};
Point on_bar(Viewer& viewer, double time, std::string_view named) {
  const float x = x_of(viewer, time);
  for (float y = 0; y < viewer.window().height; y += 1) {
    viewer.pointer_move(x, y);
    if (viewer.tooltip().starts_with(named)) return {x, y + 1};
  }
  FAIL("no bar of " << named);
  return {};
}

void click(Viewer& viewer, float x, float y) {
  viewer.pointer_down(x, y, {});
  viewer.pointer_up(x, y);
}

}  // namespace

TEST_CASE("at first everything is in sight, and there is nothing to go back to") {
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

TEST_CASE("zooms by the wheel at one place are one gesture, those elsewhere another") {
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

TEST_CASE("keys do what the table says, and the others nothing") {
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

TEST_CASE("zooming by keys is under the pointer, if it is over the picture") {
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

TEST_CASE("a click selects what is there; on nothing, nothing") {
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

TEST_CASE("the panel of a task: what, where, state, who; each other task a link") {
  Viewer viewer = over_server();
  select(viewer, 3);
  Panel panel = viewer.panel();
  CHECK(panel.title == "session B (#3)");
  CHECK(value(panel, "kind") == "coroutine");
  CHECK(value(panel, "state") == "waiting, stuck: it should have ended");
  CHECK(value(panel, "since").starts_with("650"));
  CHECK(value(panel, "waits for") == "lock (#5)");
  CHECK(value(panel, "parent") == "Server (#1)");
  CHECK(value(panel, "ran") == "50.0 us in 1 stretch");

  viewer.click(link(panel, "waits for"));
  CHECK(selected_id(viewer) == 5);
  panel = viewer.panel();
  CHECK(value(panel, "state") == "pending");
  CHECK(value(panel, "was awaited by").starts_with("session B (#3)"));
  viewer.click(link(panel, "parent"));
  CHECK(selected_id(viewer) == 1);
  CHECK(value(viewer.panel(), "children") == "3");
  viewer.click(99'999);
  viewer.click(0);
  CHECK(selected_id(viewer) == 1);

  select(viewer, 2);
  panel = viewer.panel();
  CHECK(value(panel, "state") == "ended");
  CHECK(value(panel, "since") == "500 us, after 400 us");
  CHECK(value(panel, "woken by").starts_with("ring.read (#4)"));
  CHECK(value(panel, "read the result of").starts_with("ring.read (#4)"));
}

TEST_CASE("a task of very many interactions has a panel of bounded length") {
  TestTrace t;
  t.create(0, 1, no_task, "busy");
  for (TaskId id = 2; id < 5000; id++) {
    t.create(id * 1000, id, 1, "");
    t.event(id * 1000 + 500, EventKind::Resolve, id, 1);
  }
  Viewer viewer = showing(std::move(t.trace));
  select(viewer, 1);
  const Panel panel = viewer.panel();
  CHECK(panel.lines.size() < 200);
  CHECK(value(panel, "children") == "4,998");
  CHECK(value(panel, "earlier") != "-");
  CHECK(value(panel, "later") != "-");
}

TEST_CASE("when nothing is selected the panel is about the trace") {
  Viewer viewer = over_server();
  const Panel panel = viewer.panel();
  CHECK(panel.title == "a trace");
  CHECK(value(panel, "tasks") == "5");
  CHECK(value(panel, "ended") == "2");
  CHECK(value(panel, "stuck") == "1");
  CHECK(value(panel, "counter") == "bytes: 250");
  const auto stuck = std::find_if(panel.lines.begin(), panel.lines.end(),
                                  [](const PanelLine& line) { return line.link != 0; });
  REQUIRE(stuck != panel.lines.end());
  CHECK(stuck->value == "session B (#3)");
  viewer.click(stuck->link);
  CHECK(selected_id(viewer) == 3);
}

TEST_CASE("of several traces each has a heading in the panel") {
  Viewer viewer = over_server();
  const auto headings = [&] {
    std::vector<std::string> all;
    for (const PanelLine& line : viewer.panel().lines)
      if (line.heading) all.push_back(line.value);
    return all;
  };
  CHECK(headings().empty());
  viewer.add(server_trace(), "another");
  CHECK(headings() == std::vector<std::string>{"a trace", "another"});
}

TEST_CASE("search highlights as one types, counts, and goes from one to the next") {
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

TEST_CASE("search begins where one looks, and brings what it finds into sight") {
  Viewer viewer = over_server();
  viewer.search("session");
  viewer.show(5.2e5, 5.8e5);
  viewer.run(Command::SearchNext);
  CHECK(selected_id(viewer) == 3);
  const double start = 6e5;
  const Window found = viewer.window();
  CHECK(found.from < start);
  CHECK(found.to > 1e6);  // it is longer than the window was: all of it
  CHECK(found.to - found.from == doctest::Approx(1.1 * 4e5));
  viewer.show(7e5, 8e5);
  const Window inside = viewer.window();
  viewer.search("session B");
  viewer.run(Command::SearchNext);
  CHECK(same(viewer.window(), inside));  // there it is
}

TEST_CASE("going to a bar too thin to be seen zooms until it can be seen, and one can go back") {
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
  SUBCASE("by the search") {
    viewer.search("short");
    viewer.run(Command::SearchNext);
  }
  SUBCASE("by a link of the panel") {
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

TEST_CASE("an executor of which nothing is known and on which nothing ran is not told") {
  TestTrace t;
  t.trace.executors.resize(3);
  t.create(100, 1, no_task, "a", "coroutine", 1);
  t.event(200, EventKind::Resume, 1, no_task, 1);
  t.event(300, EventKind::Suspend, 1, no_task, 1);
  SUBCASE("one is left") {
    Viewer viewer = showing(std::move(t.trace));
    CHECK(viewer.executors() == std::vector<std::string>{"executor 1"});
    CHECK(value(viewer.panel(), "executors") == "-");
    select(viewer, 1);
    CHECK(value(viewer.panel(), "executor") == "-");
  }
  SUBCASE("one with a name is told") {
    t.trace.executors[2].name = t.trace.strings.intern("idle worker");
    Viewer viewer = showing(std::move(t.trace));
    CHECK(viewer.executors() == std::vector<std::string>{"executor 1", "idle worker"});
    CHECK(value(viewer.panel(), "executors") == "2");
    select(viewer, 1);
    CHECK(value(viewer.panel(), "executor") == "executor 1");
  }
}

TEST_CASE("arrows are followed to their other ends") {
  Viewer viewer = over_server();
  viewer.show(2.5e5, 3.5e5);
  select(viewer, 2);
  viewer.run(Command::FollowToSource);
  CHECK(selected_id(viewer) == 4);
  viewer.run(Command::FollowToDestination);
  CHECK(selected_id(viewer) == 2);
  // What B waits for is out of sight.
  viewer.show(2.5e5, 3.5e5);
  select(viewer, 3);
  viewer.run(Command::FollowToDestination);
  CHECK(selected_id(viewer) == 5);
  CHECK(viewer.window().from < 6.5e5);
  CHECK(viewer.window().to > 6.5e5);
  viewer.run(Command::FollowToSource);
  CHECK(selected_id(viewer) == 3);
}

TEST_CASE("of several arrows the one nearest to where one looks is followed") {
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

TEST_CASE("from task to parent, to the next and previous in its row") {
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

TEST_CASE("what is related: what it was and becomes, what these awaited, who awaited them") {
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
  CHECK(count(viewer.picture(), Ink::Highlight) < all);  // only itself
  viewer.run(Command::HighlightRelated);
  CHECK(count(viewer.picture(), Ink::Highlight) == 0);
}

TEST_CASE("a double click zooms to the task and highlights what is related") {
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

TEST_CASE("filters by label, kind, executor, duration, and what is stuck") {
  TestTrace t = server();
  t.trace.executors.resize(2);
  t.trace.executors[1] = {.name = t.trace.strings.intern("worker"), .tid = 42};
  t.create(1'010'000, 9, 1, "remote", "fiber", 1);
  Viewer viewer = showing(std::move(t.trace));
  CHECK(viewer.kinds() == std::vector<std::string>{"coroutine", "fiber", "operation"});
  CHECK(viewer.executors() == std::vector<std::string>{"executor 0", "worker (thread 42)"});
  const auto shown = [&](const Filter& filter) {
    viewer.set_filter(filter);
    viewer.picture();
    std::set<TaskId> ids;
    for (const Model::Task& task : viewer.model(0).tasks) {
      const std::string id = "#" + std::to_string(task.id);
      if (viewer.search(id).count == 1) ids.insert(task.id);
    }
    viewer.search("");
    return ids;
  };
  using Ids = std::set<TaskId>;
  CHECK(shown({}) == Ids{1, 2, 3, 4, 5, 9});
  CHECK(shown({.label = "Session"}) == Ids{2, 3});
  CHECK(shown({.kind = "operation"}) == Ids{4, 5});
  CHECK(shown({.kind = "oper"}).empty());
  CHECK(shown({.executor = "worker (thread 42)"}) == Ids{9});
  CHECK(shown({.shortest = 400'000}).contains(2));
  CHECK(!shown({.shortest = 400'001}).contains(2));
  CHECK(shown({.longest = 150'000}).contains(4));
  CHECK(!shown({.longest = 149'999}).contains(4));
  CHECK(shown({.only_stuck = true}) == Ids{3});
  CHECK(shown({.label = "session", .only_stuck = true}) == Ids{3});
  CHECK(shown({}).size() == 6);
}

TEST_CASE("a question that another thread answers is what search and filter say") {
  const Filter filters[] = {{}, {.label = "session"}, {.kind = "operation"}, {.only_stuck = true}};
  const std::string texts[] = {"", "s", "session", "session a", "#5", "nothing"};
  Viewer asked = over_server();
  Viewer told = over_server();
  asked.add(server_trace(), "another");
  told.add(server_trace(), "another");
  std::mt19937 random(3);
  for (int i = 0; i < 200; i++) {
    std::optional<std::string> text;
    std::optional<Filter> filter;
    if (random() % 3) text = texts[random() % std::size(texts)];
    if (random() % 3) filter = filters[random() % std::size(filters)];
    if (random() % 8 == 0) {
      const auto track = random() % 2;
      const auto task = static_cast<TaskIndex>(random() % 5);
      for (Viewer* viewer : {&asked, &told}) {
        viewer->select(track, task);
        viewer->run(Command::Collapse);
      }
    }
    const std::string before = to_text(asked.picture());
    const auto question = asked.ask(text, filter);
    std::thread([&] { question->answer(); }).join();
    CHECK(to_text(asked.picture()) == before);
    REQUIRE(asked.take(*question));
    if (filter) told.set_filter(*filter);
    if (text) told.search(*text);
    if (random() % 4 == 0)
      for (Viewer* viewer : {&asked, &told}) viewer->run(Command::SearchNext);
    REQUIRE(asked.found().count == told.found().count);
    REQUIRE(asked.found().at == told.found().at);
    REQUIRE(to_text(asked.picture()) == to_text(told.picture()));
  }
}

TEST_CASE("a viewer is used, and is gone, while another thread answers") {
  std::thread answering;
  std::shared_ptr<Viewer::Question> question;
  std::atomic<bool> stop = false;
  {
    Viewer viewer = over_server();
    question = viewer.ask("session", Filter{.label = "s"});
    answering = std::thread([&] {
      do question->answer();
      while (!stop);
    });
    for (const Command command :
         {Command::ZoomIn, Command::SearchNext, Command::Collapse, Command::FitAll}) {
      select(viewer, 2);
      viewer.run(command);
      viewer.search("read");
      viewer.picture();
      viewer.panel();
    }
    viewer.update(0, server_trace());
  }
  stop = true;
  answering.join();
  Viewer another = over_server();
  CHECK(!another.take(*question));
  CHECK(another.found().count == 0);
}

TEST_CASE("an answer to what has changed since is not taken") {
  const auto is_taken_after = [](auto&& change) {
    Viewer viewer = over_server();
    viewer.search("session");
    select(viewer, 2);
    const auto question = viewer.ask("lock", Filter{.kind = "operation"});
    question->answer();
    change(viewer);
    const std::string before = to_text(viewer.picture());
    const bool taken = viewer.take(*question);
    CHECK((to_text(viewer.picture()) != before) == taken);
    CHECK((viewer.filter().kind == "operation") == taken);
    return taken;
  };
  CHECK(is_taken_after([](Viewer&) {}));
  CHECK(is_taken_after([](Viewer& viewer) { viewer.show(0, 5e5); }));
  CHECK(is_taken_after([](Viewer& viewer) { viewer.run(Command::SelectParent); }));
  CHECK(!is_taken_after([](Viewer& viewer) { viewer.search("A"); }));
  CHECK(!is_taken_after([](Viewer& viewer) { viewer.set_filter({.label = "s"}); }));
  CHECK(!is_taken_after([](Viewer& viewer) { viewer.run(Command::ClearSearch); }));
  CHECK(!is_taken_after([](Viewer& viewer) { viewer.run(Command::Collapse); }));
  CHECK(!is_taken_after([](Viewer& viewer) { viewer.run(Command::ExpandAll); }));
  CHECK(!is_taken_after([](Viewer& viewer) { viewer.update(0, server_trace()); }));
  CHECK(!is_taken_after([](Viewer& viewer) { viewer.add(server_trace(), "another"); }));
}

TEST_CASE("the titled picture has titles on arrows, stretches and narrow bars") {
  TestTrace t = server();
  t.create(700'000, 9, 1, "narrow");
  t.event(703'000, EventKind::Resolve, 9);
  Viewer viewer = showing(std::move(t.trace));
  const DrawList titled = viewer.titled_picture();
  const auto titles = [](const DrawList& list) {
    std::multiset<std::string_view> all;
    for (const Primitive& primitive : list.primitives)
      if (primitive.shape != Shape::Text && primitive.text != 0) all.insert(list.text(primitive));
    return all;
  };
  CHECK(!titles(viewer.picture()).contains("narrow (#9), coroutine, 3.00 us"));
  CHECK(titles(titled).contains("narrow (#9), coroutine, 3.00 us"));
  CHECK(titles(titled).contains("ring.read (#4) gave its result to session A (#2)"));
  // Nothing of it can be seen, and the rest is as it was.
  DrawList rest = titled;
  std::erase_if(rest.primitives, [](const Primitive& p) { return p.alpha == 0; });
  CHECK(to_text(rest) == to_text(viewer.picture()));
}

TEST_CASE("what is filtered away has no bar") {
  Viewer viewer = over_server();
  const size_t before = count(viewer.picture(), Ink::Bar);
  CHECK(!viewer.filters());
  viewer.set_filter({.label = "ring.read"});
  CHECK(viewer.filters());
  CHECK(count(viewer.picture(), Ink::Bar) < before);
  const Point at = on_bar(viewer, 2e5, "ring.read");
  click(viewer, at.x, at.y);
  CHECK(selected_id(viewer) == 4);
  viewer.run(Command::SelectParent);  // it may be selected, and has no row
  CHECK(selected_id(viewer) == 1 + 1);
  viewer.picture();
  viewer.set_filter({});
  CHECK(count(viewer.picture(), Ink::Bar) == before);
}

TEST_CASE("collapsing hides all below; going there opens it again") {
  Viewer viewer = over_server();
  select(viewer, 1);
  viewer.run(Command::Collapse);
  CHECK(value(viewer.panel(), "children") == "3, 4 tasks hidden");
  CHECK(to_text(viewer.picture()).find("\u25b8 +4 Server") != std::string::npos);
  viewer.run(Command::FitRows);
  CHECK(viewer.search("session").count == 2);  // found, though hidden
  viewer.run(Command::SearchNext);
  CHECK(selected_id(viewer) == 2);
  select(viewer, 1);
  CHECK(value(viewer.panel(), "children") == "3");

  viewer.run(Command::Collapse);
  select(viewer, 2);
  viewer.run(Command::Collapse);
  viewer.run(Command::ExpandAll);
  on_bar(viewer, 2e5, "ring.read");
  select(viewer, 1);
  viewer.run(Command::Collapse);
  viewer.run(Command::Collapse);
  on_bar(viewer, 2e5, "ring.read");

  select(viewer, 2);
  viewer.run(Command::Collapse);
  CHECK(value(viewer.panel(), "children") == "1, 1 task hidden");
  CHECK(to_text(viewer.picture()).find("\u25b8 +1 session A") != std::string::npos);
}

TEST_CASE("parents in a circle do no harm") {
  TestTrace t;
  t.event(1, EventKind::Resume, 1);
  t.create(10, 2, 3, "a");
  t.create(20, 3, 2, "b");
  t.create(30, 4, 3, "c");
  Viewer viewer = showing(std::move(t.trace));
  for (const TaskId id : {2u, 3u, 4u}) {
    select(viewer, id);
    viewer.run(Command::Collapse);
    viewer.picture();
    viewer.panel();
    viewer.run(Command::SelectParent);
  }
}

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

TEST_CASE("a bookmark has the selected task's name only where that lives") {
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
  CHECK(named(5, 9e5) == "lock (#5)");  // for ever
  CHECK(named(3, 9e5) == "session B (#3)");
}

TEST_CASE("a pointer that moves changes the readouts, not the scene") {
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
  // Both together are the picture.
  DrawList whole;
  draw(viewer.tracks(), viewer.window(), viewer.marks(), whole);
  CHECK(to_text(viewer.picture()) == to_text(whole));
  DrawList both = viewer.scene();
  append(both, viewer.readouts());
  CHECK(to_text(both) == to_text(whole));
  viewer.run(Command::ZoomIn);
  CHECK(viewer.scene_version() != version);
}

namespace {

// The events of server(), from `forgotten` ns on, as a ring that had no room for the others.
Trace ring(uint64_t forgotten, uint64_t overwritten_packets = 0) {
  TestTrace whole = server();
  Trace trace;
  trace.facts = whole.trace.facts;
  trace.facts.start = 1'700'000'000'000'000'003 + forgotten;
  trace.facts.overwritten_packets = overwritten_packets;
  trace.executors = whole.trace.executors;
  trace.kinds = whole.trace.kinds;
  for (StringId id = 1; id < whole.trace.strings.size(); id++)
    trace.strings.intern(whole.trace.strings[id]);
  for (size_t i = 0; i < whole.trace.events.size(); i++) {
    EventRow row = whole.trace.events.row(i);
    if (row.time < forgotten) continue;
    row.time -= forgotten;
    trace.events.append(row);
  }
  return trace;
}

}  // namespace

TEST_CASE("a bookmark stays at its event when a ring forgets its beginning") {
  Viewer viewer;
  viewer.resize(1000, 600);
  viewer.add(ring(0), "ring");
  viewer.add_bookmark(6e5, "session B begins");
  const std::string early = viewer.save_notes();
  viewer.update(0, ring(200'000));
  CHECK(viewer.bookmarks()[0].time - viewer.tracks()[0].offset == doctest::Approx(4e5));
  CHECK(viewer.save_notes() == early);  // nothing has become another
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

TEST_CASE("a moment has one time: on the axis, in the panel, whatever a ring forgets") {
  Viewer viewer;
  viewer.resize(1000, 600);
  viewer.add(ring(0), "ring");
  viewer.add_bookmark(6e5, "session B begins");
  const auto same_times = [](Viewer& at) {
    select(at, 3);
    CHECK(value(at.panel(), "made").starts_with("600"));
    at.show(6.5e5, 7.5e5);
    on_bar(at, 7e5, "session B");
    at.click(link(at.panel(), "made"));
    CHECK((at.window().from + at.window().to) / 2 == doctest::Approx(6e5));
    at.run(Command::Measure);
    CHECK(at.panel().title == "Range of 400 us");
    CHECK(value(at.panel(), "from").starts_with("600"));
    CHECK(value(at.panel(), "to").starts_with("1.000"));
    at.run(Command::ClearMeasure);
    CHECK(at.bookmarks()[0].time == 6e5);
  };
  same_times(viewer);
  viewer.update(0, ring(200'000, 1));
  same_times(viewer);
  viewer.update(0, ring(500'000, 2));
  same_times(viewer);
  viewer.select(0, no_index);
  CHECK(value(viewer.panel(), "duration") == "500 us");
  const std::string notes = viewer.save_notes();

  // Opened again, when it begins where nobody saw it begin.
  for (const bool served : {false, true}) {
    Viewer again;
    again.resize(1000, 600);
    again.add(ring(500'000, served ? 0 : 2), "ring");
    again.search("session");
    again.show(1e5, 2e5);
    REQUIRE(again.load_notes(notes, served));
    CHECK(again.window().from <= 5e5);
    CHECK(again.window().from > 4e5);
    CHECK(again.window().to >= 1e6);
    CHECK(again.save_notes() == notes);
    same_times(again);
    again.add(ring(500'000), "another");
    CHECK(again.tracks()[0].offset == 5e5);
    CHECK(again.tracks()[1].offset == 5e5);
    same_times(again);
  }
  // Nor do notes of another trace, or such that do not say, move anything.
  Viewer other = over_server();
  other.add_bookmark(1, "another's");
  const std::string others = other.save_notes();
  Viewer again;
  again.add(ring(500'000, 2), "ring");
  REQUIRE(again.load_notes(others, true));
  CHECK(again.tracks()[0].offset == 0);
  CHECK(again.bookmarks()[0].time == 1);
  REQUIRE(other.load_notes(notes, true));
  CHECK(other.tracks()[0].offset == 0);

  // What was empty at first, and yet has begun.
  Viewer early;
  Trace empty;
  empty.facts.start = 1'700'000'000'000'000'003;
  early.add(std::move(empty), "ring");
  early.update(0, ring(500'000));
  CHECK(early.tracks()[0].offset == 5e5);
  Viewer earlier;
  earlier.add({}, "ring");
  earlier.update(0, ring(0));
  earlier.update(0, ring(500'000));
  CHECK(earlier.tracks()[0].offset == 5e5);
  earlier.add_bookmark(6e5, "session B begins");
  CHECK(earlier.save_notes() == notes);
}

TEST_CASE("of several traces the panel says which, and counts as the axis does") {
  TestTrace a = server();
  TestTrace b = server();
  a.trace.facts.utc_offset = 1'000'000'000;
  b.trace.facts.utc_offset = 1'000'300'000;
  Viewer viewer;
  viewer.resize(1000, 600);
  viewer.add(std::move(a.trace), "net.ctf");
  select(viewer, 2);
  CHECK(value(viewer.panel(), "trace") == "-");
  viewer.add(std::move(b.trace), "net.ctf");
  CHECK(value(viewer.panel(), "trace") == "net.ctf");
  viewer.add(server_trace(), "net.ctf (2)");
  viewer.add(server_trace(), "net.ctf");
  std::vector<std::string_view> titles;
  for (const Track& track : viewer.tracks()) titles.push_back(track.title);
  CHECK(titles ==
        std::vector<std::string_view>{"net.ctf", "net.ctf (2)", "net.ctf (2) (2)", "net.ctf (3)"});

  TestTrace c = server();
  TestTrace d = server();
  c.trace.facts.utc_offset = 1'000'000'000;
  d.trace.facts.utc_offset = 1'000'300'000;
  Viewer both;
  both.resize(1000, 600);
  both.add(std::move(c.trace), "net.ctf");
  both.add(std::move(d.trace), "net.ctf");
  both.select(1, index_of(both, 3, 1));
  CHECK(value(both.panel(), "trace") == "net.ctf (2)");
  CHECK(value(both.panel(), "made") == "900 us");
  both.show(6e5, 7e5);
  both.click(link(both.panel(), "made"));
  CHECK((both.window().from + both.window().to) / 2 == doctest::Approx(9e5));
  // What is measured is as much as each of them covers.
  both.run(Command::Measure);
  const Panel panel = both.panel();
  CHECK(panel.title == "Range of 400 us");
  std::vector<std::string> lines;
  for (const PanelLine& line : panel.lines)
    if (line.name == "trace" || line.name == "from" || line.name == "to" || line.name == "ran")
      lines.push_back(line.name + " " + line.value);
  CHECK(lines == std::vector<std::string>{"trace net.ctf", "from 900 us", "to 1.000 ms",
                                          "ran 0 ns, 0.0 %", "trace net.ctf (2)", "from 900 us",
                                          "to 1.300 ms", "ran 50.0 us, 12.5 %"});
  both.pointer_down(x_of(both, 1.1e6), 200, {.shift = true});
  both.pointer_move(x_of(both, 1.2e6), 200);
  both.pointer_up(x_of(both, 1.2e6), 200);
  CHECK(both.panel().lines[1].value == "not in this range");
}

TEST_CASE("what is measured is clipped to the traces") {
  Viewer viewer = over_server();
  CHECK(viewer.window().from < 0);
  CHECK(viewer.window().to > 1e6);
  viewer.run(Command::Measure);
  const Panel whole = viewer.panel();
  CHECK(whole.title == "Range of 1.00 ms");
  CHECK(value(whole, "from") == "0 us");
  CHECK(value(whole, "to") == "1.000 ms");
  CHECK(value(whole, "ran") == "150 us, 15.0 %");
  CHECK(value(whole, "tasks made") == "5");
  viewer.pointer_down(999, 10, {});
  viewer.pointer_move(0, 10);
  CHECK(viewer.marks().measure_from == 0);
  CHECK(viewer.marks().measure_to == 1e6);
  viewer.pointer_up(1, 10);
  CHECK(viewer.panel().title == "Range of 1.00 ms");
  // In the margin there is nothing.
  viewer.pointer_down(1, 10, {});
  viewer.pointer_move(6, 10);
  viewer.pointer_up(6, 10);
  CHECK(viewer.marks().measure_from == viewer.marks().measure_to);
  CHECK(viewer.panel().title == "a trace");

  // What a ring has forgotten is measured no more.
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
  later.trace.facts.start = ring(2'000'000).facts.start;
  forgets.update(0, std::move(later.trace));
  CHECK(forgets.marks().measure_from == forgets.marks().measure_to);

  // What happens last is in it.
  TestTrace t;
  t.create(0, 1, no_task, "all");
  t.event(500, EventKind::Resolve, 1);
  t.create(500, 2, no_task, "late");
  Viewer to_the_end = showing(std::move(t.trace));
  to_the_end.run(Command::Measure);
  CHECK(value(to_the_end.panel(), "tasks made") == "2");
  CHECK(value(to_the_end.panel(), "tasks ended") == "1");
}

TEST_CASE("shift and drag measures; so does dragging on the axis") {
  Viewer viewer = over_server();
  viewer.pointer_down(x_of(viewer, 1.3e5), 200, {.shift = true});
  viewer.pointer_move(x_of(viewer, 2e5), 210);
  viewer.pointer_up(x_of(viewer, 3.3e5), 210);
  Panel panel = viewer.panel();
  CHECK(panel.title == "Range of 200 us");
  CHECK(value(panel, "tasks made") == "1");
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
  select(viewer, 2);  // what was asked for last is shown
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
  viewer.set_legend_shown(true);  // by the shell, not by the user: the hint stays
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

TEST_CASE("escape closes what lies on top, one thing at a time") {
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

TEST_CASE("the hint goes away when somebody does something") {
  Viewer viewer = over_server();
  viewer.set_hint(true);
  const size_t with = count(viewer.picture(), Ink::PanelText);
  viewer.pointer_move(100, 100);
  CHECK(count(viewer.picture(), Ink::PanelText) >= with);
  viewer.wheel(100, 100, 0, 10, {});
  viewer.pointer_leave();
  CHECK(count(viewer.picture(), Ink::PanelText) < with);

  // With fingers: what they do, until a tap.
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

TEST_CASE("a longer trace takes the place of the shorter one, and the end is followed") {
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
  // All was in sight, and is.
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

TEST_CASE("who goes through what was found goes on when more comes") {
  Viewer viewer = over_server();
  viewer.search("session");
  viewer.run(Command::SearchNext);
  viewer.run(Command::SearchNext);
  CHECK(viewer.found().at == 2);
  const auto more = [](uint64_t start) {
    TestTrace t = server();
    t.create(1'500'000, 20, 1, "session C");
    t.trace.facts.start = start;
    return std::move(t.trace);
  };
  viewer.update(0, more(0));
  CHECK(viewer.found().count == 3);
  CHECK(viewer.found().at == 2);
  viewer.run(Command::SearchNext);
  CHECK(selected_id(viewer) == 20);
  CHECK(viewer.found().at == 3);
  viewer.set_filter({.only_stuck = true});  // the selected one does not pass
  CHECK(viewer.found().count == 1);
  CHECK(viewer.found().at == 0);
  viewer.set_filter({});
  viewer.run(Command::SearchPrevious);
  REQUIRE(viewer.found().at == 3);
  viewer.add(more(0), "another");  // as old as this one
  CHECK(viewer.found().count == 6);
  CHECK(viewer.found().at == 5);
  // A ring that has forgotten what was before, and then the task, too.
  TestTrace t;
  t.create(0, 20, no_task, "session C");
  viewer.update(0, std::move(t.trace));
  CHECK(viewer.found().count == 4);
  CHECK(viewer.found().at == 1);
  viewer.update(0, server_trace());
  CHECK(viewer.found().at == 0);
  viewer.run(Command::SearchNext);
  viewer.search("sess");  // anew
  CHECK(viewer.found().at == 0);
}

TEST_CASE("the selected task stays though its index is another, and goes when it is gone") {
  Viewer viewer = over_server();
  select(viewer, 5);
  viewer.run(Command::Collapse);
  viewer.show_counter(0, false);
  const TaskIndex before = viewer.selected();
  TestTrace t;  // a ring that has forgotten its beginning, and has another first task
  t.trace.facts.start = 400'000;
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
  // The same moment is where it was.
  on_bar(viewer, 5.5e5 + 2, "lock");

  TestTrace other;
  other.create(10, 50, no_task, "new");
  viewer.update(0, std::move(other.trace));
  CHECK(viewer.selected() == no_index);
  viewer.picture();
}

TEST_CASE("a trace that was empty is seen whole when something comes") {
  Viewer viewer = showing({});
  CHECK(!viewer.notice().empty());
  viewer.picture();
  viewer.update(0, server_trace());
  CHECK(viewer.window().from <= 0);
  CHECK(viewer.window().to >= 1e6);
  CHECK(viewer.window().to < 1.1e6);
  CHECK(viewer.notice().empty());
}

TEST_CASE("a program that hangs goes on in the picture") {
  constexpr uint64_t ms = 1'000'000;
  const auto text_of = [](const Viewer& viewer, std::string_view name) -> std::string {
    for (const PanelLine& line : viewer.panel().lines)
      if (line.name == name) return line.value;
    return "";
  };
  const auto trace = [] {
    Trace made = server_trace();  // of one millisecond
    made.facts.start = 7 * ms;
    made.facts.utc_offset = 1000 * ms;
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

  viewer.set_now(0, at(20 * ms));
  CHECK(viewer.changed());
  CHECK(viewer.window().to == doctest::Approx(20e6 + margin));
  CHECK(viewer.window().from < 0);
  CHECK(viewer.model(0).end == 20 * ms);
  CHECK(viewer.model(0).tasks[lock].end == 20 * ms);
  CHECK(viewer.model(0).tasks[viewer.model(0).find(2)].end == 500'000);
  CHECK(viewer.selected() == lock);
  CHECK(text_of(viewer, "since").ends_with("for 19.5 ms until now"));
  viewer.picture();
  viewer.set_now(0, at(20 * ms));
  CHECK_FALSE(viewer.changed());

  // What was recorded since, and the program went on.
  viewer.update(0, Prepared(trace(), at(30 * ms)));
  CHECK(viewer.window().to == doctest::Approx(30e6 + margin));
  CHECK(viewer.selected() == lock);

  // Elsewhere nothing is drawn anew; the panel knows.
  viewer.show(0, 1e6);
  const Window window = viewer.window();
  viewer.picture();
  viewer.set_now(0, at(40 * ms));
  viewer.update(0, Prepared(trace(), at(50 * ms)));
  CHECK_FALSE(viewer.changed());
  CHECK(viewer.window().to == window.to);
  CHECK(text_of(viewer, "since").ends_with("for 49.5 ms until now"));

  // Back at the end it is followed; and when the program has ended it stays where it was.
  viewer.run(Command::FitAll);
  viewer.set_now(0, at(60 * ms));
  CHECK(viewer.model(0).end == 60 * ms);
  SignOfLife last = at(60 * ms);
  last.running = false;
  viewer.update(0, Prepared(trace(), last));
  CHECK(viewer.model(0).end == 60 * ms);
  CHECK(text_of(viewer, "since").ends_with("for 59.5 ms"));

  // A clock that is nonsense, or none.
  viewer.set_now(0, {.utc = 5, .running = true});
  viewer.set_now(0, {.utc = UINT64_MAX, .running = true});
  viewer.set_now(7, at(1));
  viewer.update(0, server_trace());
  viewer.set_now(0, at(90 * ms));
  CHECK(viewer.model(0).end == ms);
}

TEST_CASE("two traces lie on one line: by their clocks if these are near, else by beginnings") {
  const auto two = [](std::optional<int64_t> first, std::optional<int64_t> second) {
    TestTrace a = server();
    TestTrace b = server();
    a.trace.facts.utc_offset = first;
    b.trace.facts.utc_offset = second;
    Viewer viewer = showing(std::move(a.trace));
    viewer.add(std::move(b.trace), "the other");
    return viewer;
  };
  constexpr int64_t now = 1'700'000'000'000'000'000;
  Viewer apart = two(now, now + 300'000);
  CHECK(apart.traces() == 2);
  CHECK(apart.window().to >= 1.3e6);
  CHECK(value(apart.panel(), "aligned") == "by their clocks");
  // The later one's tasks are where they were at that time.
  apart.select(1, index_of(apart, 2, 1));
  apart.run(Command::FitSelection);
  CHECK(apart.window().from == doctest::Approx(4e5 - 4e4));

  CHECK(value(two(now, now + 3'600'000'000'000).panel(), "aligned") == "at their beginnings");
  CHECK(value(two(now, {}).panel(), "aligned") == "at their beginnings");
  CHECK(value(two(INT64_MIN, INT64_MAX).panel(), "aligned") == "at their beginnings");
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

TEST_CASE("what was lost is said in a sentence") {
  TestTrace t = server();
  t.trace.losses.push_back({.what = "dropped by the recorder", .events = 12});
  CHECK(showing(std::move(t.trace)).notice() ==
        "a trace: part of it is missing: 12 events, dropped by the recorder.");
  TestTrace u = server();
  u.trace.losses.push_back({.what = "event cut short", .bytes = 3});
  u.trace.losses.push_back({.what = "a time was guessed", .events = 0});
  u.trace.losses.push_back({.what = "packet damaged", .events = 5});
  CHECK(showing(std::move(u.trace)).notice() ==
        "a trace: part of it is missing: at least 5 events, in 2 places.");

  // Each that lacks something is named.
  TestTrace none;
  none.trace.losses.push_back({.what = "file cut short"});
  Viewer several = showing(std::move(none.trace));
  several.add(server_trace(), "whole");
  several.add({}, "empty");
  CHECK(several.notice() ==
        "a trace: no event of it can be read: file cut short. "
        "empty: there is no event in it: was recording on while the program ran?");
}

TEST_CASE("texts of the trace are made safe before anybody shows them") {
  TestTrace t;
  t.create(0, 1, no_task, "evil\x1b]0;\x07 \xe2\x80\xae\xff", "ki\x1bnd");
  t.event(100, EventKind::ShouldResolve, 1);
  Viewer viewer = showing(std::move(t.trace));
  const auto safe = [](std::string_view text) {
    return text.find('\x1b') == std::string_view::npos &&
           text.find("\xe2\x80\xae") == std::string_view::npos &&
           text.find('\xff') == std::string_view::npos;
  };
  select(viewer, 1);
  for (const PanelLine& line : viewer.panel().lines) CHECK(safe(line.value));
  CHECK(safe(viewer.panel().title));
  for (const std::string& kind : viewer.kinds()) CHECK(safe(kind));
  viewer.run(Command::AddBookmark);
  CHECK(safe(viewer.bookmarks()[0].text));
  viewer.run(Command::Escape);
  for (const PanelLine& line : viewer.panel().lines) CHECK(safe(line.value));
}

TEST_CASE("nothing that is done in whatever order does harm") {
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
