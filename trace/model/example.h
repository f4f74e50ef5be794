// Example traces with diagrams for tests: a trace as text, and its model as text.
//
//   const Example e = ours(R"(
//      0 create 1
//     10 resume 1 by 2 @1
//   )");
//   CHECK(e.running() == "1@1: 10-20\n");
//
// In the diagrams, time goes to the right. A bar is === where the task is current and --- where it
// is not; ] is an end, > continues.
//
// Each line is an event: time, event, task; then in any order
//   by, on, of, under, into N   the second party      as KIND    of task or resource
//   =N                          the value             @N         the executor
//   at N                        the location        a word     the text
// "-" is no task. A read makes its reader current and a signal its receiver, as in mirage-profile.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string>

#include "trace/model/model.h"

namespace skein {

inline uint64_t number(std::string_view text) {
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

inline EventRow event(Trace& trace, const std::string& line) {
  EventRow row;
  std::istringstream words(line);
  std::string verb, word;
  words >> row.time >> verb >> word;
  row.task = word == "-" ? no_task : number(word);
  if (verb == "read" || verb == "signal") row.flags = flag::makes_current;
  if (verb == "read") verb = "ready";
  if (verb == "signal") verb = "notify";
  for (size_t kind = 0; kind < event_kinds; kind++)
    if (name(EventKind(kind)) == verb) row.kind = EventKind(kind);
  REQUIRE(name(row.kind) == verb);
  while (words >> word) {
    if (word == "as") {
      words >> word;
      const StringId kind = trace.strings.intern(word);
      const auto at = std::find(trace.kinds.begin(), trace.kinds.end(), kind);
      row.value = static_cast<uint64_t>(at - trace.kinds.begin());
      if (at == trace.kinds.end()) trace.kinds.push_back(kind);
    } else if (word == "by" || word == "on" || word == "of" || word == "under" || word == "into") {
      words >> word;
      row.other = word == "-" ? no_task : number(word);
    } else if (word == "at") {
      words >> word;
      row.location = static_cast<uint32_t>(number(word));
      if (row.location >= trace.locations.size()) trace.locations.resize(row.location + 1);
    } else if (word[0] == '=') {
      row.value = word[1] == '-' ? 0 - number(word.substr(2)) : number(word.substr(1));
    } else if (word[0] == '@') {
      row.executor = static_cast<uint32_t>(number(word.substr(1)));
    } else {
      row.text = trace.strings.intern(word);
    }
  }
  return row;
}

// A row of a ring's live task table: since, "created", "running", "suspended" or "resource", id;
// then as for events: on, under, as, @ and a name.
inline LiveTaskEntry live_task_entry(Trace& trace, const std::string& line) {
  LiveTaskEntry entry;
  std::istringstream words(line);
  std::string state, word;
  words >> entry.since >> state >> entry.id;
  constexpr const char* states[] = {"created", "running", "suspended", "resource"};
  const auto at = std::find(std::begin(states), std::end(states), state);
  REQUIRE(at != std::end(states));
  entry.state = static_cast<LiveTaskEntry::State>(at - std::begin(states));
  std::string rest;
  while (words >> word) {
    if (word == "under")
      words >> entry.parent;
    else
      rest += ' ' + word;
  }
  const EventRow like = event(trace, "0 create " + std::to_string(entry.id) + rest);
  entry.on = like.other;
  if (rest.find(" as ") != std::string::npos) entry.kind = static_cast<uint32_t>(like.value);
  entry.name = like.text;
  entry.executor = like.executor;
  return entry;
}

struct Example {
  Example(const char* format, const std::string& text, ModelOptions options = {},
          uint64_t complete_from = 0, const std::string& alive_text = {}) {
    trace.info.format = format;
    trace.info.complete_from = complete_from;
    trace.kinds = {trace.strings.intern("thing")};
    trace.executors.resize(3);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      if (line.find_first_not_of(' ') != std::string::npos) trace.events.append(event(trace, line));
    std::istringstream rows(alive_text);
    for (std::string line; std::getline(rows, line);)
      if (line.find_first_not_of(' ') != std::string::npos)
        trace.live_tasks.push_back(live_task_entry(trace, line));
    model = build_model(trace, options);
  }

  std::string id(TaskIndex task) const {
    return task == no_index ? "-" : std::to_string(model.tasks[task].id);
  }

  // "2: 10-30 resolved under 1", a line per task; "2@1: ..." if it is not of executor 0.
  std::string bars() const {
    constexpr const char* ends[] = {"open",      "resolved", "failed",
                                    "cancelled", "became",   "overwritten"};
    std::ostringstream out;
    for (const Model::Task& task : model.tasks) {
      out << task.id;
      if (task.executor) out << "@" << task.executor;
      out << ": " << task.start << "-" << task.end << " "
          << (task.is_unresolved() ? "stuck" : ends[static_cast<size_t>(task.how)]);
      if (task.becomes != no_index) out << " " << id(task.becomes);
      if (task.parent != no_index) out << " under " << id(task.parent);
      if (task.pre_existing) out << " from-before";
      if (task.starts_late) out << " late";
      if (task.is_resource) out << " resource";
      if (task.is_scope) out << " scope";
      out << "\n";
    }
    return out.str();
  }
  // "read 1@20 2@25"
  std::string arrows() const {
    constexpr const char* links[] = {"read",   "read-failure", "resolve",
                                     "notify", "await",        "message"};
    std::ostringstream out;
    for (const Model::Interaction& arrow : model.interactions)
      out << links[static_cast<size_t>(arrow.link)] << " " << id(arrow.from) << "@"
          << arrow.from_time << " " << id(arrow.to) << "@" << arrow.to_time << "\n";
    return out.str();
  }
  // "1: 0-10"; "1@2: 0-10" if it is not on executor 0.
  std::string running() const {
    std::ostringstream out;
    for (const Model::Activation& activation : model.activations) {
      out << id(activation.task);
      if (activation.executor) out << "@" << activation.executor;
      out << ": " << activation.start << "-" << activation.end << "\n";
    }
    return out.str();
  }
  std::string intervals(const std::vector<Model::ExecutorInterval>& list) const {
    std::ostringstream out;
    for (const Model::ExecutorInterval& interval : list) {
      out << interval.start << "-" << interval.end;
      if (interval.reason) out << " " << trace.strings[interval.reason];
      if (interval.executor) out << " @" << interval.executor;
      out << "\n";
    }
    return out.str();
  }
  std::string sleeps() const { return intervals(model.sleeps); }
  // "queue 0..5: 10=5 20=3", the scale and the points.
  std::string counters() const {
    std::ostringstream out;
    for (const Model::Counter& counter : model.counters) {
      const Model::Scale& scale = model.scales[counter.scale];
      out << trace.strings[counter.name] << " " << scale.low << ".." << scale.high << ":";
      for (const auto& point : counter.points) out << " " << point.time << "=" << point.value;
      out << "\n";
    }
    return out.str();
  }

  Trace trace;
  Model model;
};

inline Example mirage(const std::string& text, ModelOptions options = {}) {
  return Example("mirage-profile", text, options);
}
inline Example ours(const std::string& text, const ModelOptions& options = {}) {
  return Example("skein", text, options);
}
inline Example ring(const std::string& text, const std::string& live_tasks,
                    uint64_t complete_from = 0) {
  return Example("skein", text, {}, complete_from, live_tasks);
}

}  // namespace skein
