#include "view/viewer/pane/task_pane.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "trace/ask/random_events_trace.h"
#include "view/draw/areas.h"
#include "view/viewer/test_viewer.h"

using namespace skein;

namespace {

using By = TaskTable::Column;

Viewer with_table(Trace trace) {
  Viewer viewer = showing(std::move(trace));
  viewer.run(Command::ToggleTaskTable);
  return viewer;
}

std::string names(const TaskTable& table) {
  std::string all;
  for (const TaskTable::Row& row : table.rows)
    all += (all.empty() ? "" : "; ") + row.texts[static_cast<size_t>(By::Name)];
  return all;
}

std::string cell(Viewer& viewer, std::string_view name, By column) {
  for (const TaskTable::Row& row : viewer.task_table().rows)
    if (row.texts[0] == name) return row.texts[static_cast<size_t>(column)];
  return "no such row";
}

size_t highlighted(const Viewer& viewer) {
  size_t count = 0;
  for (const auto& of : viewer.marks().tasks)
    count += static_cast<size_t>(std::count(of.begin(), of.end(), 1));
  return count;
}

}  // namespace

TEST_CASE("the table of the whole trace equals skein stats") {
  Viewer viewer = with_table(server_trace());
  const TaskTable& table = viewer.task_table();
  CHECK(table.selection == "whole trace");
  const Waits waits = find_waits(viewer.trace(0), viewer.model(0));
  const auto groups = task_groups(viewer.trace(0), viewer.model(0), waits, GroupBy::Name);
  REQUIRE(table.rows.size() == groups.size());
  for (size_t i = 0; i < groups.size(); i++) {
    CHECK(table.rows[i].texts[0] == groups[i].name);
    CHECK(table.rows[i].texts[1] == grouped(groups[i].count));
    CHECK(table.rows[i].texts[2] == duration_text(groups[i].total()));
  }
  CHECK(cell(viewer, "session A", By::Total) == "400 us");
  CHECK(cell(viewer, "session A", By::Median) == "400 us");
  CHECK(cell(viewer, "session B", By::Median) == "-");  // it has not ended
  CHECK(cell(viewer, "session A", By::States) ==
        "running 100 us (25.0 %), runnable 10.0 us (2.5 %), waiting 290 us (72.5 %)");
}

TEST_CASE("a hidden table is empty, and costs no search for findings") {
  Viewer viewer = over_server();
  CHECK(!viewer.task_table_shown());
  CHECK(viewer.task_table().rows.empty());
}

TEST_CASE("every column sorts in both directions") {
  Viewer viewer = with_table(server_trace());
  for (size_t i = 0; i < TaskTable::columns; i++) {
    const auto column = static_cast<By>(i);
    CAPTURE(task_table_columns[i].name);
    const bool again = viewer.task_table().sorted == column;
    viewer.sort_tasks(column);
    CHECK(viewer.task_table().sorted == column);
    CHECK(viewer.task_table().descending == (column != By::Name && !again));
    const std::string one = viewer.task_table().rows.front().texts[i];
    const std::string before = names(viewer.task_table());
    viewer.sort_tasks(column);
    CHECK(viewer.task_table().descending == (column == By::Name || again));
    const bool differ = viewer.task_table().rows.front().texts[i] != one;
    CHECK((differ || viewer.task_table().rows.back().texts[i] == one));
    viewer.sort_tasks(column);
    CHECK(names(viewer.task_table()) == before);
  }
  viewer.sort_tasks(By::Name);
  viewer.sort_tasks(By::Name);
  CHECK(viewer.task_table().rows.front().texts[0] == "session B");
  viewer.sort_tasks(static_cast<By>(99));  // no such column
  CHECK(viewer.task_table().sorted == By::Name);
}

