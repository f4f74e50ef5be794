#include "view/layout/rows.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

using namespace skein;

namespace {

// A hand-made model: tasks with a start, an end and a parent.
struct Drawn {
  Trace trace;
  Model model;

  TaskIndex task(uint64_t start, uint64_t end, TaskIndex parent = no_index) {
    Model::Task task;
    task.id = model.tasks.size() + 1;
    task.start = start;
    task.end = end;
    task.parent = parent;
    task.how = Model::End::Resolved;
    model.tasks.push_back(task);
    model.end = std::max(model.end, end);
    return static_cast<TaskIndex>(model.tasks.size() - 1);
  }

  void become(TaskIndex from, TaskIndex to) {
    model.tasks[from].becomes = to;
    model.tasks[from].how = Model::End::Became;
  }

  // One line per row, one character per ns: the task whose bar is there.
  std::string picture() const {
    const Rows rows = arrange(trace, model);
    std::string text;
    for (uint32_t row = 0; row < rows.count; row++) {
      std::string line;
      for (uint32_t i = rows.begin[row]; i < rows.begin[row + 1]; i++) {
        const Rows::Extent bar = rows.bar(model, i);
        for (uint64_t time = bar.start; time < std::min(bar.end, model.end); time++) {
          line.resize(std::max<size_t>(line.size(), time + 1), ' ');
          CHECK(line[time] == ' ');  // bars do not overlap
          line[time] = static_cast<char>('a' + rows.tasks[i]);
        }
      }
      (text += line) += '\n';
    }
    return text;
  }
};

}  // namespace

TEST_CASE("children are below their parents, and rows are reused") {
  Drawn d;
  const TaskIndex a = d.task(0, 9);
  d.task(1, 4, a);
  d.task(2, 4, a);
  d.task(5, 8, a);
  d.task(10, 12);
  CHECK(d.picture() ==
        "aaaaaaaaa ee\n"
        " bbb ddd\n"
        "  cc\n");
}

TEST_CASE("a child of a task that has ended may be in its row") {
  Drawn d;
  const TaskIndex a = d.task(0, 3);
  d.task(3, 6, a);
  CHECK(d.picture() == "aaabbb\n");
}

TEST_CASE("a successor keeps the row") {
  Drawn d;
  SUBCASE("later: its predecessor extends to it, with no task between") {
    const TaskIndex a = d.task(0, 3);
    const TaskIndex b = d.task(6, 9);
    d.task(4, 5);
    d.become(a, b);
    CHECK(d.picture() == "aaaaaabbb\n    c\n");
  }
  SUBCASE("created shortly before, without running: continues the bar") {
    const TaskIndex a = d.task(0, 5);
    const TaskIndex b = d.task(3, 9, a);
    d.become(a, b);
    CHECK(d.picture() == "aaaaabbbb\n");
  }
  SUBCASE("it ran before: it has a separate row") {
    const TaskIndex a = d.task(0, 5);
    const TaskIndex b = d.task(3, 9, a);
    d.become(a, b);
    d.model.activations = {{4, 5, b, 0}};
    CHECK(d.picture() == "aaaaa\n   bbbbbb\n");
  }
  SUBCASE("two predecessors: the first keeps the row") {
    const TaskIndex a = d.task(0, 3);
    const TaskIndex b = d.task(1, 3);
    const TaskIndex c = d.task(3, 6);
    d.become(a, c);
    d.become(b, c);
    CHECK(d.picture() == "aaaccc\n bb\n");
  }
  SUBCASE("a cycle, in a damaged trace") {
    const TaskIndex a = d.task(0, 3);
    const TaskIndex b = d.task(3, 6);
    d.become(a, b);
    d.become(b, a);
    CHECK(d.picture() == "aaabbb\n");
  }
}

TEST_CASE("a stuck task keeps its row to the end") {
  Drawn d;
  const TaskIndex a = d.task(0, 2);
  d.model.tasks[a].how = Model::End::Open;
  d.model.tasks[a].should_resolve = true;
  d.task(4, 6);
  CHECK(d.picture() == "aaaaaa\n    bb\n");
}

TEST_CASE("each executor that ran a task has a lane with all that it ran") {
  Drawn d;
  d.trace.executors.resize(3);
  const TaskIndex a = d.task(0, 40);
  const TaskIndex b = d.task(1, 40);
  d.model.tasks[b].executor = 1;  // which runs nothing
  d.model.activations = {{0, 5, a, 0}, {2, 8, b, 2}, {10, 12, a, 2}, {20, 22, a, 0}};
  const std::vector<uint8_t> shown = {1, 0};
  const Rows rows = arrange(d.trace, d.model, shown);
  CHECK(rows.lanes == std::vector<uint32_t>{0, 2});
  REQUIRE(rows.count == 3);
  CHECK(rows.row[a] == 2);
  const auto activations = [&](uint32_t row) {
    return std::vector<uint32_t>(rows.activations.begin() + rows.activation_begin[row],
                                 rows.activations.begin() + rows.activation_begin[row + 1]);
  };
  CHECK(activations(0) == std::vector<uint32_t>{0, 3});
  CHECK(activations(1) == std::vector<uint32_t>{1, 2});  // also of a task without a row
  CHECK(activations(2) == std::vector<uint32_t>{0, 2, 3});
  CHECK(rows.tasks_in(0).empty());
  CHECK(rows.tasks_in(1).empty());

  d.model.activations.resize(1);
  CHECK(arrange(d.trace, d.model).lanes.empty());  // one executor needs no lane
}

