#include "report/live_tasks.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <unordered_map>

#include "base/escape.h"
#include "base/text.h"
#include "report/object_text.h"
#include "trace/ask/invoked.h"
#include "trace/ask/traffic.h"
#include "trace/model/names.h"

namespace skein {

namespace {

using ById = std::unordered_map<uint64_t, const LiveTaskRow*>;

// `time` as EventRow::time.
std::string clock_time(const LiveTaskList& live, int64_t time) {
  if (!live.utc_start)
    return (time < 0 ? "-" : "") + seconds(static_cast<uint64_t>(std::abs(time)));
  return utc_clock_text(*live.utc_start + time, 1'000'000);
}

// From the start of the state to LiveTaskList::until.
uint64_t duration_of(const LiveTaskList& live, const LiveTaskRow& task) {
  const auto until = static_cast<int64_t>(live.until);
  return task.since >= until ? 0 : static_cast<uint64_t>(until) - static_cast<uint64_t>(task.since);
}

ById by_id(const LiveTaskList& live) {
  ById found;
  for (const LiveTaskRow& task : live.tasks) found[task.id] = &task;
  return found;
}

struct Row {
  size_t depth;
  const LiveTaskRow* task;
};

std::vector<Row> by_state(const LiveTaskList& live) {
  std::vector<Row> rows;
  for (const LiveTaskRow& task : live.tasks) rows.push_back({0, &task});
  const auto rank = [](const Row& row) {
    const std::string& state = row.task->state;
    constexpr std::array<std::string_view, 5> order = {"running", "runnable", "suspended",
                                                       "created", "unknown"};
    return std::find(order.begin(), order.end(), state) - order.begin();
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return a.task->since < b.task->since;
  });
  return rows;
}

std::vector<Row> by_parent(const LiveTaskList& live, const ById& tasks) {
  std::vector<Row> rows;
  std::map<uint64_t, std::vector<const LiveTaskRow*>> children;
  // In a damaged table a task may be its own ancestor: parents have smaller ids.
  for (const LiveTaskRow& task : live.tasks) {
    const bool has_parent = task.parent.id < task.id && tasks.contains(task.parent.id);
    children[has_parent ? task.parent.id : no_task].push_back(&task);
  }
  std::vector<Row> stack;
  const auto push = [&](uint64_t id, size_t depth) {
    const auto found = children.find(id);
    if (found == children.end()) return;
    for (auto child = found->second.rbegin(); child != found->second.rend(); ++child)
      stack.push_back({depth, *child});
  };
  push(no_task, 0);
  while (!stack.empty()) {
    const Row row = stack.back();
    stack.pop_back();
    rows.push_back(row);
    if (row.task->id != no_task) push(row.task->id, row.depth + 1);
  }
  return rows;
}

// The length of "net::http::" in "net::http::serve", which begins at `begin`. A lambda keeps its
// function.
size_t scopes_of(std::string_view text, size_t begin) {
  for (size_t at = text.npos; (at = text.rfind("::", at)) != text.npos && at > begin; at--) {
    const std::string_view name = text.substr(at + 2);
    if (!name.starts_with('<') && !name.starts_with("operator()")) return at + 2 - begin;
  }
  return 0;
}

enum Column { kTask, kKind, kState, kFor, kTarget, kLocation, kSince, kThread, kColumns };

// A table that can be fitted to a width; the first row contains the headings.
class Table {
 public:
  using Cells = std::array<std::string, kColumns>;

  void add(Cells cells) {
    for (size_t i = 0; i < kColumns; i++) {
      widths_[i] = std::max(widths_[i], terminal_cells(cells[i]));
      used_[i] |= !rows_.empty() && !cells[i].empty();
    }
    rows_.push_back(std::move(cells));
  }

  void fit(size_t width) {
    for (size_t i = 0; i < kColumns; i++)
      if (!used_[i]) widths_[i] = 0;
    // FOR replaces SINCE, most programs have few threads, and a name implies its kind.
    for (const Column least : {kSince, kThread, kKind})
      if (total() > width) widths_[least] = 0;
    constexpr size_t shortest = 8;
    while (total() > width) {
      size_t& widest = *std::max_element(widths_.begin(), widths_.end());
      if (widest <= shortest) break;
      widest--;
    }
  }

