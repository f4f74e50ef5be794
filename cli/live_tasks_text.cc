// How `skein ps` shows the tasks that are alive: a table, or JSON.
#include <time.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/escape.h"
#include "base/text.h"
#include "cli/live_tasks.h"
#include "cli/print.h"

namespace skein::cli {

namespace {

using ById = std::unordered_map<uint64_t, const LiveTaskRow*>;

// "3.2 s", "12 min": two digits are enough to see what is stuck.
std::string duration(uint64_t ns) {
  const double s = static_cast<double>(ns) * 1e-9;
  const auto with_unit = [](double number, int digits, const char* unit) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f %s", digits, number, unit);
    return std::string(text);
  };
  if (s < 999.5e-6) return with_unit(s * 1e6, 0, "us");
  if (s < 999.5e-3) return with_unit(s * 1e3, 0, "ms");
  if (s < 119.95) return with_unit(s, 1, "s");
  if (s < 119.5 * 60) return with_unit(s / 60, 0, "min");
  if (s < 47.95 * 3600) return with_unit(s / 3600, 1, "h");
  return with_unit(s / 86400, 0, "days");
}

std::string clock_time(const LiveTaskList& live, uint64_t ns) {
  if (!live.has_utc) return seconds(ns);
  const auto time = static_cast<time_t>(ns / 1'000'000'000);
  tm parts{};
  char text[32] = "?";
  if (gmtime_r(&time, &parts)) std::strftime(text, sizeof text, "%H:%M:%S", &parts);
  char all[48];
  std::snprintf(all, sizeof all, "%s.%03d", text, static_cast<int>(ns / 1'000'000 % 1000));
  return all;
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
    return a.task->since_ns < b.task->since_ns;
  });
  return rows;
}

std::vector<Row> by_parent(const LiveTaskList& live, const ById& tasks) {
  std::vector<Row> rows;
  std::map<uint64_t, std::vector<const LiveTaskRow*>> children;
  // A damaged table may say that a task is its own ancestor: parents have smaller ids.
  for (const LiveTaskRow& task : live.tasks) {
    const bool has_parent = task.parent < task.id && tasks.contains(task.parent);
    children[has_parent ? task.parent : 0].push_back(&task);
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
    if (row.task->id != 0) push(row.task->id, row.depth + 1);
  }
  return rows;
}

