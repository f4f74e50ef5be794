#include "trace/ask/logical_times.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "profile/flame/stack_walk.h"
#include "trace/ask/logical_samples.h"
#include "trace/ask/random_events_trace.h"
#include "trace/ask/random_program.h"
#include "trace/ask/selected_times.h"
#include "trace/model/names.h"

using namespace skein;

namespace {

using Times = std::map<std::string, double>;

std::string text_of(const Times& times) {
  std::string text;
  for (const auto& [stack, ns] : times)
    text += stack + ' ' + std::to_string(static_cast<uint64_t>(ns)) + '\n';
  return text;
}

Times times_of(const StackTree& tree) {
  Times found;
  for_each_stack(tree, [&](const StackTree::Node& node, std::span<const uint32_t> names) {
    std::string stack;
    for (const uint32_t name : names) stack += (stack.empty() ? "" : ";") + tree.names[name];
    found[stack] += node.self;
  });
  return found;
}
Times times_of(const Subject& subject, const LogicalSelection& selection) {
  Times times = times_of(logical_tree(subject, find_logical_times(subject), selection));
  CHECK(times_of(find_selected_times(subject, selection).tree) == times);
  return times;
}

class Program {
 public:
  Program() {
    trace.executors.resize(2);
    trace.info.format = "skein";
    for (const char* kind : {"unknown", "coroutine", "timer"})
      trace.kinds.push_back(trace.strings.intern(kind));
  }
  void add(uint64_t time, EventKind kind, TaskId task, TaskId other = no_task, uint64_t value = 0,
           std::string_view text = "", uint32_t executor = 0) {
    trace.events.append({.time = time,
                         .task = task,
                         .other = other,
                         .value = value,
                         .text = text.empty() ? 0 : trace.strings.intern(text),
                         .executor = executor,
                         .kind = kind});
  }
  Times times(const LogicalSelection& selection) {
    const Model model = build_model(trace, {.simplify = false});
    const Waits waits = find_waits(trace, model);
    return times_of({trace, model, waits}, selection);
  }

  Trace trace;
};
constexpr LogicalSelection running{.states = {.running = true}};
constexpr LogicalSelection ready{.states = {.ready = true}};
constexpr LogicalSelection suspended{.states = {.suspended = true}};

// serve awaits query, which awaits a timer, runs again, and ends.
Program chain() {
  Program p;
  using enum EventKind;
  p.add(0, Create, 1, no_task, 1, "serve");
  p.add(0, Resume, 1);
  p.add(10, Create, 2, 1, 1, "query");
  p.add(10, Suspend, 1, 2);
  p.add(12, Resume, 2, 1);
  p.add(15, Create, 3, 2, 2, "");
  p.add(15, Suspend, 2, 3);
  p.add(45, Resolve, 3, 3);
  p.add(50, Resume, 2, 3);
  p.add(57, Resolve, 2, 2);
  p.add(60, Resume, 1, 2);
  p.add(64, Resolve, 1, 1);
  return p;
}

}  // namespace

TEST_CASE("each moment of a chain is in one state and one stack") {
  CHECK(chain().times(running) == Times{{"serve", 14}, {"serve;query", 10}});
  CHECK(chain().times(ready) == Times{{"serve", 3}, {"serve;query", 5}});
  CHECK(chain().times(suspended) == Times{{"serve;query", 2}, {"serve;query;timer", 30}});
}

TEST_CASE("a deadlock is in a stack") {
  Program p;
  using enum EventKind;
  p.add(0, Create, 1, no_task, 1, "a");
  p.add(0, Create, 2, no_task, 1, "b");
  p.add(0, Resume, 1);
  p.add(10, Suspend, 1, 2);
  p.add(10, Resume, 2);
  p.add(20, Suspend, 2, 1);
  p.add(50, Create, 3);
  CHECK(p.times(suspended) == Times{{"a;b;a", 30}});
}

