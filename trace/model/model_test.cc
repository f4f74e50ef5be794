// Complete models: several traces, invariants, damage. The examples with diagrams for each rule of
// docs/model.md are beside the parts of the builder: lives, arrows, simplify, executors, counters,
// groups.
#include "trace/model/model.h"

#include <random>

#include "trace/model/example.h"

using namespace skein;

TEST_CASE("several traces: each has separate ids, texts and scales") {
  const Example first = mirage(R"(
     0 create 1
    10 counter_set 1 =7 queue#a
    20 resolve 1
  )");
  const Example second = ours(R"(
     0 create 9 @1
     5 create 1 under 9 @2
    10 resume 1 @2
    15 counter_set 1 =99 queue#a @2
    30 fail 1 by 1 because @2
    90 resolve 9 by 9 @1
  )");
  CHECK(first.bars() == "1: 0-20 resolved\n");
  CHECK(second.bars() == "9@1: 0-90 resolved\n1@2: 5-30 failed under 9\n");
  CHECK(first.counters() == "queue#a 0..7: 10=7\n");
  CHECK(second.counters() == "queue#a 0..99: 15=99\n");
  CHECK(first.model.end == 20);
  CHECK(second.model.end == 90);
  CHECK(first.model.find(9) == no_index);
  CHECK(second.id(second.model.find(1)) == "1");
}

namespace {

// The invariants that users of a model rely on.
void check_sane(const Trace& trace, const Model& model) {
  const auto is_task = [&](TaskIndex task) { return task < model.tasks.size(); };
  const auto is_task_or_none = [&](TaskIndex task) { return task == no_index || is_task(task); };
  std::vector<uint8_t> rooted(model.tasks.size());
  for (TaskIndex index = 0; index < model.tasks.size(); index++) {
    const Model::Task& task = model.tasks[index];
    REQUIRE(task.start <= task.end);
    REQUIRE(task.end <= model.end + 1000);
    REQUIRE(is_task_or_none(task.parent));
    REQUIRE(is_task_or_none(task.becomes));
    REQUIRE((task.how == Model::End::Became) == (task.becomes != no_index));
    // A path to the root is at most as long as the number of tasks.
    std::vector<TaskIndex> way;
    for (TaskIndex at = index; at != no_index && !rooted[at]; at = model.tasks[at].parent) {
      way.push_back(at);
      REQUIRE(way.size() <= model.tasks.size());
    }
    for (const TaskIndex at : way) rooted[at] = 1;
  }
  std::vector<uint64_t> free_from(trace.executors.size());
  uint64_t last = 0;
  for (const Model::Activation& activation : model.activations) {
    REQUIRE(is_task(activation.task));
    REQUIRE(activation.start >= last);
    REQUIRE(activation.start < activation.end);
    REQUIRE(activation.end <= model.tasks[activation.task].end);
    REQUIRE(activation.start >= free_from[activation.executor]);
    free_from[activation.executor] = activation.end;
    last = activation.start;
  }
  last = 0;
  for (const Model::Interaction& arrow : model.interactions) {
    REQUIRE(is_task_or_none(arrow.from));
    REQUIRE(is_task_or_none(arrow.to));
    if (arrow.link != Model::Link::Message) {
      REQUIRE(is_task(arrow.from));
      REQUIRE(is_task(arrow.to));
      REQUIRE(arrow.from != arrow.to);
    }
    REQUIRE(arrow.from_time <= arrow.to_time);
    REQUIRE(arrow.to_time >= last);
    last = arrow.to_time;
  }
  const auto check_ordered = [&](const auto& items) {
    last = 0;
    for (const auto& item : items) {
      REQUIRE(item.start >= last);
      REQUIRE(item.start <= item.end);
      REQUIRE(item.end <= model.end + 1000);
      last = item.start;
    }
  };
  check_ordered(model.sleeps);
  check_ordered(model.pauses);
  check_ordered(model.spans);
  for (const Model::Label& label : model.labels) REQUIRE(is_task(label.task));
  for (const Model::Span& span : model.spans) REQUIRE(is_task_or_none(span.task));
  for (const Model::Counter& counter : model.counters) REQUIRE(counter.scale < model.scales.size());
}

}  // namespace

TEST_CASE("a model of any events keeps the invariants") {
  std::mt19937_64 random(1);
  const auto below = [&](uint64_t limit) { return random() % limit; };
  for (int round = 0; round < 3000; round++) {
    Trace trace;
    trace.info.format = round % 2 ? "mirage-profile" : "skein";
    for (const char* kind : {"bind", "map", "condition", "mutex", "task"})
      trace.kinds.push_back(trace.strings.intern(kind));
    for (const char* text : {"a", "b#1", "b#2"}) trace.strings.intern(text);
    trace.executors.resize(1 + below(3));
    const uint64_t ids = 1 + below(below(2) ? 6 : 60);
    const auto id = [&]() -> TaskId {
      if (below(12) == 0) return no_task;
      if (below(50) == 0) return random();
      return below(ids);
    };
    uint64_t time = below(2) ? 0 : uint64_t{1} << 60;
    for (uint64_t i = below(300); i > 0; i--) {
      time += below(2) ? 0 : below(3000);
      trace.events.append({.time = time,
                           .task = id(),
                           .other = id(),
                           .value = below(8) ? below(6) : random(),
                           .text = static_cast<StringId>(below(trace.strings.size())),
                           .executor = static_cast<uint32_t>(below(trace.executors.size())),
                           .kind = EventKind(below(event_kinds)),
                           .flags = below(3) == 0 ? flag::makes_current : uint8_t{0}});
    }
    // Every other ring has a live task table, which may be damaged too.
    if (trace.info.format == "skein" && below(2)) {
      trace.info.complete_from = trace.events.empty() ? 0 : below(time + 1);
      for (TaskId next = below(4); next < ids + 5; next += 1 + below(8))
        trace.live_tasks.push_back(
            {.id = next,
             .parent = id(),
             .on = id(),
             .since = static_cast<int64_t>(below(2) ? time - below(9000) : random()),
             .name = static_cast<StringId>(below(2)),
             .kind = static_cast<uint32_t>(below(6)),
             .executor = static_cast<uint32_t>(below(trace.executors.size())),
             .state = LiveTaskEntry::State(below(4)),
             .should_resolve = below(4) == 0});
    }
    INFO("round ", round);
    check_sane(trace, build_model(trace));
    check_sane(trace, build_model(trace, {.simplify = false}));
  }
}

TEST_CASE("an empty trace has an empty model") {
  const Model model = build_model(Trace{});
  CHECK(model.tasks.empty());
  CHECK(model.find(1) == no_index);
  CHECK(model.find(no_task) == no_index);
}