TEST_CASE("the table follows the range, the selected task, the search and the filter") {
  Viewer viewer = with_table(server_trace());
  const size_t all = viewer.task_table().rows.size();
  select(viewer, 2);
  CHECK(viewer.task_table().selection == "session A (#2) with 1 task below");
  CHECK(names(viewer.task_table()) == "session A; ring.read");
  viewer.run(Command::Measure);  // the time of the task
  CHECK(viewer.task_table().selection ==
        "100 us to 500 us (400 us), session A (#2) with 1 task below");
  viewer.run(Command::Escape);
  viewer.run(Command::Escape);
  CHECK(viewer.task_table().selection == "whole trace");

  // A range in which it ran for 40 of 250 us.
  viewer.show(310'000, 350'000);
  viewer.run(Command::Measure);
  CHECK(cell(viewer, "session A", By::Total) == "40.0 us");
  CHECK(cell(viewer, "session A", By::Median) == "-");  // it ends later
  CHECK(cell(viewer, "session B", By::Total) == "no such row");
  viewer.run(Command::ClearMeasure);

  viewer.search("RING");
  CHECK(viewer.task_table().selection == "matches of 'RING'");
  CHECK(names(viewer.task_table()) == "ring.read");
  // The next match is selected, and the table has all of them.
  viewer.search("session");
  viewer.run(Command::SearchNext);
  CHECK(selected_id(viewer) == 3);
  CHECK(viewer.task_table().selection == "matches of 'session'");
  CHECK(viewer.task_table().rows.size() == 2);
  select(viewer, 2);  // without the search: this one
  CHECK(viewer.task_table().selection == "session A (#2) with 1 task below");
  viewer.run(Command::SearchNext);
  CHECK(viewer.task_table().selection == "matches of 'session'");
  viewer.search("");
  CHECK(viewer.task_table().selection == "session A (#2) with 1 task below");
  viewer.run(Command::Escape);
  viewer.search("no such text");
  CHECK(viewer.task_table().rows.empty());
  viewer.search("");
  viewer.set_filter({.label = "session"});
  CHECK(viewer.task_table().selection == "whole trace, filtered");
  CHECK(viewer.task_table().rows.size() == 2);
  viewer.set_filter({});
  CHECK(viewer.task_table().rows.size() == all);
}

