#include "profile/trace/sampled_tasks.h"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <sstream>
#include <string>
#include <utility>

#include "trace/ask/waits.h"
#include "trace/model/model.h"

using namespace skein;

namespace {

// "12 @1 leaf:7 parse:6/3 serve:5/9": time, thread, coroutines from the innermost, each a function,
// the address of its frame, and the line at which it awaits the one before it. "+9": a wait of 9.
struct Profile {
  explicit Profile(const std::string& text, uint64_t period = 10) {
    trace.info.format = sampled_format;
    trace.executors = {{.tid = 1}, {.tid = 2}, {.tid = 3, .process = 1}};
    trace.processes.resize(2);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (line.find_first_not_of(' ') != std::string::npos) samples.push_back(sample(line));
    append_sampled_tasks(samples, period, trace);
    model = build_model(trace);
  }

  TimedSample sample(const std::string& line) {
    TimedSample one;
    std::istringstream words(line);
    std::string word;
    words >> one.time;
    while (words >> word) {
      if (word[0] == '@') {
        one.executor = static_cast<uint32_t>(word[1] - '0');
        continue;
      }
      if (word[0] == '+') {
        one.wait = std::stoul(word.substr(1));
        continue;
      }
      const size_t colon = word.find(':'), slash = word.find('/');
      SampledCoroutine coroutine;
      coroutine.frame = std::stoul(word.substr(colon + 1));
      coroutine.function = location(word.substr(0, colon), 0);
      if (slash != word.npos)
        coroutine.place = location(word.substr(0, colon),
                                   static_cast<uint32_t>(std::stoul(word.substr(slash + 1))));
      one.coroutines.push_back(coroutine);
    }
    return one;
  }

  uint32_t location(const std::string& function, uint32_t line) {
    const StringId id = trace.strings.intern(function);
    for (uint32_t i = 1; i < trace.locations.size(); i++)
      if (trace.locations[i].function == id && trace.locations[i].line == line) return i;
    trace.locations.push_back({.function = id, .line = line});
    return static_cast<uint32_t>(trace.locations.size() - 1);
  }

  std::string name(TaskIndex task) const {
    if (task == no_index) return "-";
    return std::string(trace.strings[trace.locations[model.tasks[task].location].function]);
  }
  // "serve 2-41" per task, with its awaiter when it was created.
  std::string tasks() const {
    std::ostringstream out;
    for (const Model::Task& task : model.tasks) {
      out << name(static_cast<TaskIndex>(&task - model.tasks.data())) << " " << task.start << "-"
          << task.end;
      if (task.parent != no_index) out << " under " << name(task.parent);
      if (task.how != Model::End::Resolved) out << " not ended";
      out << "\n";
    }
    return out.str();
  }
  // Those that took time.
  std::string runs() const {
    std::ostringstream out;
    for (const Model::Activation& run : model.activations)
      if (run.end > run.start)
        out << name(run.task) << "@" << run.executor << " " << run.start << "-" << run.end << "\n";
    return out.str();
  }
  std::string sleeps() const {
    std::ostringstream out;
    for (const auto& sleep : model.sleeps)
      if (sleep.end > sleep.start)
        out << "@" << sleep.executor << " " << sleep.start << "-" << sleep.end << "\n";
    return out.str();
  }

  Trace trace;
  std::vector<TimedSample> samples;
  Model model;
};

}  // namespace

TEST_CASE("a coroutine is a task from its first to its last sample") {
  const Profile p(R"(
    10 leaf:3 parse:2/7 serve:1/4
    20 leaf:3 parse:2/7 serve:1/4
    30 parse:2 serve:1/4
    40 serve:1
  )");
  CHECK(p.tasks() == "serve 0-41\nparse 0-31 under serve\nleaf 0-21 under parse\n");
  CHECK(p.runs() == "leaf@0 0-21\nparse@0 21-31\nserve@0 31-41\n");
  CHECK(p.sleeps() == "");
}

TEST_CASE("samples far apart are different stretches") {
  const Profile p(R"(
    10 leaf:3
    20 leaf:3
    100 leaf:3
    130 leaf:3
  )");
  CHECK(p.tasks() == "leaf 0-131\n");
  CHECK(p.runs() == "leaf@0 0-21\nleaf@0 90-101\nleaf@0 120-131\n");
  CHECK(p.sleeps() == "@0 21-90\n@0 101-120\n");
}

TEST_CASE("a thread that runs no coroutine is not idle") {
  const Profile p("10 a:1\n20\n30\n40 a:1\n");
  CHECK(p.runs() == "a@0 0-11\na@0 31-41\n");
  CHECK(p.sleeps() == "");
}

TEST_CASE("a frame is used again: by another function, and by another awaiter") {
  const Profile p(R"(
    10 leaf:3 serve:1/4
    20 other:3 serve:1/5
    30 leaf:3 serve:2/4
    40 leaf:3
  )");
  CHECK(p.tasks() ==
        "serve 0-21\nleaf 0-11 under serve\nother 11-21 under serve\nserve 21-31\n"
        "leaf 21-31 under serve\nleaf 31-41\n");
}