// Characters as a terminal counts them, nearly: bytes that do not continue a UTF-8 character.
size_t columns_of(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string first_columns(std::string_view text, size_t columns) {
  size_t at = 0;
  for (size_t seen = 0; at < text.size(); at++)
    if ((text[at] & 0xC0) != 0x80 && seen++ == columns) break;
  return std::string(text.substr(0, at));
}

std::string last_columns(std::string_view text, size_t columns) {
  size_t at = text.size();
  for (size_t seen = 0; at > 0 && seen < columns; at--) seen += (text[at - 1] & 0xC0) != 0x80;
  return std::string(text.substr(at));
}

enum Column { kTask, kState, kFor, kOn, kWhere, kSince, kThread, kColumns };

// A table that is made to fit; the first row is the columns' headings.
class Table {
 public:
  using Cells = std::array<std::string, kColumns>;

  void add(Cells cells) {
    for (size_t i = 0; i < kColumns; i++) {
      widths_[i] = std::max(widths_[i], columns_of(cells[i]));
      used_[i] |= !rows_.empty() && !cells[i].empty();
    }
    rows_.push_back(std::move(cells));
  }

  void fit(size_t width) {
    for (size_t i = 0; i < kColumns; i++)
      if (!used_[i]) widths_[i] = 0;
    // How long says as much as since when, and most programs have few threads.
    for (const Column least : {kSince, kThread})
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
        line += cell + std::string(widths_[i] - columns_of(cell) + 2, ' ');
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

  // Of a place the end matters: file and line.
  std::string cut(const std::string& text, size_t column) const {
    const size_t width = widths_[column];
    if (columns_of(text) <= width) return text;
    if (column == kWhere) return "…" + last_columns(text, width - 1);
    return first_columns(text, width - 1) + "…";
  }

  std::vector<Cells> rows_;
  std::array<size_t, kColumns> widths_{};  // 0: not shown
  std::array<bool, kColumns> used_{};
};

// A function's own name is not said again; where it was created is in parentheses when it is not
// known where it is.
std::string where(const LiveTaskRow& task) {
  const bool knows_place = !task.at.empty();
  std::string place = knows_place ? task.at : task.where;
  if (!task.name.empty() && place.starts_with(task.name + " "))
    place.erase(0, task.name.size() + 1);
  const bool is_elsewhere = task.state != "created" && task.state != "resource";
  return !knows_place && is_elsewhere && !place.empty() ? "(" + place + ")" : place;
}

std::string heading(const LiveTaskList& live) {
  const auto resources = static_cast<size_t>(
      std::count_if(live.tasks.begin(), live.tasks.end(),
                    [](const LiveTaskRow& task) { return task.state == "resource"; }));
  const auto count = [](size_t number, const char* thing) {
    return grouped(number) + " " + thing + (number == 1 ? "" : "s");
  };
  std::string text = escaped(live.title) + ": " + count(live.tasks.size() - resources, "live task");
  if (resources) text += ", " + count(resources, "resource");
  if (!live.running && !live.tasks.empty())
    text += "; times up to " + clock_time(live, live.until_ns) + (live.has_utc ? " UTC" : " s");
  return text + '\n';
}

}  // namespace

std::string live_tasks_text(const LiveTaskList& live, bool tree, size_t width) {
  const ById tasks = by_id(live);
  Table table;
  table.add({"TASK", "STATE", "FOR", "ON", "WHERE", "SINCE", "THREAD"});
  bool any_expected = false;
  for (const Row& row : tree ? by_parent(live, tasks) : by_state(live)) {
    const LiveTaskRow& task = *row.task;
    std::string who(std::min<size_t>(row.depth, 20) * 2, ' ');
    who += std::to_string(task.id);
    if (!task.name.empty()) who += " " + escaped(task.name);
    // Nearly all are coroutines.
    if (!task.kind.empty() && task.kind != "coroutine" && task.kind != task.name)
      who += " (" + escaped(task.kind) + ")";
    std::string on;
    if (task.on != 0) {
      on = std::to_string(task.on);
      if (!task.on_name.empty()) on += " " + escaped(task.on_name);
      if (task.state == "resource") on = "held by " + on;
    }
    any_expected |= task.should_resolve;
    table.add({who, task.state + (task.should_resolve ? " !" : ""), duration(task.for_ns), on,
               escaped(where(task)), clock_time(live, task.since_ns), escaped(task.thread)});
  }
  table.fit(width);
  std::string out = heading(live);
  if (!live.tasks.empty()) out += table.text();
  if (any_expected) out += "! the program says that it expects this task to end\n";
  for (const std::string& remark : live.remarks) out += remark + '\n';
  return out;
}

std::string live_tasks_json(const LiveTaskList& live) {
  using Json = nlohmann::ordered_json;
  Json json;
  json["program"] = valid_utf8(live.title);
  json["running"] = live.running;
  json["tasks"] = Json::array();
  for (const LiveTaskRow& task : live.tasks)
    json["tasks"].push_back({{"id", task.id},
                             {"name", valid_utf8(task.name)},
                             {"state", task.state},
                             {"kind", valid_utf8(task.kind)},
                             {live.has_utc ? "since_utc_ns" : "since_ns", task.since_ns},
                             {"for_ns", task.for_ns},
                             {"on", task.on},
                             {"on_name", valid_utf8(task.on_name)},
                             {"at", valid_utf8(task.at)},
                             {"created_at", valid_utf8(task.where)},
                             {"parent", task.parent},
                             {"waker", task.waker},
                             {"thread", valid_utf8(task.thread)},
                             {"should_resolve", task.should_resolve}});
  json["remarks"] = live.remarks;
  return json.dump(2) + "\n";
}

}  // namespace skein::cli
