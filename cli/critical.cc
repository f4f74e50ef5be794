// `skein critical`: where the time between two moments went, cause by cause.
#include "trace/ask/critical.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/escape.h"
#include "base/text.h"
#include "cli/asked.h"
#include "cli/commands.h"
#include "cli/fail.h"
#include "cli/picture.h"
#include "cli/print.h"
#include "trace/model/names.h"

namespace skein::cli {

namespace {

struct Moment {
  uint64_t time = 0;
  TaskIndex task = no_index;
};

// A time; or a label: when it was first given, or, of what a task is called, when the first of them
// began, or the last of them ended.
Moment moment(const Trace& trace, const Model& model, const std::string& option,
              const std::string& text, bool is_end) {
  if (const std::optional<double> time = parse_time(text)) {
    if (!(*time >= 0)) fail(2, option + " is before the trace");
    return {static_cast<uint64_t>(std::min(*time, static_cast<double>(model.end))), no_index};
  }
  const std::vector<TaskIndex> tasks = find_tasks(trace, model, text);
  if (tasks.empty())
    fail(2, option + ": '" + text + "' is no time (1.5s, 20ms, 300us), and no task is called that");
  const auto is_called_that = [&](TaskIndex task) {
    return task_name(trace, model.tasks[task]) == text;
  };
  if (std::none_of(tasks.begin(), tasks.end(), is_called_that))
    for (const Model::Label& label : model.labels)
      if (trace.strings[label.text] == text) return {label.time, label.task};
  if (!is_end) return {model.tasks[tasks.front()].start, tasks.front()};
  const TaskIndex last = *std::max_element(tasks.begin(), tasks.end(), [&](auto a, auto b) {
    return end_of(model, a) < end_of(model, b);
  });
  return {end_of(model, last), last};
}

struct Question {
  TaskIndex task = no_index;
  uint64_t from = 0;
  uint64_t to = 0;
};

Question understand(const Trace& trace, const Model& model, const CriticalOptions& options) {
  Question asked{.to = model.end};
  if (!options.task.empty()) {
    const std::vector<TaskIndex> tasks = find_tasks(trace, model, options.task);
    if (tasks.empty()) fail(2, "no task has the number, label or name " + options.task);
    asked.task = longest_of(model, tasks);
    asked.from = model.tasks[asked.task].start;
    asked.to = end_of(model, asked.task);
  }
  if (!options.from.empty()) asked.from = moment(trace, model, "--from", options.from, false).time;
  if (!options.to.empty()) {
    const Moment to = moment(trace, model, "--to", options.to, true);
    asked.to = to.time;
    if (asked.task == no_index) asked.task = to.task;
  }
  if (asked.task == no_index) asked.task = current_at(model, asked.to);
  if (asked.from >= asked.to) fail(2, "there is no time between the two moments");
  return asked;
}

// What a segment is, in words.
struct Words {
  std::string who, what, place;
};

Words words(const Trace& trace, const Model& model, const Segment& s) {
  const auto title = [&](TaskIndex task) { return escaped(task_title(trace, model.tasks[task])); };
  Words words;
  words.who = s.task == no_index ? "-" : title(s.task);
  words.what = std::string(name(s.what));
  if (s.what == Segment::What::Blocked)
    words.what += s.on == no_index ? ": the trace does not say on what" : " on " + title(s.on);
  if (s.what == Segment::What::Ready && s.on != no_index)
    words.what += ", while " + title(s.on) + " ran";
  const uint32_t location = s.location != 0      ? s.location
                            : s.task == no_index ? 0
                                                 : model.tasks[s.task].location;
  words.place = escaped(place_text(trace, location));
  return words;
}

constexpr std::array kinds = {Segment::What::Running, Segment::What::Ready, Segment::What::Blocked,
                              Segment::What::Outside, Segment::What::Before};

void add_sums(std::string& out, const std::vector<Segment>& path, uint64_t whole) {
  for (const Segment::What kind : kinds) {
    uint64_t sum = 0;
    for (const Segment& s : path)
      if (s.what == kind) sum += s.end - s.begin;
    if (sum == 0) continue;
    const std::string duration = span(sum);
    char line[80];
    std::snprintf(line, sizeof line, "  %-16s %10s %5.1f %%\n", std::string(name(kind)).c_str(),
                  duration.c_str(), 100 * static_cast<double>(sum) / static_cast<double>(whole));
    out += line;
  }
}

// In the order of time; of many those that matter, and how much the others between them are.
void add_path(std::string& out, const Trace& trace, const Model& model,
              const std::vector<Segment>& path, bool all) {
  constexpr size_t most = 40;
  std::vector<uint64_t> lengths;
  for (const Segment& s : path) lengths.push_back(s.end - s.begin);
  uint64_t least = 0;
  if (!all && lengths.size() > most) {
    std::nth_element(lengths.begin(), lengths.begin() + most, lengths.end(), std::greater<>());
    least = lengths[most] + 1;
  }
  std::vector<std::vector<std::string>> lines;
  for (size_t i = 0; i < path.size();) {
    const Segment& s = path[i];
    if (s.end - s.begin >= least) {
      Words said = words(trace, model, s);
      lines.push_back({seconds(s.begin), span(s.end - s.begin), std::move(said.who),
                       std::move(said.what), std::move(said.place)});
      i++;
      continue;
    }
    const size_t first = i;
    while (i < path.size() && path[i].end - path[i].begin < least) i++;
    lines.push_back({seconds(s.begin), span(path[i - 1].end - s.begin), "...",
                     grouped(i - first) + (i - first == 1 ? " short step" : " short steps"), ""});
  }
  append_columns(out, lines, ">><<<", 2);
}

nlohmann::ordered_json to_json(const Trace& trace, const Model& model, const Question& asked,
                               const std::vector<Segment>& path) {
  nlohmann::ordered_json segments = nlohmann::ordered_json::array();
  for (const Segment& s : path)
    segments.push_back({{"begin_ns", s.begin},
                        {"end_ns", s.end},
                        {"what", name(s.what)},
                        {"task", task_json(trace, model, s.task)},
                        {"on", task_json(trace, model, s.on)},
                        {"place", valid_utf8(words(trace, model, s).place)}});
  return {{"task", task_json(trace, model, asked.task)},
          {"from_ns", asked.from},
          {"to_ns", asked.to},
          {"segments", std::move(segments)}};
}

}  // namespace

int run_critical(const CriticalOptions& options) {
  const auto [trace, model, waits] = open_asked(options.trace);
  const Question asked = understand(trace, model, options);
  const std::vector<Segment> segments =
      critical_path(trace, model, waits, asked.task, asked.from, asked.to);
  Output out(stdout);
  if (options.json) {
    out.text() += to_json(trace, model, asked, segments).dump(2) + '\n';
  } else {
    const uint64_t whole = asked.to - asked.from;
    out.text() += (asked.task == no_index ? std::string("nobody")
                                          : escaped(task_title(trace, model.tasks[asked.task]))) +
                  ", from " + seconds(asked.from) + " s to " + seconds(asked.to) +
                  " s: " + span(whole) + "\n";
    add_sums(out.text(), segments, whole);
    out.text() += '\n';
    add_path(out.text(), trace, model, segments, options.all);
  }
  out.finish();
  return 0;
}

}  // namespace skein::cli