TEST_CASE("a frame is used again by the same function, if its awaiter has gone on") {
  const Profile p(R"(
    10 leaf:3 serve:1/4
    20 serve:1
    30 leaf:3 serve:1/4
    40 leaf:3 serve:1/6
    50 leaf:3 serve:1/6
  )");
  CHECK(p.tasks() ==
        "serve 0-51\nleaf 0-11 under serve\nleaf 21-31 under serve\nleaf 31-51 under serve\n");
}

TEST_CASE("tasks move between threads, and two can be awaited at one line") {
  const Profile p(R"(
    10 @0 part:2 both:1/4
    12 @1 part:3 both:1/4
    20 @1 part:2 both:1/4
    22 @0 part:3 both:1/4
    32 @0 both:1
  )");
  CHECK(p.tasks() == "both 0-33\npart 0-21 under both\npart 2-23 under both\n");
  CHECK(p.runs() == "part@0 0-11\npart@1 2-13\npart@1 13-21\npart@0 14-23\nboth@0 23-33\n");
  // Its awaiter is not ready as long as it waits for another one.
  for (const Waits::Wait& wait : find_waits(p.trace, p.model).waits)
    if (!wait.is_open()) CHECK(wait.ready >= wait.end);
}

TEST_CASE("a task that awaits another one later begins where it is seen first") {
  const Profile p(R"(
    98 @0
    100 @0 serve:1
    101 @1 leaf:3
    110 @1 leaf:3 serve:1/4
  )");
  CHECK(p.tasks() == "leaf 91-111\nserve 99-111\n");
}

TEST_CASE("no event is before the beginning of its task") {
  std::mt19937 random(1);
  const auto upto = [&](uint32_t n) { return static_cast<uint32_t>(random()) % n; };
  for (int round = 0; round < 300; round++) {
    std::ostringstream text;
    uint64_t time = 10;
    for (int i = 0; i < 60; i++) {
      time += 1 + (upto(3) == 0 ? upto(30) : upto(4));  // equal times have no order
      text << time << " @" << upto(2);
      // Frames of functions are the same for all threads, so that tasks move between these.
      const uint32_t outermost = upto(4);
      for (uint32_t depth = upto(4); depth <= outermost; depth++)
        text << " f" << depth << ":" << 1 + 10 * depth + upto(2) << "/" << 1 + upto(2);
      if (upto(4) == 0) text << " +" << upto(25);
      text << "\n";
    }
    const Profile p(text.str());
    std::map<TaskId, std::pair<uint64_t, uint32_t>> created;
    std::map<TaskId, uint64_t> before;
    const auto look = [&](const EventRow& event, TaskId task) {
      if (task == no_task) return;
      const auto known = created.find(task);
      const bool is_behind = known != created.end() && (known->second.first < event.time ||
                                                        known->second.second == event.executor);
      if (!is_behind) before.emplace(task, event.time);
    };
    p.trace.events.for_each([&](const EventRow& event) {
      if (event.kind == EventKind::Create)
        created.emplace(event.task, std::pair(event.time, event.executor));
      look(event, event.task);
      look(event, event.other);
    });
    CHECK_MESSAGE(before.empty(), text.str());
    for (const Model::Task& task : p.model.tasks) CHECK_FALSE(task.pre_existing);
  }
}

TEST_CASE("frames of processes are different") {
  const Profile p("10 @0 a:1\n11 @2 a:1\n20 @0 a:1\n");
  CHECK(p.tasks() == "a 0-21\na 1-12\n");
}

TEST_CASE("a damaged chain with a frame twice makes no cycle") {
  const Profile p("10 a:1 b:2/3 a:1/4\n20 a:1 b:2/3 a:1/4\n20 @1 a:1\n20 @0 b:2 a:1/1\n");
  for (const Model::Task& task : p.model.tasks) CHECK(task.how == Model::End::Resolved);
}

TEST_CASE("each sample is in the task that it was taken of") {
  const Profile p(R"(
    10 leaf:3 serve:1/4
    11 @1 leaf:3 serve:1/4
    11 @0 serve:1
    12 @1
    13 @1 serve:1
    90 @0 leaf:3 serve:1/4
    95 @0 leaf:5 serve:1/4
  )");
  size_t samples = 0;
  p.trace.events.for_each([&](const EventRow& event) {
    if (event.kind != EventKind::Sample) return;
    samples++;
    bool is_found = event.task == no_task;
    for (const Model::Activation& run : p.model.activations)
      is_found = is_found || (run.executor == event.executor && run.start <= event.time &&
                              event.time < run.end && p.model.tasks[run.task].id == event.task);
    CHECK_MESSAGE(is_found, event.time);
  });
  CHECK(samples == p.samples.size());
}
