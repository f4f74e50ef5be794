// info, ps, why, stats, query, the CSV table of tasks and the viewer's panel agree on which tasks
// are live, ended and waiting. They are compared with each other, on random programs and on rings
// that have overwritten part of the events. tests/ask/agree_test.py compares them on files.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "base/text.h"
#include "report/explain.h"
#include "trace/ask/end_state.h"
#include "trace/ask/live_tasks.h"
#include "trace/ask/random_events_trace.h"
#include "trace/ask/random_program.h"
#include "trace/ask/stats.h"
#include "trace/ask/summary.h"
#include "trace/export/csv.h"
#include "trace/export/table.h"
#include "trace/model/names.h"
#include "trace/query/database.h"
#include "view/viewer/viewer.h"

using namespace skein;

namespace {

using Lines = std::multiset<std::string>;

Lines query(const QueryDatabase& database, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  REQUIRE(sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &statement, nullptr) == SQLITE_OK);
  Lines lines;
  while (sqlite3_step(statement) == SQLITE_ROW) {
    std::string line;
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
      line += (i == 0 ? "" : " ") + std::string(text ? text : "-");
    }
    lines.insert(line);
  }
  sqlite3_finalize(statement);
  return lines;
}

// The results of each command for a trace, as "id state" per task.
class Answers {
 public:
  explicit Answers(const Trace& trace)
      : trace_(trace),
        model_(build_model(trace, {.simplify = false})),
        waits_(find_waits(trace, model_)),
        end_(subject(), false) {
    for (const LiveTask& live : find_live_tasks(subject()))
      if (live.state != TaskState::Resource) live_[live.task] = live;
  }

  Subject subject() const { return {trace_, model_, waits_}; }

  void compare() const {
    const Summary info = summarize(subject());
    CHECK(info.live == live_.size());
    CHECK(info.tasks == info.ended + info.live);
    CHECK(info.waiting ==
          static_cast<uint64_t>(std::count_if(live_.begin(), live_.end(), [](const auto& row) {
            return is_waiting(row.second.state);
          })));
    uint64_t open = 0;
    uint64_t tasks = 0;
    uint64_t failed = 0;
    uint64_t cancelled = 0;
    for (const TaskGroup& group : task_groups(trace_, model_, waits_, GroupBy::Kind)) {
      open += group.open;
      tasks += group.count;
      failed += group.failed;
      cancelled += group.cancelled;
    }
    CHECK(failed == info.failed);
    CHECK(open == info.live);
    CHECK(tasks == info.tasks);

    const QueryDatabase database(trace_);
    CHECK(
        query(database, "SELECT id, live_state FROM task WHERE state = 'live' AND NOT resource") ==
        lines());
    CHECK(query(database,
                "SELECT count(*) FROM task WHERE state <> 'live' AND NOT resource AND "
                "live_state IS NULL") == Lines{std::to_string(info.ended)});
    CHECK(query(database,
                "SELECT sum(state = 'failed'), sum(state = 'cancelled') FROM task "
                "WHERE NOT resource") ==
          Lines{std::to_string(failed) + ' ' + std::to_string(cancelled)});

    std::string csv;
    Out out([&](std::string_view piece) {
      csv += piece;
      return true;
    });
    CsvWriter table(task_columns(), out);
    export_tasks(trace_, table);
    REQUIRE(out.finish());
    std::istringstream rows(csv);
    size_t open_rows = 0;
    for (std::string row; std::getline(rows, row);) open_rows += row.find(",live,") != row.npos;
    size_t resources = 0;
    for (const Model::Task& task : model_.tasks)
      resources += task.is_resource && task.how == Model::End::Open;
    CHECK(open_rows == info.live + resources);
  }

  // Compares the state of each task in its diagnosis.
  void compare_why() const {
    for (TaskIndex task = 0; task < model_.tasks.size(); task++) compare_why(task);
  }