TEST_CASE("below lanes, a tree's tasks are together, wherever they were created") {
  Drawn d;
  d.trace.executors.resize(2);
  const TaskIndex a = d.task(0, 100);
  const TaskIndex b = d.task(1, 100);
  const TaskIndex in_a = d.task(10, 50, a);
  const TaskIndex in_b = d.task(20, 60, b);
  const TaskIndex below = d.task(30, 50, in_a);
  const TaskIndex after = d.task(101, 110);  // there is room in the first row
  for (const TaskIndex task : {in_a, in_b}) d.model.tasks[task].executor = 1;
  d.model.activations = {{0, 5, a, 0}, {2, 8, b, 1}};
  const Rows rows = arrange(d.trace, d.model);
  CHECK(rows.row == std::vector<uint32_t>{2, 5, 3, 6, 4, 2});
  CHECK(rows.row[below] == 4);
  CHECK(rows.row[after] == 2);
  d.model.activations.clear();  // without lanes by start
  CHECK(arrange(d.trace, d.model).row == std::vector<uint32_t>{0, 1, 2, 3, 4, 0});
}

TEST_CASE("lanes, and rows with a bar in a range of time") {
  Drawn d;
  d.trace.executors.resize(2);
  const TaskIndex first = d.task(0, 60);
  d.task(50, 900, first);
  d.task(100, 160);
  d.task(200, 260);
  d.task(100, 160);
  d.model.activations = {{0, 5, first, 0}, {6, 8, first, 1}};
  const Rows rows = arrange(d.trace, d.model);
  REQUIRE(rows.count == 5);
  const auto open = [&](double from, double to) {
    std::string found;
    std::vector<uint8_t> set(rows.count, 0);
    open_rows(rows, d.model, from, to, set);
    for (const uint8_t is_open : set) found += is_open ? '1' : '0';
    return found;
  };
  CHECK(open(0, 1000) == "11111");
  CHECK(open(0, 40) == "11100");
  CHECK(open(70, 90) == "11010");
  CHECK(open(270, 400) == "11010");
  CHECK(open(120, 130) == "11111");
  CHECK(open(2000, 3000) == "11000");
}

TEST_CASE("tasks created before the trace are in the order of their ids") {
  Drawn d;
  for (const TaskId id : {TaskId{30}, TaskId{10}, TaskId{20}}) {
    Model::Task& task = d.model.tasks[d.task(0, 100)];
    task.id = id;
    task.pre_existing = true;
  }
  const Rows rows = arrange(d.trace, d.model);
  CHECK(rows.row == std::vector<uint32_t>{2, 0, 1});
}

TEST_CASE("a hidden task has no row and takes none") {
  Drawn d;
  const TaskIndex a = d.task(0, 9);
  const TaskIndex b = d.task(1, 8, a);
  d.task(2, 7, b);
  d.model.activations = {{1, 2, b, 0}};
  const std::vector<uint8_t> shown = {1, 0, 1};
  const Rows rows = arrange(d.trace, d.model, shown);
  CHECK(rows.row == std::vector<uint32_t>{0, Rows::no_row, 1});
  CHECK(rows.activations.empty());
}

TEST_CASE("no tasks") {
  Drawn d;
  const Rows rows = arrange(d.trace, d.model);
  CHECK(rows.count == 0);
  CHECK(rows.lanes.empty());
  CHECK(rows.begin.size() == 1);
}

TEST_CASE("a million nested tasks") {
  Drawn d;
  constexpr uint32_t n = 1'000'000;
  for (uint32_t i = 0; i < n; i++) d.task(i, 3 * uint64_t{n} - i, i ? i - 1 : no_index);
  const Rows rows = arrange(d.trace, d.model);
  CHECK(rows.count == n);
  CHECK(rows.row[n - 1] == n - 1);
}

TEST_CASE("red parts are the ends of failed tasks and the waits of stuck ones, by row and time") {
  Drawn d;
  const TaskIndex a = d.task(0, 100);
  const TaskIndex b = d.task(100, 200);  // in the row of a
  const TaskIndex c = d.task(50, 300, a);
  d.task(10, 20, a);
  for (const TaskIndex task : {a, b, c}) d.model.tasks[task].how = Model::End::Failed;
  d.model.end = 300;
  Rows rows = arrange(d.trace, d.model);
  REQUIRE(rows.row[a] == rows.row[b]);
  using RedPart = std::array<uint32_t, 4>;  // row, task, start, end
  const auto parts = [&] {
    std::vector<RedPart> all;
    for (uint32_t r = 0; r < rows.count; r++)
      for (uint32_t i = rows.red_begin[r]; i < rows.red_begin[r + 1]; i++)
        all.push_back(
            {r, rows.tasks[rows.red_positions[i]], rows.red_times[i].start, rows.red_times[i].end});
    return all;
  };
  const uint32_t other = rows.row[c];
  CHECK(parts() == std::vector<RedPart>{{0, a, 100, 100}, {0, b, 200, 200}, {other, c, 300, 300}});
  rows.set_findings(d.model, std::vector<StuckTask>{{b, 150}, {c, 0}}, {});
  CHECK(parts() == std::vector<RedPart>{{0, a, 100, 100}, {0, b, 150, 200}, {other, c, 50, 300}});
  rows.set_findings(d.model, {}, {});
  CHECK(parts() == std::vector<RedPart>{{0, a, 100, 100}, {0, b, 200, 200}, {other, c, 300, 300}});
}

