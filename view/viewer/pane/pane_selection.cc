#include "view/viewer/pane/pane_selection.h"

#include <algorithm>
#include <cmath>

#include "view/viewer/panel/task_text.h"

namespace skein {

namespace {

// 1 for each descendant, by parents as they are drawn, and for the task. Follows each chain of
// parents up to a known task, because a damaged trace may have cycles.
std::vector<uint8_t> subtree(const Model& model, TaskIndex top) {
  enum : uint8_t { Outside, Inside, OnTheWay, Unknown };
  const size_t count = model.tasks.size();
  std::vector<uint8_t> state(count, Unknown);
  state[top] = Inside;
  std::vector<TaskIndex> chain;
  for (TaskIndex i = 0; i < count; i++) {
    TaskIndex at = i;
    for (; at < count && state[at] == Unknown; at = model.tasks[at].parent) {
      state[at] = OnTheWay;
      chain.push_back(at);
    }
    const uint8_t known = at < count && state[at] == Inside ? Inside : Outside;
    for (const TaskIndex each : chain) state[each] = known;
    chain.clear();
  }
  return state;
}

bool has_task_or_lane(const Shared& shared) {
  const Selection& selection = shared.selection;
  const bool steps = selection.is_match() && !shared.finder.text().empty();
  return !steps && (selection.has_task() || selection.has_lane());
}

bool searches(const Shared& shared) {
  return !has_task_or_lane(shared) && !shared.finder.text().empty();
}

}  // namespace

void intersect(std::vector<uint8_t>& tasks, const std::vector<uint8_t>& others) {
  if (tasks.empty()) tasks = others;
  for (size_t i = 0; i < std::min(tasks.size(), others.size()); i++) tasks[i] &= others[i];
}

std::optional<PaneSelection> pane_selection(const Shared& shared, uint32_t track,
                                            PaneSearch search) {
  const SessionTrace& of = shared.session[track];
  const Selection& selection = shared.selection;
  PaneSelection all;
  if (selection.measures()) {
    const double from = std::min(selection.from(), selection.to()) - of.offset;
    const double to = std::max(selection.from(), selection.to()) - of.offset;
    const auto length = static_cast<double>(of.model.end);
    if (to < 0 || from > length) return std::nullopt;
    all.from = static_cast<uint64_t>(std::max(0.0, std::ceil(from)));
    // Includes the last event, as the panel does.
    if (to < length) all.to = std::max(all.from, static_cast<uint64_t>(std::ceil(to)));
  }
  const Item& item = selection.item();
  if (has_task_or_lane(shared)) {
    if (item.track != track) return std::nullopt;
    if (selection.has_task())
      all.tasks = subtree(of.model, item.index);
    else
      all.executor = item.index;
  } else if (search == PaneSearch::Selects && searches(shared)) {
    all.tasks = shared.finder.found(track);
    if (all.tasks.empty()) return std::nullopt;
  }
  if (const auto& passes = shared.finder.passes(track); !passes.empty())
    intersect(all.tasks, passes);
  return all;
}

std::string selection_text(const Shared& shared) {
  const Selection& selection = shared.selection;
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (selection.measures()) {
    const double from = std::min(selection.from(), selection.to());
    const double to = std::max(selection.from(), selection.to());
    add(duration_text(from) + " to " + duration_text(to) + " (" + duration_text(to - from) + ")");
  }
  const Item& item = selection.item();
  if (!has_task_or_lane(shared)) {
    if (searches(shared)) add("matches of '" + safe_text(shared.finder.text(), 60) + "'");
  } else if (selection.has_task()) {
    const SessionTrace& of = shared.session[item.track];
    const std::vector<uint8_t> all = subtree(of.model, item.index);
    size_t below = 0;
    for (TaskIndex i = 0; i < all.size(); i++)
      below += all[i] != 0 && !of.model.tasks[i].is_resource;
    add(task_text(of.trace, of.model, item.index));
    if (below > 1) text += " with " + counted(below - 1, "task") + " below";
  } else {
    add("tasks on " + executor_text(shared.session[item.track].trace, item.index));
  }
  if (text.empty()) text = shared.session.size() > 1 ? "all traces" : "whole trace";
  if (shared.finder.filters()) add("filtered");
  return text;
}

}  // namespace skein
