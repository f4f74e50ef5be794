#include "view/viewer/pane/task_pane.h"

#include <algorithm>

#include "base/percent.h"
#include "base/stable_sort.h"
#include "base/text.h"
#include "view/viewer/pane/pane_selection.h"

namespace skein {

namespace {

constexpr size_t most_rows = 200;

using By = TaskTable::Column;

std::string percentile_text(const TaskGroup& group, double share) {
  return group.latencies.empty() ? "-" : duration_text(percentile(group.latencies, share));
}

std::string states_text(const TaskGroup& group) {
  std::string text;
  const auto total = static_cast<double>(group.total());
  const auto add = [&](std::string_view name, uint64_t time) {
    if (!text.empty()) text += ", ";
    text.append(name).append(" ").append(duration_text(time));
    if (total > 0) text += " (" + percent_text(static_cast<double>(time), total) + ")";
  };
  add("running", group.running);
  add("runnable", group.ready);
  add("waiting", group.blocked);
  return text;
}

TaskTable::Row row_of(const TaskGroup& group, const std::string& name) {
  TaskTable::Row row{.texts = {name, grouped(group.count), duration_text(group.total()),
                               percentile_text(group, 0.5), percentile_text(group, 0.99),
                               states_text(group), duration_text(group.self)}};
  const uint64_t times[] = {group.running, group.ready, group.blocked};
  for (size_t i = 0; i < row.shares.size() && group.total() != 0; i++)
    row.shares[i] = static_cast<double>(times[i]) / static_cast<double>(group.total());
  return row;
}

// By which the rows are sorted, except for names.
uint64_t key_of(const TaskGroup& group, By column) {
  switch (column) {
    case By::Name:
      break;
    case By::Count:
      return group.count;
    case By::Total:
      return group.total();
    case By::Median:
      return percentile(group.latencies, 0.5);
    case By::P99:
      return percentile(group.latencies, 0.99);
    case By::States:
      return group.running;
    case By::Self:
      return group.self;
  }
  return 0;
}

}  // namespace

void TaskPane::set_shown(bool shown) {
  shown_ = shown;
  if (!shown) clear_choice();
}

void TaskPane::find_groups() {
  const Session& session = shared_.session;
  groups_.clear();
  group_of_.assign(session.size(), {});
  bool has_waits = false;
  table_.is_sampled = session.size() != 0;
  for (uint32_t track = 0; track < session.size(); track++)
    table_.is_sampled = table_.is_sampled && session[track].trace.info.is_sampled();
  for (uint32_t track = 0; track < session.size(); track++) {
    const auto part = pane_selection(shared_, track);
    if (!part) continue;
    const Subject subject = shared_.findings.subject(track);
    has_waits = has_waits || !subject.waits.waits.empty();
    SelectedGroups found = task_groups(
        subject, GroupBy::Name,
        {.from = part->from, .to = part->to, .tasks = part->tasks, .executor = part->executor});
    group_of_[track] = std::move(found.group_of);
    for (TaskGroup& group : found.groups) {
      // Several tasks that follow each other in the same memory look like one.
      if (session[track].trace.info.is_sampled()) group.latencies.clear();
      std::string name = group.name.empty() ? "(unnamed)" : safe_text(group.name);
      if (session.size() > 1) name = session[track].title + ": " + name;
      groups_.push_back({.of = std::move(group),
                         .track = track,
                         .number = static_cast<uint32_t>(&group - found.groups.data()),
                         .name = std::move(name)});
    }
  }
  table_.selection = selection_text(shared_);
  if (!has_waits && !groups_.empty())
    table_.selection += " (waits are not recorded: the total is running time)";
}

// Ties are in the order of the largest total, then of names.
void TaskPane::order() {
  stable_sort(groups_, [](const Group& a, const Group& b) { return a.name < b.name; });
  if (table_.sorted == By::Name) {
    if (table_.descending) std::reverse(groups_.begin(), groups_.end());
  } else {
    for (const By column : {By::Total, table_.sorted}) {
      const bool descending = table_.descending || column != table_.sorted;
      stable_sort_by(groups_, [&](const Group& group) {
        const uint64_t key = key_of(group.of, column);
        return descending ? ~key : key;
      });
    }
  }
  const size_t count = std::min(groups_.size(), most_rows);
  table_.omitted = groups_.size() - count;
  table_.rows.clear();
  for (size_t i = 0; i < count; i++) {
    table_.rows.push_back(row_of(groups_[i].of, groups_[i].name));
    if (table_.is_sampled) table_.rows.back().texts[static_cast<size_t>(By::Count)] += "+";
    table_.rows.back().chosen = groups_[i].name == chosen_;
  }
  mark_framed();
}

void TaskPane::mark_framed() {
  framed_version_ = shared_.framed_version;
  for (size_t row = 0; row < table_.rows.size(); row++) {
    const Group& group = groups_[row];
    bool any = false;
    if (group.track < shared_.framed.size()) {
      const std::vector<uint8_t>& tasks = shared_.framed[group.track];
      const std::vector<uint32_t>& group_of = group_of_[group.track];
      for (size_t i = 0; i < std::min(tasks.size(), group_of.size()) && !any; i++)
        any = tasks[i] != 0 && group_of[i] == group.number;
    }
    table_.rows[row].framed = any;
  }
}

void TaskPane::highlight() {
  std::vector<std::vector<uint8_t>> tasks(shared_.session.size());
  bool any = false;
  for (const Group& group : groups_) {
    if (chosen_.empty() || group.name != chosen_) continue;
    any = true;
    const std::vector<uint32_t>& group_of = group_of_[group.track];
    std::vector<uint8_t>& marks = tasks[group.track];
    marks.resize(group_of.size());
    for (size_t i = 0; i < marks.size(); i++) marks[i] |= group_of[i] == group.number;
  }
  if (!any) {
    chosen_.clear();
    tasks.clear();
  }
  if (tasks == shared_.chosen) return;
  shared_.chosen = std::move(tasks);
  shared_.choice_version++;
  shared_.marked();
}

const TaskTable& TaskPane::table() {
  if (shown_ && version_ != shared_.text_version) {
    find_groups();
    version_ = shared_.text_version;
    highlight();
    order();
  }
  if (shown_ && framed_version_ != shared_.framed_version) mark_framed();
  return table_;
}

void TaskPane::sort(By column) {
  if (static_cast<size_t>(column) >= TaskTable::columns) return;
  table();
  table_.descending = table_.sorted == column ? !table_.descending : column != By::Name;
  table_.sorted = column;
  order();
}

void TaskPane::choose(size_t row) {
  table();
  const std::string name = row < table_.rows.size() ? groups_[row].name : std::string();
  chosen_ = name == chosen_ ? std::string() : name;
  highlight();
  for (size_t i = 0; i < table_.rows.size(); i++)
    table_.rows[i].chosen = !chosen_.empty() && groups_[i].name == chosen_;
}

void TaskPane::clear_choice() {
  chosen_.clear();
  highlight();
  for (TaskTable::Row& row : table_.rows) row.chosen = false;
}

}  // namespace skein