TEST_CASE("a lane selects what ran there") {
  TestTrace t;
  t.trace.executors.resize(2);
  using K = EventKind;
  t.create(0, 1, no_task, "reader");
  t.event(10'000, K::Resume, 1, no_task, 0);
  t.event(20'000, K::Suspend, 1, no_task, 0);
  t.event(30'000, K::Resume, 1, no_task, 1);
  t.event(35'000, K::Resolve, 1, no_task, 1);
  t.create(40'000, 2, no_task, "writer", "coroutine", 1);
  t.event(50'000, K::Resume, 2, no_task, 1);
  t.event(57'000, K::Resolve, 2, no_task, 1);
  Viewer viewer = with_table(std::move(t.trace));
  const Areas all = areas(viewer.tracks(), viewer.window(), viewer.marks());
  click(viewer, 8, all.rows + 5);  // the name of the first lane
  CHECK(viewer.selected() == no_index);
  CHECK(viewer.panel().title == "executor 0");
  CHECK(value(viewer.panel(), "ran") == "10.0 us in 1 activation");
  CHECK(viewer.task_table().selection == "tasks on executor 0");
  CHECK(names(viewer.task_table()) == "reader");
  CHECK(cell(viewer, "reader", By::States).starts_with("running 10.0 us"));
  CHECK(count(viewer.picture(), Ink::Selection) == 4);  // its outline
  click(viewer, 8, all.rows + 5 + static_cast<float>(viewer.window().row_height));
  CHECK(names(viewer.task_table()) == "writer; reader");
  CHECK(cell(viewer, "reader", By::States).starts_with("running 5.00 us"));
  viewer.run(Command::Escape);
  CHECK(viewer.task_table().selection == "whole trace");
}

TEST_CASE("a row highlights its tasks until the table is closed") {
  Viewer viewer = with_table(server_trace());
  viewer.sort_tasks(By::Name);
  viewer.choose_tasks(2);
  const auto marked = [&](TaskId id) { return viewer.marks().tasks[0][index_of(viewer, id)]; };
  const std::string chosen = viewer.task_table().rows[2].texts[0];
  CHECK(chosen == "ring.read");
  CHECK(viewer.task_table().rows[2].chosen);
  CHECK(highlighted(viewer) == 1);
  CHECK(marked(4) == 1);
  viewer.sort_tasks(By::Count);  // stays, in another row
  CHECK(highlighted(viewer) == 1);
  size_t rows = 0;
  for (const auto& row : viewer.task_table().rows) rows += row.chosen && row.texts[0] == chosen;
  CHECK(rows == 1);

  select(viewer, 3);  // has no such task
  viewer.task_table();
  CHECK(highlighted(viewer) == 0);
  viewer.select(0, no_index);
  viewer.sort_tasks(By::Name);
  viewer.choose_tasks(1);
  viewer.choose_tasks(1);  // again: none
  CHECK(highlighted(viewer) == 0);
  viewer.choose_tasks(1);
  viewer.choose_tasks(99);  // no such row
  CHECK(highlighted(viewer) == 0);
  viewer.choose_tasks(1);
  CHECK(highlighted(viewer) == 1);
  viewer.run(Command::Escape);
  CHECK(highlighted(viewer) == 0);
  viewer.choose_tasks(1);
  viewer.run(Command::ToggleTaskTable);
  CHECK(highlighted(viewer) == 0);
  CHECK(viewer.selected() == no_index);
}

TEST_CASE("names of a trace are safe to display; there are at most 200 rows") {
  TestTrace t;
  t.create(0, 1, no_task, "a\x1b[31m\u202e<b>\n");
  for (TaskId id = 2; id < 302; id++) {
    std::string name = "x";
    for (uint64_t rest = id; rest != 0; rest /= 20) name += static_cast<char>('a' + rest % 20);
    t.create(id, id, no_task, name);
  }
  Viewer viewer = with_table(std::move(t.trace));
  viewer.sort_tasks(By::Name);
  CHECK(viewer.task_table().rows.size() == 200);
  CHECK(viewer.task_table().omitted == 101);
  const std::string evil = viewer.task_table().rows[0].texts[0];
  CHECK(evil.find('\x1b') == std::string::npos);
  CHECK(evil.find("\u202e") == std::string::npos);
  CHECK(evil.find('\n') == std::string::npos);
  CHECK(evil.find("<b>") != std::string::npos);  // markup is escaped by front ends that have it
}

TEST_CASE("rows of several traces are apart, and follow a trace that grows") {
  Viewer viewer = with_table(server_trace());
  viewer.add(server_trace(), "b");
  CHECK(viewer.task_table().selection == "all traces");
  CHECK(cell(viewer, "b: session A", By::Count) == "1");
  CHECK(cell(viewer, "a trace: session A", By::Count) == "1");
  viewer.select(1, index_of(viewer, 2, 1));
  CHECK(names(viewer.task_table()) == "b: session A; b: ring.read");
  viewer.select(0, no_index);
  viewer.sort_tasks(By::Name);
  viewer.choose_tasks(0);
  const size_t before = highlighted(viewer);
  CHECK(before == 1);
  TestTrace longer = server();
  longer.create(1'100'000, 9, no_task, "more");
  viewer.update(0, std::move(longer.trace));
  CHECK(cell(viewer, "a trace: more", By::Count) == "1");
  CHECK(highlighted(viewer) == before);
}

TEST_CASE("random events: the parts of a table are plausible for every selection") {
  for (uint32_t seed = 1; seed <= 100; seed++) {
    CAPTURE(seed);
    Viewer viewer = with_table(random_events_trace(seed));
    const auto check = [&] {
      for (const TaskTable::Row& row : viewer.task_table().rows) {
        const double sum = row.shares[0] + row.shares[1] + row.shares[2];
        CHECK((sum == 0 || sum == doctest::Approx(1)));
        for (const double share : row.shares) CHECK((share >= 0 && share <= 1));
      }
      viewer.choose_tasks(0);
    };
    check();
    const auto count = static_cast<TaskIndex>(viewer.model(0).tasks.size());
    for (TaskIndex task = 0; task < count; task += count / 4 + 1) {
      viewer.select(0, task);
      check();
      viewer.run(Command::Measure);
      check();
      viewer.run(Command::ClearMeasure);
    }
    const Areas all = areas(viewer.tracks(), viewer.window(), viewer.marks());
    click(viewer, 8, all.rows + 3);
    check();
    viewer.picture();
  }
}