TEST_CASE("a task that is awaited late is outermost before") {
  Program p;
  using enum EventKind;
  p.add(0, Create, 1, no_task, 1, "main");
  p.add(0, Resume, 1);
  p.add(0, Create, 2, 1, 1, "worker");
  p.add(0, Create, 3, 2, 2);
  p.add(5, Suspend, 1);
  p.add(5, Resume, 2);
  p.add(6, Suspend, 2, 3);
  p.add(6, Resume, 1);
  p.add(20, Suspend, 1, 2);
  p.add(50, Resolve, 3);
  p.add(50, Resume, 2, 3);
  p.add(60, Resolve, 2);
  p.add(60, Resume, 1, 2);
  CHECK(p.times(suspended) == Times{{"main", 1}, {"main;worker;timer", 30}, {"worker;timer", 14}});
  CHECK(p.times(running)["main;worker"] == 10);
  CHECK(p.times(running)["worker"] == 1);
}

TEST_CASE("of several tasks that await one, the first continues the chain, then the next") {
  Program p;
  using enum EventKind;
  p.add(0, Create, 1, no_task, 1, "a");
  p.add(0, Create, 2, no_task, 1, "b");
  p.add(0, Create, 3, no_task, 1, "shared");
  p.add(0, Create, 4, 3, 2);
  p.add(0, Resume, 1);
  p.add(1, Suspend, 1, 3);
  p.add(1, Resume, 2);
  p.add(2, Suspend, 2, 3);
  p.add(2, Resume, 3);
  p.add(3, Suspend, 3, 4);
  p.add(23, Cancel, 1);
  p.add(43, Resolve, 4);
  p.add(43, Resume, 3, 4);
  p.add(44, Resolve, 3);
  CHECK(p.times(suspended) ==
        Times{{"a;shared", 1}, {"a;shared;timer", 20}, {"b;shared", 21}, {"b;shared;timer", 20}});
  CHECK(p.times(running) == Times{{"a", 1}, {"a;shared", 1}, {"b", 1}, {"b;shared", 1}});
}

TEST_CASE("a task whose id is used again keeps its chain") {
  Program p;
  using enum EventKind;
  p.add(0, Create, 1, no_task, 1, "main");
  p.add(0, Resume, 1);
  p.add(1, Create, 2, 1, 1, "query");
  p.add(1, Suspend, 1, 2);
  p.add(1, Create, 3, 2, 2);
  p.add(1, Suspend, 2, 3);
  p.add(31, Resolve, 3);
  p.add(31, Resolve, 2);
  p.add(31, Resume, 1, 2);
  p.add(40, Resolve, 1);
  p.add(41, Create, 2, no_task, 1, "query");  // never runs nor waits
  CHECK(p.times(suspended) == Times{{"main;query;timer", 30}});
}

TEST_CASE("when_all: the children that end an unnamed wait are below it") {
  Program p;
  using enum EventKind;
  p.add(0, Create, 1, no_task, 1, "main");
  p.add(0, Resume, 1);
  p.add(0, Create, 2, 1, 1, "logger");  // detached: ends later
  p.add(0, Create, 3, 1, 1, "part");
  p.add(0, Create, 4, 1, 1, "part");
  p.add(10, Suspend, 1);
  p.add(10, Resume, 3, 1);
  p.add(30, Resolve, 3);
  p.add(30, Resume, 2);
  p.add(40, Suspend, 2);
  p.add(40, Resume, 4, 1);
  p.add(60, Resume, 1, 4);
  p.add(70, Resolve, 1);
  p.add(70, Resolve, 4);
  p.add(80, Resolve, 2);
  const Times found = p.times(running);
  CHECK(found == Times{{"logger", 10}, {"main", 20}, {"main;part", 40}});
  // The second part has not begun for 30 ns.
  CHECK(p.times(suspended) == Times{{"logger", 40}, {"main;part", 30}});
}

TEST_CASE("a generator runs below its caller, and waits for nothing") {
  Program p;
  p.trace.kinds.push_back(p.trace.strings.intern("generator"));
  using enum EventKind;
  p.add(0, Create, 1, no_task, 1, "sum");
  p.add(0, Resume, 1);
  p.add(10, Create, 2, 1, 3, "count");
  for (const uint64_t at : {uint64_t{10}, uint64_t{40}}) {
    p.add(at, Resume, 2, 1);
    p.add(at + 20, Suspend, 2);
    p.add(at + 20, SwitchTo, 1);
  }
  p.add(70, Resolve, 1);
  CHECK(p.times(running) == Times{{"sum", 30}, {"sum;count", 40}});
  CHECK(p.times(suspended).empty());
}

