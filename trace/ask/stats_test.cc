#include "trace/ask/stats.h"

#include <doctest/doctest.h>

#include <numeric>

#include "trace/ask/random_events_trace.h"
#include "trace/ask/random_program.h"
#include "trace/model/example.h"

using namespace skein;

namespace {

const TaskGroup& of_name(const std::vector<TaskGroup>& groups, std::string_view name) {
  const auto at = std::find_if(groups.begin(), groups.end(),
                               [&](const TaskGroup& group) { return group.name == name; });
  REQUIRE(at != groups.end());
  return *at;
}

}  // namespace

TEST_CASE("how the time of sessions and their timers divides") {
  const Example e = ours(R"(
     0 create 1 as coroutine session
     0 create 2 as coroutine session
     0 label 1 session-1
     0 label 2 session-2
     1 resume 1
     2 create 3 by 1 as timer
     3 suspend 1 on 3
     4 resume 2
     9 resolve 3 by 3
    12 suspend 2 on 1
    12 resume 1 by 3
    15 resolve 1 by 1
    15 resume 2 by 1
    16 fail 2 by 2
    20 executor_end -
  )");
  const Waits waits = find_waits(e.trace, e.model);
  const auto groups = task_groups(e.trace, e.model, waits, GroupBy::Name);
  const TaskGroup& sessions = of_name(groups, "session-#");
  CHECK(sessions.count == 2);
  CHECK(sessions.open == 0);
  CHECK(sessions.failed == 1);
  CHECK(sessions.running == 2 + 3 + 8 + 1);
  CHECK(sessions.blocked == 6 + 3);
  CHECK(sessions.ready == 3);
  CHECK(sessions.latencies == std::vector<uint64_t>{15, 16});
  const auto kinds = task_groups(e.trace, e.model, waits, GroupBy::Kind);
  CHECK(of_name(kinds, "coroutine").count == 2);
  CHECK(of_name(kinds, "timer").blocked == 7);
}

TEST_CASE("the part of an interval, of some tasks, of an executor") {
  const Example e = ours(R"(
     0 create 1 as coroutine session
     0 create 2 as coroutine query
     1 resume 1
     2 suspend 1 on 2
     4 resume 2
     9 suspend 2
    12 resume 2
    14 resolve 2 by 2
    16 resume 1 by 2
    18 resolve 1 by 1
    20 executor_end -
  )");
  const Waits waits = find_waits(e.trace, e.model);
  const Subject subject{e.trace, e.model, waits};
  const auto whole = task_groups(subject, GroupBy::Name, {}).groups;
  const TaskGroup& session = of_name(whole, "session");
  CHECK(session.total() == 17);
  CHECK(session.running == 3);
  CHECK(session.blocked == 12);
  CHECK(session.ready == 2);
  CHECK(session.self == 5);  // it waits for another task
  CHECK(of_name(whole, "query").self == 10);

  const auto part = task_groups(subject, GroupBy::Name, {.from = 8, .to = 13});
  const TaskGroup& query = of_name(part.groups, "query");
  CHECK(query.running == 2);
  CHECK(query.blocked == 3);
  CHECK(query.open == 1);  // it ends later
  CHECK(query.latencies.empty());
  CHECK(of_name(part.groups, "session").self == 0);
  const TaskIndex index = e.model.find(2);
  CHECK(part.groups[part.group_of[index]].name == "query");
  CHECK(task_groups(subject, GroupBy::Name, {.from = 14, .to = 16}).groups.size() == 2);
  CHECK(task_groups(subject, GroupBy::Name, {.from = 15}).groups.size() == 1);
  CHECK(task_groups(subject, GroupBy::Name, {.from = 9, .to = 9}).groups[0].total() == 0);

  std::vector<uint8_t> one(e.model.tasks.size());
  one[index] = 1;
  const auto some = task_groups(subject, GroupBy::Name, {.tasks = one});
  REQUIRE(some.groups.size() == 1);
  CHECK(some.groups[0].name == "query");
  CHECK(some.group_of[e.model.find(1)] == SelectedGroups::none);
  CHECK(task_groups(subject, GroupBy::Name, {.executor = 7}).groups.empty());
}

TEST_CASE("failed and cancelled tasks are counted separately") {
  const Example e = ours(R"(
     0 create 1 as coroutine query
     0 create 2 as coroutine query
     0 create 3 as coroutine query
     1 fail 1
     2 cancel 2
     3 cancel 3
  )");
  const Waits waits = find_waits(e.trace, e.model);
  const auto groups = task_groups(e.trace, e.model, waits, GroupBy::Name);
  CHECK(of_name(groups, "query").failed == 1);
  CHECK(of_name(groups, "query").cancelled == 2);
}