  // Compares which tasks are stuck: in all diagnoses, in that of one task, in the viewer's filter,
  // its alarm, its red bars, and the tasks that a key selects one after the other.
  void compare_stuck(Trace copy) const {
    std::vector<TaskIndex> stuck;  // of the state, in the order of why
    std::set<TaskIndex> reported;
    std::set<TaskIndex> targets;
    for (const Diagnosis& d : end_.diagnoses()) {
      std::vector<TaskIndex> tasks = d.similar;
      tasks.insert(tasks.begin(), d.chain.front().task);
      for (const TaskIndex task : tasks) {
        if (d.verdict != Verdict::Running) reported.insert(task);
        if (!d.is_error()) continue;
        reported.insert(task);
        if (std::find(stuck.begin(), stuck.end(), task) == stuck.end()) stuck.push_back(task);
        for (const Diagnosis::Step& step : end_.diagnose(subject(), task).chain)
          targets.insert(step.task);
      }
    }
    std::set<TaskIndex> shown;
    for (TaskIndex& task : stuck) {
      CHECK(end_.diagnose(subject(), task).is_error());
      reported.erase(task);
      targets.erase(task);
      task = end_.in_whole(model_, task);
      shown.insert(task);
    }
    const Model& state = end_.subject(subject()).model;
    for (TaskIndex task = 0; task < state.tasks.size(); task++) {
      const bool is_error = end_.diagnose(subject(), task).is_error();
      if (reported.contains(task)) CHECK(!is_error);
      // A task that a stuck one waits for may be stuck, too.
      if (is_error && !shown.contains(end_.in_whole(model_, task))) CHECK(targets.contains(task));
    }

    Viewer viewer;
    viewer.resize(800, 400);
    viewer.add(std::move(copy), "trace");
    const std::string alarm = viewer.alarm();
    CHECK(alarm.substr(0, alarm.find(' ')) == (stuck.empty() ? "" : std::to_string(stuck.size())));
    for (size_t i = 0; i <= stuck.size() && !stuck.empty(); i++) {
      viewer.key("e", {});
      CHECK(viewer.selected() == stuck[i % stuck.size()]);
      REQUIRE(viewer.selected() != no_index);
      for (const PanelLine& line : viewer.panel().lines)
        if (line.name == "why")
          CHECK(line.value ==
                name(end_.diagnose(subject(), end_.in_state(model_, viewer.selected())).verdict));
    }
    viewer.picture();
    // The waits of stuck tasks are red, and the ends of others that failed.
    const auto check_red = [&] {
      const Rows& rows = *viewer.tracks()[0].rows;
      size_t red = 0;
      for (const uint32_t position : rows.red_positions)
        if (shown.contains(rows.tasks[position]))
          red++;
        else
          CHECK(std::count(rows.failed.begin(), rows.failed.end(), position) == 1);
      CHECK(red == shown.size());
    };
    check_red();
    viewer.set_filter({.only_stuck = true});
    viewer.picture();
    std::set<TaskIndex> kept;
    for (const TaskIndex task : viewer.tracks()[0].rows->tasks) kept.insert(task);
    CHECK(kept == shown);
    check_red();
  }

  // Compares the open waits that have a target.
  void compare_waits() const {
    const QueryDatabase database(trace_);
    Lines waiting;
    for (const auto& [task, live] : live_)
      if (is_waiting(live.state) && live.target != no_index)
        waiting.insert(std::to_string(model_.tasks[task].id) + ' ' +
                       std::to_string(model_.tasks[live.target].id));
    CHECK(
        query(database, "SELECT task, target FROM wait WHERE end_ns IS NULL AND target NOT NULL") ==
        waiting);
  }