TEST_CASE("notifications and cancels that woke no task, of tasks with a row") {
  Drawn d;
  const TaskIndex a = d.task(0, 100);
  const TaskIndex b = d.task(0, 100);
  d.model.unheard = {{10, a}, {20, b}, {30, no_index}, {40, a}};
  const std::vector<uint8_t> shown = {1, 0};
  Rows rows = arrange(d.trace, d.model, shown);
  const auto times = [&] {
    std::vector<uint64_t> all;
    for (const Model::Unheard& one : rows.unheard) all.push_back(one.time);
    return all;
  };
  CHECK(times() == std::vector<uint64_t>{10, 40});
  rows.set_findings(d.model, {}, std::vector<Model::Unheard>{{15, a}, {16, b}});
  CHECK(times() == std::vector<uint64_t>{10, 15, 40});
}

TEST_CASE("times are rounded outwards to 32 bits") {
  Drawn d;
  d.task(0, uint64_t{1} << 40);
  d.task((uint64_t{1} << 35) + 1, (uint64_t{1} << 35) + 2);
  const Rows rows = arrange(d.trace, d.model);
  for (size_t i = 0; i < rows.tasks.size(); i++) {
    const Rows::Extent bar = rows.bar(d.model, i);
    const uint64_t unit = uint64_t{1} << rows.time_shift;
    CHECK(rows.task_times[i].start * unit <= bar.start);
    CHECK(rows.task_times[i].start * unit + unit > bar.start);
    CHECK(rows.task_times[i].end * unit >= bar.end);
    CHECK(rows.task_times[i].end * unit < bar.end + unit);
  }
}

TEST_CASE("random tasks: each is in the row that a search from the top would find") {
  std::mt19937 random(1);
  for (int round = 0; round < 300; round++) {
    Drawn d;
    const auto below = [&](uint64_t limit) { return random() % limit; };
    const uint64_t n = 1 + below(120);
    for (uint64_t i = 0; i < n; i++) {
      const TaskIndex parent = i && below(4) ? static_cast<TaskIndex>(below(i)) : no_index;
      const uint64_t start = (parent == no_index ? 0 : d.model.tasks[parent].start) + below(40);
      d.task(start, start + below(30), parent);
    }
    const Rows rows = arrange(d.trace, d.model);
    std::vector<TaskIndex> order(n);
    for (TaskIndex i = 0; i < n; i++) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](TaskIndex x, TaskIndex y) {
      return d.model.tasks[x].start < d.model.tasks[y].start;
    });
    std::map<uint32_t, uint64_t> ends;
    std::vector<uint32_t> expected(n, Rows::no_row);
    for (const TaskIndex i : order) {
      const Model::Task& task = d.model.tasks[i];
      uint32_t row = 0;
      if (task.parent != no_index && expected[task.parent] != Rows::no_row)
        row = expected[task.parent];
      while (ends[row] > task.start) row++;
      ends[row] = task.end;
      expected[i] = row;
    }
    REQUIRE(rows.row == expected);
    size_t placed = 0;
    for (uint32_t row = 0; row < rows.count; row++) placed += rows.tasks_in(row).size();
    REQUIRE(placed == n);
  }
}

TEST_CASE("blocks of arrows have their rows") {
  Drawn d;
  const TaskIndex a = d.task(0, 1000);
  const TaskIndex b = d.task(1, 1000, a);
  constexpr uint32_t per_block = Rows::arrows_per_block;
  for (uint32_t i = 0; i < 2 * per_block + 20; i++) {
    Model::Interaction arrow;
    arrow.from_time = i;
    arrow.link = Model::Link::Resolve;
    arrow.to_time = i;
    arrow.from = a;
    arrow.to = i < 2 * per_block ? a : b;
    d.model.interactions.push_back(arrow);
  }
  const Rows rows = arrange(d.trace, d.model);
  REQUIRE(rows.arrow_blocks.size() == 3);
  const auto resolve = static_cast<size_t>(Model::Link::Resolve);
  CHECK(rows.arrow_blocks[0].kinds[resolve].last_row == 0);
  CHECK(rows.arrow_blocks[0].kinds[resolve].count == per_block);
  CHECK(rows.arrow_blocks[2].kinds[resolve].last_row == 1);
  CHECK(rows.arrow_blocks[2].kinds[resolve].count == 20);
  CHECK(rows.arrow_blocks[2].earliest == 2 * per_block);
}
