// `skein ps`: the tasks that are alive, and what each waits for.
//
// From the task table and the definitions of a trace of ours, that of a running program included;
// from the events of any other trace.
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/disk_files.h"
#include "base/escape.h"
#include "base/function_name.h"
#include "cli/commands.h"
#include "cli/print.h"
#include "cli/running.h"
#include "cli/trace_input.h"
#include "trace/read/ctf/directory.h"
#include "trace/read/ctf/stream.h"
#include "trace/read/ctf/task_table.h"

namespace skein::cli {

namespace {

using Json = nlohmann::ordered_json;

// One live task or resource, ready to be shown; texts are as they are in the trace.
struct Line {
  uint64_t id = 0;
  uint64_t parent = 0;
  uint64_t on = 0;  // of a resource: its holder
  uint64_t waker = 0;
  uint64_t since_ns = 0;  // since 1970, if has_utc; else since the trace began
  std::optional<uint64_t> for_ns;
  std::string name, state, kind, where, at, thread;
  bool should_resolve = false;
};

struct Listing {
  std::string title;
  bool has_utc = false;
  std::vector<Line> lines;  // by id
  std::vector<std::string> remarks;
};

std::string place_text(const Trace& trace, uint32_t location) {
  const Location& place = trace.locations[location];
  if (place.file == 0) return "";
  std::string_view file = trace.strings[place.file];
  file = file.substr(file.rfind('/') + 1);  // npos + 1 == 0
  std::string text = short_function_name(trace.strings[place.function]);
  // The line matters more than the namespaces: those give way until the name is short.
  constexpr size_t kShort = 24;
  for (size_t at = 0; text.size() > kShort && (at = text.find("::")) != std::string::npos;)
    text.erase(0, at + 2);
  if (!text.empty()) text += ' ';
  return text + std::string(file) + ':' + std::to_string(place.line);
}

uint64_t now_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

Listing from_table(const std::string& directory) {
  DiskFiles disk;
  // The table first: a task's place was defined before its row was written.
  const auto table = ctf::read_task_table(disk, directory + "/.tasks");
  if (!table) fail(2, table.error().message());
  const auto definitions = ctf::read_definitions(disk, directory);
  if (!definitions) fail(2, definitions.error().message());
  const Trace& trace = definitions->trace;
  const ctf::Names& names = definitions->names;
  const ctf::TickScale scale(definitions->metadata.frequency);

  Listing listing;
  listing.has_utc = true;
  const bool running = records_to(table->pid, directory);
  listing.title = trace.facts.program + " (pid " + std::to_string(table->pid) + ", " +
                  (running ? "running" : "ended") + ")";
  const auto zero = static_cast<uint64_t>(*trace.facts.utc_offset);
  const uint64_t now = now_ns(CLOCK_REALTIME);
  // When it ended is not known; its tasks' age counts up to the last sign of life.
  uint64_t last = 0;
  for (const ctf::LiveTask& task : table->tasks) last = std::max(last, zero + scale.ns(task.since));
  for (const ctf::LiveTask& task : table->tasks) {
    const ctf::Place& place = names.place(task.place);
    Line line;
    line.id = task.id;
    line.parent = task.parent;
    line.on = task.on;
    line.waker = task.waker;
    line.since_ns = zero + scale.ns(task.since);
    const uint64_t until = running ? now : last;
    line.for_ns = until > line.since_ns ? until - line.since_ns : 0;
    const StringId label = names.text(task.label);
    line.name = trace.strings[label ? label : place.name];
    line.state = ctf::name(task.state);
    line.kind = place.kind < trace.kinds.size() ? trace.strings[trace.kinds[place.kind]] : "";
    line.where = place_text(trace, place.location);
    line.at = place_text(trace, names.place(task.at).location);
    const std::string_view thread = trace.strings[names.thread(task.tid)];
    line.thread = std::to_string(task.tid) + (thread.empty() ? "" : " " + std::string(thread));
    line.should_resolve = task.should_resolve;
    listing.lines.push_back(std::move(line));
  }
  if (table->unstable)
    listing.remarks.push_back(std::to_string(table->unstable) +
                              " rows of the task table were being written and are not shown");
  uint64_t untracked = table->lost[format::kLoss_untracked];
  if (untracked)
    listing.remarks.push_back(std::to_string(untracked) +
                              " tasks found the table full and are not shown");
  return listing;
}

// What the events say about each task that did not end.
Listing from_events(const std::string& path) {
  const Trace trace = open_trace(path);
  Listing listing;
  listing.title = trace.facts.program.empty() ? trace.facts.format : trace.facts.program;
  listing.has_utc = trace.facts.utc_offset.has_value();
  const uint64_t zero =
      trace.facts.start + static_cast<uint64_t>(trace.facts.utc_offset.value_or(0));
  std::map<TaskId, Line> tasks;
  std::unordered_map<TaskId, bool> ended;
  std::unordered_map<uint32_t, TaskId> current;
  const auto state = [&](TaskId id, uint64_t time, const char* what) -> Line& {
    Line& line = tasks.try_emplace(id).first->second;
    line.id = id;
    line.state = what;
    line.since_ns = zero + time;
    return line;
  };
  const uint64_t end = trace.events.empty() ? 0 : trace.events.time[trace.events.size() - 1];
  for (size_t i = 0; i < trace.events.size(); i++) {
    const EventRow event = trace.events.row(i);
    if (event.task == no_task) {
      if (event.kind == EventKind::SwitchTo) current.erase(event.executor);
      continue;
    }
    const bool runs = event.kind == EventKind::Resume || event.kind == EventKind::SwitchTo ||
                      event.flags & flag::makes_current;
    if (runs) {
      const auto before = current.find(event.executor);
      if (before != current.end() && before->second != event.task &&
          tasks[before->second].state == "running")
        state(before->second, event.time, "suspended");
      current[event.executor] = event.task;
      Line& line = state(event.task, event.time, "running");
      if (event.kind == EventKind::Resume && event.other != no_task) line.waker = event.other;
      line.on = 0;
      line.thread = std::to_string(trace.executors[event.executor].tid);
    }
    switch (event.kind) {
      case EventKind::Create: {
        Line& line = state(event.task, event.time, "created");
        line.parent = event.other == no_task ? 0 : event.other;
        line.where = place_text(trace, event.location);
        if (event.value < trace.kinds.size()) line.kind = trace.strings[trace.kinds[event.value]];
        if (line.name.empty()) line.name = trace.strings[event.text];
        break;
      }
      case EventKind::Suspend:
      case EventKind::TryRead: {
        Line& line = state(event.task, event.time, "suspended");
        line.on = event.other == no_task ? 0 : event.other;
        if (event.location) line.at = place_text(trace, event.location);
        break;
      }
      case EventKind::Await:
        if (const auto found = tasks.find(event.task); found != tasks.end())
          found->second.on = event.other;
        break;
      case EventKind::Label:
        tasks[event.task].id = event.task;
        tasks[event.task].name = trace.strings[event.text];
        break;
      case EventKind::ShouldResolve:
        tasks[event.task].id = event.task;
        tasks[event.task].should_resolve = true;
        break;
      case EventKind::Resolve:
      case EventKind::Fail:
      case EventKind::Cancel:
      case EventKind::Become:
        ended[event.task] = true;
        break;
      default:
        break;
    }
  }
  for (auto& [id, line] : tasks) {
    if (ended.contains(id) || line.state.empty()) continue;
    line.for_ns = zero + end - line.since_ns;
    listing.lines.push_back(std::move(line));
  }
  return listing;
}

// "3.2 s", "12 min": two digits are enough to see what is stuck.
std::string duration(uint64_t ns) {
  char text[32];
  const double s = static_cast<double>(ns) * 1e-9;
  if (s < 1e-3)
    std::snprintf(text, sizeof text, "%.0f us", s * 1e6);
  else if (s < 1)
    std::snprintf(text, sizeof text, "%.0f ms", s * 1e3);
  else if (s < 120)
    std::snprintf(text, sizeof text, "%.1f s", s);
  else if (s < 7200)
    std::snprintf(text, sizeof text, "%.0f min", s / 60);
  else
    std::snprintf(text, sizeof text, "%.1f h", s / 3600);
  return text;
}

std::string clock_time(const Listing& listing, uint64_t ns) {
  if (!listing.has_utc) return seconds(ns);
  const auto time = static_cast<time_t>(ns / 1'000'000'000);
  tm parts{};
  char text[32] = "?";
  if (gmtime_r(&time, &parts)) std::strftime(text, sizeof text, "%H:%M:%S", &parts);
  char all[48];
  std::snprintf(all, sizeof all, "%s.%03d", text, static_cast<int>(ns / 1'000'000 % 1000));
  return all;
}

Json to_json(const Listing& listing) {
  Json json;
  json["program"] = valid_utf8(listing.title);
  json["tasks"] = Json::array();
  for (const Line& line : listing.lines) {
    Json task;
    task["id"] = line.id;
    task["name"] = valid_utf8(line.name);
    task["state"] = line.state;
    task["kind"] = line.kind;
    task[listing.has_utc ? "since_utc_ns" : "since_ns"] = line.since_ns;
    if (line.for_ns) task["for_ns"] = *line.for_ns;
    task["on"] = line.on;
    task["at"] = valid_utf8(line.at);
    task["created_at"] = valid_utf8(line.where);
    task["parent"] = line.parent;
    task["waker"] = line.waker;
    task["thread"] = valid_utf8(line.thread);
    task["should_resolve"] = line.should_resolve;
    json["tasks"].push_back(std::move(task));
  }
  json["remarks"] = listing.remarks;
  return json;
}

// Characters as a terminal counts them, nearly: bytes that do not continue a UTF-8 character.
size_t columns_of(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string cut_to(std::string text, size_t columns) {
  if (columns_of(text) <= columns) return text;
  size_t at = 0;
  for (size_t seen = 0; at < text.size(); at++) {
    if ((text[at] & 0xC0) == 0x80) continue;
    if (seen++ == columns - 1) break;
  }
  return text.substr(0, at) + "…";
}

struct Row {
  size_t depth;
  const Line* line;
};

// As a tree: children under their parents, each level by id. Otherwise by state, then longest
// first.
std::vector<Row> arrange(const Listing& listing, bool tree) {
  std::vector<Row> rows;
  if (!tree) {
    for (const Line& line : listing.lines) rows.push_back({0, &line});
    const auto rank = [](const Row& row) {
      const std::string& state = row.line->state;
      return state == "running" ? 0 : state == "suspended" ? 1 : state == "created" ? 2 : 3;
    };
    std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
      if (rank(a) != rank(b)) return rank(a) < rank(b);
      return a.line->since_ns < b.line->since_ns;
    });
    return rows;
  }
  std::map<uint64_t, const Line*> by_id;
  std::map<uint64_t, std::vector<const Line*>> children;
  for (const Line& line : listing.lines) by_id[line.id] = &line;
  // A damaged table may say that a task is its own ancestor: parents have smaller ids.
  for (const Line& line : listing.lines) {
    const bool has_parent = line.parent < line.id && by_id.contains(line.parent);
    children[has_parent ? line.parent : 0].push_back(&line);
  }
  std::vector<Row> stack;
  const auto push = [&](uint64_t id, size_t depth) {
    const auto found = children.find(id);
    if (found == children.end()) return;
    for (auto child = found->second.rbegin(); child != found->second.rend(); ++child)
      stack.push_back({depth, *child});
  };
  push(0, 0);
  while (!stack.empty()) {
    const Row row = stack.back();
    stack.pop_back();
    rows.push_back(row);
    if (row.line->id != 0) push(row.line->id, row.depth + 1);
  }
  return rows;
}

std::string to_text(const Listing& listing, bool tree, size_t width) {
  constexpr size_t columns = 7;
  constexpr size_t most[columns] = {40, 12, 28, 10, 14, 40, 24};
  std::unordered_map<uint64_t, const Line*> by_id;
  for (const Line& line : listing.lines) by_id[line.id] = &line;
  const auto who = [&](uint64_t id) {
    if (id == 0) return std::string();
    const auto found = by_id.find(id);
    std::string text = std::to_string(id);
    if (found != by_id.end() && !found->second->name.empty())
      text += " " + escaped(found->second->name);
    return text;
  };
  std::vector<std::array<std::string, columns>> table;
  table.push_back({"TASK", "STATE", "ON", "FOR", "SINCE", "WHERE", "THREAD"});
  for (const Row& row : arrange(listing, tree)) {
    const Line& line = *row.line;
    std::string task(std::min<size_t>(row.depth, 20) * 2, ' ');
    task += std::to_string(line.id);
    if (!line.name.empty()) task += " " + escaped(line.name);
    if (!line.kind.empty() && line.kind != "unknown" && line.kind != line.name)
      task += " (" + escaped(line.kind) + ")";
    std::string on = who(line.on);
    if (line.state == "resource" && !on.empty()) on = "held by " + on;
    const std::string& at = line.at.empty() ? line.where : line.at;
    table.push_back({task, line.state + (line.should_resolve ? " !" : ""), on,
                     line.for_ns ? duration(*line.for_ns) : "", clock_time(listing, line.since_ns),
                     escaped(at), escaped(line.thread)});
  }
  std::array<size_t, columns> widths{};
  for (const auto& cells : table)
    for (size_t i = 0; i < columns; i++)
      widths[i] = std::max(widths[i], std::min(columns_of(cells[i]), most[i]));
  // Too wide: the widest column gives, again and again.
  const auto total = [&] {
    size_t sum = 2 * (columns - 1);
    for (const size_t w : widths) sum += w;
    return sum;
  };
  while (total() > width) {
    size_t& widest = *std::max_element(widths.begin(), widths.end());
    if (widest <= 6) break;
    widest--;
  }
  std::string out = escaped(listing.title) + ": " + grouped(listing.lines.size()) +
                    (listing.lines.size() == 1 ? " live task\n" : " live tasks\n");
  for (const auto& cells : table) {
    std::string text;
    for (size_t i = 0; i < columns; i++) {
      const std::string cell = cut_to(cells[i], widths[i]);
      text += cell + std::string(widths[i] - columns_of(cell) + 2, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  }
  for (const std::string& remark : listing.remarks) out += remark + '\n';
  return out;
}

size_t terminal_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::max<size_t>(size.ws_col, 40);
  return 160;
}

}  // namespace

void add_ps(CLI::App& app) {
  struct Options {
    std::string trace;
    bool json = false;
    bool tree = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("ps", "The tasks that are alive: state, since when, where, on what");
  command->add_option("TRACE", options->trace, "a process that records, or a trace")->required();
  command->add_flag("--json", options->json, "as one JSON object");
  command->add_flag("--tree", options->tree, "children under their parents");
  command->callback([options] {
    const std::string directory = trace_directory(options->trace);
    DiskFiles disk;
    const bool has_table = disk.type(directory + "/.tasks") == FileType::File;
    const Listing listing = has_table ? from_table(directory) : from_events(directory);
    Output out(stdout);
    out.text() += options->json ? to_json(listing).dump(2) + "\n"
                                : to_text(listing, options->tree, terminal_width());
    out.finish();
  });
}

}  // namespace skein::cli