TEST_CASE("overlapping waits of one task count once, as waiting if any is not over") {
  //       0    5    10   15   20
  //  1    ==-----------------=]   waits for 3 (2 to 8), 9 (4 to 10), 4 (12 to 16); resumes at 19
  const Example e = ours(R"(
     0 create 1 as coroutine join
     0 resource 1 of 9 as condition
     0 resume 1
     1 create 3 by 1 as timer
     1 create 4 by 1 as timer
     2 suspend 1 on 3
     4 await 1 on 9
     8 resolve 3 by 3
    10 notify 9 =1
    12 await 1 on 4
    16 resolve 4 by 4
    19 resume 1
    20 resolve 1 by 1
  )");
  const Waits waits = find_waits(e.trace, e.model);
  REQUIRE(waits.waits.size() == 3);
  const auto groups = task_groups(e.trace, e.model, waits, GroupBy::Name);
  const TaskGroup& join = of_name(groups, "join");
  CHECK(join.running == 2 + 1);
  CHECK(join.blocked == (10 - 2) + (16 - 12));
  CHECK(join.ready == (12 - 10) + (19 - 16));
}

TEST_CASE("percentiles by nearest rank, and powers of two") {
  std::vector<uint64_t> values(100);
  std::iota(values.begin(), values.end(), 1);
  CHECK(percentile(values, 0.5) == 50);
  CHECK(percentile(values, 0.99) == 99);
  CHECK(percentile(values, 1) == 100);
  CHECK(percentile(values, 0) == 1);
  CHECK(percentile({7}, 0.5) == 7);
  CHECK(percentile({}, 0.5) == 0);
  CHECK(histogram({0, 1, 2, 3, 4, 1000}) == std::vector<uint64_t>{1, 1, 2, 1, 0, 0, 0, 0, 0, 0, 1});
}

TEST_CASE("random programs: every interval counts exactly once") {
  for (uint32_t seed = 1; seed <= programs_of(100); seed++) {
    const RandomProgram program(seed, static_cast<RandomProgram::Fault>(seed % 7));
    const Model model = build_model(program.trace, {.simplify = false});
    const Waits waits = find_waits(program.trace, model);
    CAPTURE(seed);
    uint64_t tasks = 0;
    uint64_t running = 0;
    for (const Model::Task& task : model.tasks) tasks += !task.is_resource;
    for (const Model::Activation& a : model.activations) running += a.end - a.start;
    for (const GroupBy by : {GroupBy::Name, GroupBy::Kind, GroupBy::Location}) {
      uint64_t counted = 0;
      uint64_t ran = 0;
      for (const TaskGroup& group : task_groups(program.trace, model, waits, by)) {
        counted += group.count;
        ran += group.running;
        CHECK(group.latencies.size() == group.count - group.open);
        CHECK(group.failed + group.cancelled <= group.count - group.open);
        CHECK(std::is_sorted(group.latencies.begin(), group.latencies.end()));
        const uint64_t alive = group.count * model.end;
        CHECK(group.running + group.ready + group.blocked <= alive);
      }
      CHECK(counted == tasks);
      CHECK(ran == running);
    }
  }
}

TEST_CASE("random programs: the parts of a trace add up to the whole") {
  struct Sums {
    uint64_t running = 0, ready = 0, blocked = 0, self = 0, ended = 0;
    bool operator==(const Sums&) const = default;
    void add(const TaskGroup& g) {
      running += g.running;
      ready += g.ready;
      blocked += g.blocked;
      self += g.self;
      ended += g.latencies.size();
    }
  };
  for (uint32_t seed = 1; seed <= programs_of(100); seed++) {
    const RandomProgram program(seed, static_cast<RandomProgram::Fault>(seed % 7));
    const Model model = build_model(program.trace, {.simplify = false});
    const Waits waits = find_waits(program.trace, model);
    const Subject subject{program.trace, model, waits};
    CAPTURE(seed);
    Sums whole, halves, executors;
    for (const TaskGroup& g : task_groups(subject, GroupBy::Kind, {}).groups) {
      whole.add(g);
      CHECK(g.self <= g.total());
    }
    const uint64_t middle = model.end / 3;
    for (const TaskGroup& g : task_groups(subject, GroupBy::Kind, {.to = middle}).groups)
      halves.add(g);
    for (const TaskGroup& g : task_groups(subject, GroupBy::Kind, {.from = middle}).groups)
      halves.add(g);
    CHECK(halves == whole);
    for (uint32_t i = 0; i < program.trace.executors.size(); i++)
      for (const TaskGroup& g : task_groups(subject, GroupBy::Kind, {.executor = i}).groups)
        executors.running += g.running;
    CHECK(executors.running == whole.running);
  }
}

TEST_CASE("sums over random events are bounded") {
  for (uint32_t seed = 1; seed <= programs_of(2'000); seed++) {
    const Trace trace = random_events_trace(seed);
    const Model model = build_model(trace, {.simplify = false});
    const Waits waits = find_waits(trace, model);
    CAPTURE(seed);
    const uint64_t most = (model.tasks.size() + waits.waits.size()) * model.end;
    for (const TaskGroup& group : task_groups(trace, model, waits, GroupBy::Kind)) {
      CHECK(group.running <= most);
      CHECK(group.ready <= most);
      CHECK(group.blocked <= most);
      for (const uint64_t latency : group.latencies) CHECK(latency <= model.end);
    }
  }
}