  // Compares the panels of every live task and of a few others.
  void compare_panel(Trace copy) const {
    Viewer viewer;
    viewer.resize(800, 400);
    viewer.add(std::move(copy), "trace");
    size_t ended = 0;
    for (TaskIndex task = 0; task < model_.tasks.size(); task++) {
      const TaskState state = task_state(subject(), task);
      if (state == TaskState::Resource || (state == TaskState::Ended && ended++ >= 5)) continue;
      viewer.select(0, task);
      std::string seen;
      std::string target;
      std::string parent;
      std::string since;
      std::string verdict(name(Verdict::Ok));
      for (const PanelLine& line : viewer.panel().lines) {
        if (line.name == "state") seen = line.value.substr(0, line.value.find(','));
        if (line.name == "waits for" && target.empty()) target = line.value;
        if (line.name == "parent") parent = line.value;
        if (line.name == "since" && since.empty()) since = line.value;
        if (line.name == "why") verdict = line.value;
      }
      if (state == TaskState::Ended) {
        for (const TaskState other : {TaskState::Created, TaskState::Running, TaskState::Runnable,
                                      TaskState::Suspended, TaskState::Unknown})
          CHECK(seen != name(other));
        continue;
      }
      CHECK(seen == name(state));
      const TaskIndex creator = model_.tasks[task].parent;
      CHECK(parent.empty() == (creator == no_index));
      if (creator != no_index)
        CHECK(parent.find('#' + std::to_string(model_.tasks[creator].id)) != std::string::npos);
      const double lasts =
          static_cast<double>(model_.end) - static_cast<double>(live_.at(task).since);
      CHECK(since.find(", for " + duration_text(lasts)) != std::string::npos);
      // A program that has destroyed what was left is diagnosed as it was before, by why, too.
      const TaskIndex then = end_.in_state(model_, task);
      CHECK(verdict ==
            name(then == no_index ? Verdict::Ok : end_.diagnose(subject(), then).verdict));
      const TaskIndex on = live_.at(task).target;
      CHECK(target.empty() == (on == no_index));
      if (on != no_index)
        CHECK(target.find('#' + std::to_string(model_.tasks[on].id)) != std::string::npos);
    }
  }

  Lines lines() const {
    Lines all;
    for (const auto& [task, live] : live_)
      all.insert(std::to_string(model_.tasks[task].id) + ' ' + std::string(name(live.state)));
    return all;
  }
  // Returns runnable tasks as suspended: a task table does not show that a target has ended.
  Lines all() const {
    Lines all;
    for (const auto& [task, live] : live_)
      all.insert(
          std::to_string(model_.tasks[task].id) + ' ' +
          std::string(name(live.state == TaskState::Runnable ? TaskState::Suspended : live.state)));
    return all;
  }

  // Returns the task table of a ring whose program is killed at the end of the trace.
  std::vector<LiveTaskEntry> task_table() const {
    std::vector<LiveTaskEntry> rows;
    for (const LiveTask& live : find_live_tasks(subject())) {
      const Model::Task& task = model_.tasks[live.task];
      const auto id = [&](TaskIndex index) {
        return index == no_index ? no_task : model_.tasks[index].id;
      };
      using State = LiveTaskEntry::State;
      const State state = live.state == TaskState::Resource  ? State::Resource
                          : live.state == TaskState::Created ? State::Created
                          : live.state == TaskState::Running ? State::Running
                                                             : State::Suspended;
      rows.push_back({.id = task.id,
                      .parent = id(task.parent),
                      .on = id(live.target),
                      .since = live.since,
                      .label = task.label,
                      .name = task.name,
                      .kind = task.kind,
                      .location = task.location,
                      .at = live.location,
                      .executor = live.executor == Waits::none ? 0 : live.executor,
                      .state = state,
                      .should_resolve = task.should_resolve});
    }
    return rows;
  }