TEST_CASE("selections: ranges, tasks, threads, groups, several states") {
  Program p = chain();
  p.trace.executors[0] = {.name = p.trace.strings.intern("pool"), .tid = 7};
  p.add(64, EventKind::Create, 4, no_task, 1, "other");
  p.add(64, EventKind::Label, 4, no_task, 0, "role");
  p.add(64, EventKind::Resume, 4, no_task, 0, "", 1);
  p.add(70, EventKind::Resolve, 4, no_task, 0, "", 1);
  LogicalSelection selection = running;
  selection.from = 13, selection.to = 62;
  CHECK(p.times(selection) == Times{{"serve", 2}, {"serve;query", 9}});
  selection = running;
  selection.executor = 1;
  CHECK(p.times(selection) == Times{{"other [role]", 6}});
  std::vector<uint8_t> tasks(4);
  tasks[1] = 1;
  selection = running;
  selection.tasks = &tasks;
  CHECK(p.times(selection) == Times{{"serve;query", 10}});
  selection = running;
  selection.by = StacksBy::Thread;
  CHECK(p.times(selection) ==
        Times{{"executor 1;other [role]", 6}, {"pool/7;serve", 14}, {"pool/7;serve;query", 10}});
  selection.by = StacksBy::Executor;
  CHECK(p.times(selection)["pool;serve"] == 14);
  selection.by = StacksBy::Label;
  CHECK(p.times(selection)["role;other [role]"] == 6);
  CHECK(p.times(selection)["(no label);serve"] == 14);
  selection.by = StacksBy::Task;
  CHECK(p.times(selection)["query (#2);serve;query"] == 10);
  const Times all = p.times({.states = {.running = true, .ready = true, .suspended = true}});
  CHECK(all == Times{{"other [role];(running)", 6},
                     {"serve;(running)", 14},
                     {"serve;(ready)", 3},
                     {"serve;query", 2},
                     {"serve;query;(running)", 10},
                     {"serve;query;(ready)", 5},
                     {"serve;query;timer", 30}});
}

namespace {

// By brute force, from the definition: between two adjacent times nothing changes.
class SlowTimes {
 public:
  explicit SlowTimes(const Subject& subject) : s_(subject) {
    std::set<uint64_t> times;
    for (const Waits::Wait& wait : s_.waits.waits)
      for (const uint64_t time : {wait.begin, ready_of(wait), end_of(wait)}) times.insert(time);
    for (const Model::Activation& run : s_.model.activations)
      times.insert(run.start), times.insert(run.end);
    for (auto at = times.begin(); at != times.end() && std::next(at) != times.end(); ++at)
      add(*at, static_cast<double>(*std::next(at) - *at));
  }
  std::array<Times, 3> found;  // by state

 private:
  using Wait = Waits::Wait;
  uint64_t end_of(const Wait& wait) const {
    return wait.is_open() ? std::max(s_.model.end, wait.begin) : wait.end;
  }
  uint64_t ready_of(const Wait& wait) const {
    return std::clamp(wait.ready, wait.begin, end_of(wait));
  }
  bool is_suspended(const Wait& wait, uint64_t time) const {
    return wait.begin <= time && time < ready_of(wait);
  }
  const Wait* awaiter(TaskIndex task, uint64_t time) const {
    if (s_.model.tasks[task].is_resource) return nullptr;
    for (const Wait& wait : s_.waits.waits)
      if (wait.on == task && wait.task != task && is_suspended(wait, time)) return &wait;
    return nullptr;
  }
  bool does_something(TaskIndex task, uint64_t time) const {
    for (const Model::Activation& run : s_.model.activations)
      if (run.task == task && run.start <= time && time < run.end) return true;
    return std::any_of(s_.waits.waits.begin(), s_.waits.waits.end(), [&](const Wait& wait) {
      return wait.task == task && wait.begin <= time && time < end_of(wait);
    });
  }
  std::string name(TaskIndex index, uint32_t location) const {
    const Model::Task& task = s_.model.tasks[index];
    std::string text = task_name(s_.trace, 0, task.name, task.location);
    if (task.label) text += " [" + std::string(s_.trace.strings[task.label]) + "]";
    const std::string kind = kind_name(s_.trace, task.kind);
    if (task.is_resource && !text.empty()) text = kind + " " + text;
    if (text.empty()) text = kind;
    return location == 0 ? text : text + " (program.cc:1)";
  }
  std::string stack(TaskIndex task, uint32_t location, uint64_t time) const {
    const Wait* above = awaiter(task, time);
    return (above == nullptr ? "" : stack(above->task, above->location, time) + ";") +
           name(task, location);
  }
  void add(uint64_t time, double weight) {
    for (const Model::Activation& run : s_.model.activations)
      if (run.start <= time && time < run.end) found[0][stack(run.task, 0, time)] += weight;
    for (const Wait& wait : s_.waits.waits) {
      if (time < wait.begin || time >= end_of(wait)) continue;
      const std::string own = stack(wait.task, wait.location, time);
      if (!is_suspended(wait, time)) {
        found[1][own] += weight;
      } else if (wait.on == no_index || wait.on == wait.task) {
        found[2][own] += weight;
      } else if (awaiter(wait.on, time) != &wait || !does_something(wait.on, time)) {
        found[2][own + ";" + name(wait.on, 0)] += weight;
      }
    }
  }