  std::string text() const {
    std::string out;
    for (const Cells& cells : rows_) {
      std::string line;
      for (size_t i = 0; i < kColumns; i++) {
        if (widths_[i] == 0) continue;
        const std::string cell = cut(cells[i], i);
        line += cell + std::string(widths_[i] - terminal_cells(cell) + 2, ' ');
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + '\n';
    }
    return out;
  }

 private:
  size_t total() const {
    size_t sum = 0;
    for (const size_t width : widths_) sum += width ? width + 2 : 0;
    return sum - 2;
  }

  // A location keeps its end: file and line. A title loses its scopes first, and keeps its id.
  std::string cut(const std::string& text, size_t column) const {
    const size_t width = widths_[column];
    if (terminal_cells(text) <= width) return text;
    if (column == kLocation) return "…" + std::string(last_cells(text, width - 1));
    const size_t id = column == kTask || column == kTarget ? text.rfind(" (#") : text.npos;
    const std::string_view end = std::string_view(text).substr(std::min(id, text.size()));
    const size_t room = width - 1 - std::min(width - 1, end.size());
    if (end.empty() || room < 2) return std::string(first_cells(text, width - 1)) + "…";
    std::string title = text.substr(0, id);
    const size_t name = title.rfind(' ') + 1;
    if (const size_t scopes = scopes_of(title, name)) {
      title.erase(name, scopes);
      if (terminal_cells(title) <= room) return title.insert(name, "…").append(end);
    }
    return std::string(first_cells(title, room)).append("…").append(end);
  }

  std::vector<Cells> rows_;
  std::array<size_t, kColumns> widths_{};  // 0: not shown
  std::array<bool, kColumns> used_{};
};

// Omits the function if the task is named after it. In parentheses: of the creation, because the
// location of the wait is unknown.
std::string location_cell(const LiveTaskRow& task) {
  const bool is_known = !task.location.text.empty();
  std::string text = is_known ? task.location.text : task.created_at.text;
  if (!task.name.empty() && text.starts_with(task.name + " ")) text.erase(0, task.name.size() + 1);
  const bool is_elsewhere = task.state != "created" && task.state != "resource";
  return !is_known && is_elsewhere && !text.empty() ? "(" + text + ")" : text;
}

std::string heading(const LiveTaskList& live) {
  const auto resources = static_cast<size_t>(
      std::count_if(live.tasks.begin(), live.tasks.end(),
                    [](const LiveTaskRow& task) { return task.state == "resource"; }));
  std::string text = escaped(live.program);
  if (live.pid)
    text += " (pid " + std::to_string(*live.pid) + (live.running ? ", running)" : ", ended)");
  text += ": " + counted(live.tasks.size() - resources, "live task");
  if (resources) text += ", " + counted(resources, "resource");
  if (!live.running && !live.tasks.empty())
    text += "; times up to " + clock_time(live, static_cast<int64_t>(live.until)) +
            (live.utc_start ? " UTC" : " s");
  return text;
}

std::string task_cell(const LiveTaskRow& task, size_t depth) {
  return std::string(std::min<size_t>(depth, 20) * 2, ' ') + escaped(task.title);
}

// Empty if the title contains it; nearly all tasks are coroutines.
std::string kind_cell(const LiveTaskRow& task) {
  const bool is_in_title = task.state == "resource" || task.name.empty() || task.kind == task.name;
  return is_in_title || task.kind == "coroutine" ? "" : escaped(task.kind);
}

std::string target_cell(const LiveTaskRow& task) {
  if (task.target.id == no_task) return escaped(task.object.empty() ? task.peer : task.object);
  return (task.state == "resource" ? "held by " : "") + escaped(task.target.title);
}

Json task_json(const LiveTaskRow::Task& task) {
  if (task.id == no_task) return {};
  return Json::object({{"id", task.id}, {"name", task.name}});
}

// "server", "alpha, beta"; the format if no process has a name.
std::string program_names(const Trace& trace) {
  std::vector<std::string> names;
  for (const Process& process : trace.processes)
    if (!process.name.empty() && std::find(names.begin(), names.end(), process.name) == names.end())
      names.push_back(process.name);
  constexpr size_t most = 4;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), most); i++) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) text += " and " + grouped(names.size() - most) + " more";
  return text.empty() ? trace.info.format : text;
}

}  // namespace

