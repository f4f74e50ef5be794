#include <doctest/doctest.h>

#include <atomic>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "view/viewer/test_viewer.h"

using namespace skein;

TEST_CASE("filters by label, kind, executor, duration, and stuck tasks") {
  TestTrace t = server();
  t.trace.executors.resize(2);
  t.trace.executors[1] = {.name = t.trace.strings.intern("worker"), .tid = 42};
  t.create(1'010'000, 9, 1, "remote", "fiber", 1);
  Viewer viewer = showing(std::move(t.trace));
  CHECK(viewer.kinds() == std::vector<std::string>{"coroutine", "fiber", "operation"});
  CHECK(viewer.executors() == std::vector<std::string>{"executor 0", "worker/42"});
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
  CHECK(shown({.executor = "worker/42"}) == Ids{9});
  CHECK(shown({.shortest = 400'000}).contains(2));
  CHECK(!shown({.shortest = 400'001}).contains(2));
  CHECK(shown({.longest = 150'000}).contains(4));
  CHECK(!shown({.longest = 149'999}).contains(4));
  CHECK(shown({.only_stuck = true}) == Ids{3});
  CHECK(shown({.label = "session", .only_stuck = true}) == Ids{3});
  CHECK(shown({}).size() == 6);
}

TEST_CASE("search and filter use the result of another thread") {
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

TEST_CASE("a viewer may be used and destroyed while another thread works") {
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

TEST_CASE("an outdated result is not taken") {
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

TEST_CASE("a filtered task has no bar") {
  Viewer viewer = over_server();
  const size_t before = count(viewer.picture(), Ink::Bar);
  CHECK(!viewer.filters());
  viewer.set_filter({.label = "ring.read"});
  CHECK(viewer.filters());
  CHECK(count(viewer.picture(), Ink::Bar) < before);
  const Point at = on_bar(viewer, 2e5, "ring.read");
  click(viewer, at.x, at.y);
  CHECK(selected_id(viewer) == 4);
  viewer.run(Command::SelectParent);  // it may be selected although it has no row
  CHECK(selected_id(viewer) == 1 + 1);
  viewer.picture();
  viewer.set_filter({});
  CHECK(count(viewer.picture(), Ink::Bar) == before);
}

TEST_CASE("collapsing hides all descendants; going to one expands it again") {
  Viewer viewer = over_server();
  select(viewer, 1);
  viewer.run(Command::Collapse);
  CHECK(value(viewer.panel(), "children") == "3, 4 tasks hidden");
  CHECK(to_text(viewer.picture()).find("\u25b8 +4 Server") != std::string::npos);
  viewer.run(Command::FitRows);
  CHECK(viewer.search("session").count == 2);  // found although hidden
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

TEST_CASE("cycles of parents do no harm") {
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