  const Subject& s_;
};

}  // namespace

TEST_CASE("random programs: the same as by definition") {
  for (uint32_t seed = 0; seed < programs_of(105); seed++) {
    INFO("seed ", seed);
    const auto fault = static_cast<RandomProgram::Fault>(seed % RandomProgram::faults);
    if (fault == RandomProgram::Fault::AwaitCycle) continue;
    const RandomProgram program(seed, fault);
    const Model model = build_model(program.trace, {.simplify = false});
    const Waits waits = find_waits(program.trace, model);
    const Subject subject{program.trace, model, waits};
    const SlowTimes slow(subject);
    REQUIRE(text_of(times_of(subject, running)) == text_of(slow.found[0]));
    REQUIRE(text_of(times_of(subject, ready)) == text_of(slow.found[1]));
    REQUIRE(text_of(times_of(subject, suspended)) == text_of(slow.found[2]));
  }
}

TEST_CASE("damaged traces: no moment counts twice, and no interval is outside") {
  for (uint32_t seed = 0; seed < programs_of(3000); seed++) {
    INFO("seed ", seed);
    const Trace trace = random_events_trace(seed);
    const Model model = build_model(trace, {.simplify = false});
    const Waits waits = find_waits(trace, model);
    const Subject subject{trace, model, waits};
    const LogicalTimes times = find_logical_times(subject);
    uint64_t ran = 0, expected = 0;
    for (const LogicalTimes::Interval& one : times.intervals) {
      REQUIRE(one.begin < one.end);
      REQUIRE(one.task < model.tasks.size());
      REQUIRE(one.stack < times.stacks.size());
      if (one.state == LogicalTimes::State::Running) ran += one.end - one.begin;
    }
    for (const Model::Activation& run : model.activations) expected += run.end - run.start;
    REQUIRE(ran == expected);
    for (uint32_t i = 1; i < times.stacks.size(); i++) REQUIRE(times.stacks[i].parent < i);
  }
}

TEST_CASE("the tasks of a frame are those with time in it or above it") {
  const Program p = chain();
  const Model model = build_model(p.trace, {.simplify = false});
  const Waits waits = find_waits(p.trace, model);
  const Subject subject{p.trace, model, waits};
  const LogicalTimes times = find_logical_times(subject);
  const auto ids = [&](const LogicalSelection& selection, const std::vector<std::string>& path) {
    std::string found;
    const std::vector<uint8_t> tasks = tasks_in_frame(subject, times, selection, path);
    REQUIRE(tasks.size() == model.tasks.size());
    for (size_t i = 0; i < tasks.size(); i++)
      if (tasks[i]) found += '#' + std::to_string(model.tasks[i].id);
    return found;
  };
  CHECK(ids(running, {"serve"}) == "#1#2");
  CHECK(ids(running, {"serve", "query"}) == "#2");
  CHECK(ids(running, {"query"}).empty());
  CHECK(ids(running, {"serve", "query", "timer"}).empty());
  CHECK(ids(suspended, {"serve", "query", "timer"}) == "#2");
  const LogicalSelection all{.states = {.running = true, .ready = true, .suspended = true}};
  CHECK(ids(all, {"serve", "(running)"}) == "#1");
  CHECK(ids(all, {"serve", "query", "(ready)"}) == "#2");
  CHECK(ids(all, {"serve", "nothing"}).empty());
  LogicalSelection early = running;
  early.to = 5;  // before query runs
  CHECK(ids(early, {"serve"}) == "#1");
}