LiveTaskList live_task_list(const Subject& subject, uint64_t until) {
  const Trace& trace = subject.trace;
  const Model& model = subject.model;
  LiveTaskList list;
  list.program = program_names(trace);
  if (trace.info.utc_offset)
    list.utc_start = static_cast<int64_t>(trace.info.start) + *trace.info.utc_offset;
  list.until = until;
  const auto reference = [&](TaskIndex task) -> LiveTaskRow::Task {
    if (task == no_index) return {};
    const Model::Task& of = model.tasks[task];
    return {of.id, task_name(trace, of), task_title(trace, of)};
  };
  const auto location = [&](uint32_t index) -> LiveTaskRow::Location {
    return {location_text(trace, index), location_json(trace, index)};
  };
  const auto thread = [&](uint32_t index) -> LiveTaskRow::Thread {
    if (index >= trace.executors.size()) return {};
    const Executor& executor = trace.executors[index];
    const bool is_known = executor.name || executor.tid || trace.executors.size() > 1;
    return {is_known ? executor_title(trace, index) : "", executor_json(trace, index)};
  };
  const AwaitedObjects objects(trace, model);
  const std::vector<LiveTask> all = find_live_tasks(subject);
  std::unordered_map<TaskIndex, TaskIndex> invoked;  // by the task that waits for its return
  for (const LiveTask& live : all)
    if (const TaskIndex by = invoker(subject, live.task); by != no_index) invoked[by] = live.task;
  const auto object = [&](TaskIndex task) -> std::string {
    if (const auto runs = invoked.find(task); runs != invoked.end())
      return task_title(trace, model.tasks[runs->second]);
    const auto wait = objects.of(task);
    return wait && wait->type != 0 ? object_text(trace, *wait) : "";
  };
  for (const LiveTask& live : all) {
    const Model::Task& task = model.tasks[live.task];
    list.tasks.push_back({.id = task.id,
                          .name = task_name(trace, task),
                          .title = task_title(trace, task),
                          .state = std::string(name(live.state)),
                          .kind = kind_name(trace, task.kind),
                          .target = reference(live.target),
                          .peer = std::string(peer_of(trace, model, live.task)),
                          .object = object(live.task),
                          .parent = reference(task.parent),
                          .waker = reference(live.waker),
                          .since = live.since,
                          .location = location(live.location),
                          .created_at = location(task.location),
                          .thread = thread(live.executor),
                          .should_resolve = task.should_resolve});
  }
  return list;
}

std::string live_tasks_text(const LiveTaskList& live, const LiveTaskLayout& layout) {
  Table table;
  table.add({"TASK", "KIND", "STATE", "FOR", "TARGET", "LOCATION", "SINCE", "THREAD"});
  bool any_marked = false;
  for (const Row& row : layout.tree ? by_parent(live, by_id(live)) : by_state(live)) {
    const LiveTaskRow& task = *row.task;
    any_marked |= task.should_resolve;
    table.add({task_cell(task, row.depth), kind_cell(task),
               task.state + (task.should_resolve ? " !" : ""),
               duration_text(duration_of(live, task)), target_cell(task),
               escaped(location_cell(task)), clock_time(live, task.since),
               escaped(task.thread.text)});
  }
  table.fit(layout.width);
  std::string out;
  append_paragraph(out, heading(live), 0, layout.width);
  if (!live.tasks.empty()) out += table.text();
  if (any_marked) out += "! marked should_resolve\n";
  for (const std::string& note : live.notes) append_paragraph(out, note, 0, layout.width);
  return out;
}

Json live_tasks_json(const LiveTaskList& live) {
  Json json = json_document("skein.ps/1");
  json.set("program", live.program);
  json.set("pid", live.pid);
  json.set("running", live.running);
  Json tasks = Json::array();
  for (const LiveTaskRow& task : live.tasks)
    tasks.add(Json::object(
        {{"id", task.id},
         {"name", task.name},
         {"state", task.state},
         {"kind", or_null(task.kind)},
         {"since_ns", task.since},
         {"since_utc_ns", live.utc_start ? Json(*live.utc_start + task.since) : Json()},
         {"duration_ns", duration_of(live, task)},
         {"target", task_json(task.target)},
         {"peer", or_null(task.peer)},
         {"location", task.location.json},
         {"created_at", task.created_at.json},
         {"parent", task_json(task.parent)},
         {"waker", task_json(task.waker)},
         {"thread", task.thread.json},
         {"should_resolve", task.should_resolve}}));
  json.set("tasks", std::move(tasks));
  Json notes = Json::array();
  for (const std::string& note : live.notes) notes.add(note);
  json.set("notes", std::move(notes));
  return json;
}

}  // namespace skein