 private:
  void compare_why(TaskIndex task) const {
    const Model::Task& of = model_.tasks[task];
    if (of.is_resource || of.how == Model::End::Became || of.how == Model::End::Cancelled) return;
    if (of.how == Model::End::Resolved && task % 16 != 0) return;  // a sample is enough
    const Diagnosis d = diagnose(subject(), all_, task);
    const std::string_view text = describe_step(subject(), d, 0).text;
    const bool has_ended = text == "ended" || text == "failed" || text == "has ended";
    CHECK(has_ended == !live_.contains(task));
    if (has_ended || !live_.contains(task)) return;
    const LiveTask& live = live_.at(task);
    CHECK((text == "runs") == (live.state == TaskState::Running));
    CHECK((text == "is runnable") == (live.state == TaskState::Runnable));
    CHECK((text == "was created") == (live.state == TaskState::Created));
    CHECK(text.starts_with("waits for") ==
          (live.state == TaskState::Suspended && waits_.open(task)));
    CHECK(target_of(subject(), d, 0) == live.target);
    CHECK(since(subject(), finder_, d.chain[0]) == live.since);
  }

  const Trace& trace_;
  const Model model_;
  const Waits waits_;
  const std::vector<Diagnosis> all_ = diagnose_all(trace_, model_, waits_);
  const EndState end_;
  const LiveTaskFinder finder_{subject()};
  std::map<TaskIndex, LiveTask> live_;
};

constexpr uint32_t programs = programs_of(1000);

RandomProgram make_program(uint32_t seed) {
  return RandomProgram(seed, static_cast<RandomProgram::Fault>(seed % RandomProgram::faults));
}

// Returns the trace as a ring would keep it: the events of each executor from a different time on,
// and the task table.
Trace cut(Trace whole, const Answers& answers, uint32_t seed) {
  Trace ring;
  ring.info = whole.info;
  ring.strings = std::move(whole.strings);
  ring.locations = whole.locations;
  ring.executors = whole.executors;
  ring.kinds = whole.kinds;
  const Events& events = whole.events;
  const uint64_t kept = 1 + seed % 7;  // in eighths
  const size_t first = events.size() - static_cast<size_t>(kept) * events.size() / 8;
  const uint64_t start = events.time[first];
  const uint64_t other_start = events.time[first + (events.size() - first) / 2];
  ring.info.overwritten_packets = 1000;
  ring.info.complete_from = ring.executors.size() > 1 ? other_start - start : 0;
  for (size_t i = first; i < events.size(); i++) {
    EventRow event = events.row(i);
    if (event.executor == 1 && event.time < other_start) continue;
    event.time -= start;
    ring.events.append(event);
  }
  ring.live_tasks = answers.task_table();
  for (LiveTaskEntry& row : ring.live_tasks) row.since -= static_cast<int64_t>(start);
  return ring;
}

}  // namespace

TEST_CASE("random programs: all commands agree") {
  for (uint32_t seed = 1; seed <= programs; seed++) {
    CAPTURE(seed);
    RandomProgram program = make_program(seed);
    const Answers answers(program.trace);
    answers.compare();
    answers.compare_why();
    answers.compare_waits();
    if (seed % 4 == 0) answers.compare_panel(make_program(seed).trace);
    if (seed % 4 == 1) answers.compare_stuck(make_program(seed).trace);
  }
}

TEST_CASE("rings of random programs: all commands agree with each other and the whole trace") {
  for (uint32_t seed = 1; seed <= programs; seed++) {
    CAPTURE(seed);
    const RandomProgram program = make_program(seed);
    const Answers whole(program.trace);
    const Trace ring = cut(make_program(seed).trace, whole, seed);
    const Answers answers(ring);
    answers.compare();
    answers.compare_why();
    answers.compare_waits();
    CHECK(answers.all() == whole.all());
    if (seed % 8 == 0) answers.compare_panel(cut(make_program(seed).trace, whole, seed));
    if (seed % 8 == 1) answers.compare_stuck(cut(make_program(seed).trace, whole, seed));
  }
}

TEST_CASE("inconsistent events: info, ps, why and the panel agree") {
  for (uint32_t seed = 1; seed <= programs; seed++) {
    CAPTURE(seed);
    const Trace trace = random_events_trace(seed);
    const Answers answers(trace);
    answers.compare();
    answers.compare_why();
    answers.compare_panel(random_events_trace(seed));
    answers.compare_stuck(random_events_trace(seed));
  }
}