TEST_CASE("samples: the chain of the current task, then the functions of the sample") {
  Program p = chain();
  Trace& trace = p.trace;
  const auto stack = [&](std::initializer_list<const char*> functions) {
    std::vector<StackFrame> frames;
    for (const char* function : functions)
      frames.push_back(
          {.address = 0x10, .function = *function ? trace.strings.intern(function) : 0});
    const uint32_t index = trace.stacks.add(trace.stacks.size());
    trace.stacks.set_frames(index, frames);
    return index;
  };
  const uint32_t of_query = stack({"", "hash(int)", "query", "run", "main"});
  const uint32_t of_loop = stack({"epoll_wait", "run", "main"});
  Trace sampled = std::move(trace);
  Events events;
  sampled.events.for_each([&](const EventRow& row) {
    events.append(row);
    if (row.time == 50)
      for (const TaskId task : {TaskId{2}, TaskId{1}, no_task})
        events.append({.time = 51, .task = task, .value = of_query, .kind = EventKind::Sample});
    if (row.kind == EventKind::Suspend && row.time == 15)
      events.append({.time = 20, .value = of_loop, .kind = EventKind::Sample});
  });
  sampled.events = std::move(events);
  const Model model = build_model(sampled, {.simplify = false});
  const Waits waits = find_waits(sampled, model);
  const Subject subject{sampled, model, waits};
  const LogicalTimes times = find_logical_times(subject);
  const LogicalSamples found = find_logical_samples(subject, times, {});
  CHECK(times_of(found.tree) == Times{{"main;run;epoll_wait", 1}, {"serve;query;hash;0x10", 3}});
  CHECK(found.in_tasks == 3);
  CHECK(found.outside == 1);
  CHECK(found.other_tasks == 1);
  CHECK(find_logical_samples(subject, times, {.from = 20, .to = 51}).outside == 1);
  CHECK(find_logical_samples(subject, times, {.from = 20, .to = 51}).in_tasks == 0);
  CHECK(find_logical_samples(subject, times, {.from = 21, .to = 52}).in_tasks == 3);
  CHECK(find_logical_samples(subject, times, {.from = 21}).outside == 0);
  const LogicalSamples grouped = find_logical_samples(subject, times, {.by = StacksBy::Task});
  CHECK(times_of(grouped.tree)["query (#2);serve;query;hash;0x10"] == 3);
  CHECK(times_of(grouped.tree)["(outside any task);main;run;epoll_wait"] == 1);
  const auto tasks = [&](const std::vector<std::string>& path) {
    return find_logical_samples(subject, times, {}, 0, path).tasks;
  };
  CHECK(tasks({"serve", "query", "hash"})[1] == 1);
  CHECK(tasks({"serve", "query", "hash"})[0] == 0);
  CHECK(tasks({"query"})[1] == 0);
  const LogicalSamples physical =
      find_logical_samples(subject, times, {}, 0, {}, SampleStack::Physical);
  CHECK(times_of(physical.tree) ==
        Times{{"main;run;epoll_wait", 1}, {"main;run;query;hash;0x10", 3}});
  const std::vector<std::string> loop = {"main", "run", "query"};
  const auto in_loop =
      find_logical_samples(subject, times, {}, 0, loop, SampleStack::Physical).tasks;
  CHECK(in_loop[1] == 1);
  CHECK(physical.in_path.empty());
  const LogicalSamples in_epoll = find_logical_samples(
      subject, times, {}, 0, std::vector<std::string>{"main", "run", "epoll_wait"});
  CHECK(in_epoll.in_path == std::vector<SampleAt>{{.executor = 0, .time = 20}});
  CHECK(in_loop[0] == 0);
}

TEST_CASE("waits of threads: the chain of the task, then the functions that waited") {
  Program p = chain();
  Trace& trace = p.trace;
  const auto stack = [&](std::initializer_list<const char*> functions) {
    std::vector<StackFrame> frames;
    for (const char* function : functions)
      frames.push_back({.function = trace.strings.intern(function)});
    const uint32_t index = trace.stacks.add(trace.stacks.size());
    trace.stacks.set_frames(index, frames);
    return index;
  };
  trace.executors[0].tid = 70;
  const auto change = [&](uint64_t time, ThreadState state, uint32_t other = 0) {
    trace.thread_states.push_back({.time = time, .tid = 70, .state = state, .other = other});
  };
  change(0, ThreadState::Running);
  change(20, ThreadState::Blocked);
  change(20, ThreadState::Stack, stack({"epoll_wait", "run", "main"}));
  change(40, ThreadState::Running);
  change(51, ThreadState::Blocked);
  change(51, ThreadState::Stack, stack({"read", "query", "run", "main"}));
  change(54, ThreadState::Running);
  change(55, ThreadState::Blocked);  // without a stack
  change(56, ThreadState::Running);
  const Model model = build_model(trace, {.simplify = false});
  const Waits waits = find_waits(trace, model);
  const Subject subject{trace, model, waits};
  const LogicalTimes times = find_logical_times(subject);
  const ThreadIntervals threads(trace);
  CHECK(threads.has_stacks());
  const LogicalSamples found = find_logical_waits(subject, times, threads, {});
  CHECK(times_of(found.tree) == Times{{"main;run;epoll_wait", 20}, {"serve;query;read", 3}});
  CHECK(found.in_tasks == 1);
  CHECK(found.outside == 1);
  const LogicalSamples part = find_logical_waits(subject, times, threads, {.from = 30, .to = 52});
  CHECK(times_of(part.tree) == Times{{"main;run;epoll_wait", 10}, {"serve;query;read", 1}});
  CHECK(
      find_logical_waits(subject, times, threads, {}, 0, std::vector<std::string>{"serve", "query"})
          .tasks[1] == 1);
}

TEST_CASE("waits of threads: of each range, the time in it") {
  Program p = chain();
  Trace& trace = p.trace;
  trace.executors.resize(3);
  std::mt19937 random(3);
  for (uint32_t tid = 70; tid < 73; tid++) {
    trace.executors[tid - 70].tid = tid;
    for (uint64_t time = random() % 5; time < 64;) {
      const bool is_running = random() % 2 == 0;
      trace.thread_states.push_back(
          {.time = time,
           .tid = tid,
           .state = is_running ? ThreadState::Running : ThreadState::Blocked});
      if (!is_running && random() % 4 != 0) {
        const uint32_t stack = trace.stacks.add(trace.stacks.size());
        trace.stacks.set_frames(stack, std::vector<StackFrame>{{.address = 1 + random() % 3}});
        trace.thread_states.push_back(
            {.time = time, .tid = tid, .state = ThreadState::Stack, .other = stack});
      }
      time += 1 + random() % 6;
    }
  }
  std::stable_sort(trace.thread_states.begin(), trace.thread_states.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
  const Model model = build_model(trace, {.simplify = false});
  const Waits waits = find_waits(trace, model);
  const Subject subject{trace, model, waits};
  const LogicalTimes times = find_logical_times(subject);
  const ThreadIntervals threads(trace);
  const SampleIndex index(subject, times, threads);
  for (uint64_t from = 0; from < 66; from++)
    for (uint64_t to = from; to < 66; to++)
      for (const std::optional<uint32_t> executor : {std::optional<uint32_t>{}, {1}}) {
        uint64_t expected = 0, count = 0;
        for (const ThreadInterval& one : threads.all()) {
          const uint64_t begin = std::max(one.begin, from), end = std::min(one.end, to);
          if (one.stack == ThreadInterval::no_stack || begin >= end) continue;
          if (executor && one.tid != 71) continue;
          expected += end - begin;
          count++;
        }
        const LogicalSamples found =
            index.select({.from = from, .to = to, .executor = executor}, 0.1);
        CHECK(found.tree.nodes[0].weight == static_cast<double>(expected));
        CHECK(found.in_tasks + found.outside == count);
      }
}
