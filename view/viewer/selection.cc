// What is selected, found and related, and where arrows lead.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/stable_sort.h"
#include "view/viewer/state.h"

namespace skein {

using State = Viewer::State;
using Link = Model::Link;

namespace {

constexpr double lowest_bar = 6;  // pixels: of a row in which one bar is told from others

}  // namespace

void State::select(const Hit& hit, double time) {
  selection = hit;
  focus = time;
  measured_last = false;
  panel_valid = false;
  if (!selected_task()) related = false;
  mark();
}

double State::focus_time() const {
  const Window& window = navigation.window();
  const bool seen = focus >= window.from && focus <= window.to;  // false if there is none
  return seen ? focus : (window.from + window.to) / 2;
}

double State::row_of(size_t track, TaskIndex task) const {
  double row = 0;
  for (size_t i = 0; i <= track && i < tracks.size(); i++) {
    if (tracks.size() > 1) row++;
    if (i < track) row += tracks[i].rows->count;
  }
  const std::vector<uint32_t>& rows = traced(track).rows.row;
  if (task >= rows.size() || rows[task] == Rows::no_row) return no_time;
  return row + rows[task];
}

// Brings it into the picture with as little change as possible. The same scale, unless the bar is
// too thin to be seen, or is elsewhere and longer than the window; nothing moves when it can be
// seen.
void State::reveal(size_t track, TaskIndex task, double time) {
  constexpr double thin = 8;        // pixels
  constexpr double visible = 32;    // of what was thin
  constexpr double shortest = 100;  // ns; what has no duration is not worth all that one can zoom
  Traced& of = traced(track);
  if (expand_above(of, task)) arrange_tracks();
  double from = navigation.window().from;
  double to = navigation.window().to;
  double span = to - from;
  const Model::Task& bar = of.model.tasks[task];
  const double start = static_cast<double>(bar.start) + of.offset;
  const double last = static_cast<double>(bar.is_stuck() ? of.model.end : bar.end) + of.offset;
  const double end = std::max(start, last);
  const double margin = 0.05 * span;
  const bool has_time = !std::isnan(time);
  const bool is_thin = std::max(end - start, shortest) < thin * navigation.per_pixel();
  const bool seen = has_time ? time >= from + margin && time <= to - margin
                             : start <= to - margin && end >= from + margin;
  if (is_thin || !seen) {
    double middle = has_time ? time : (start + end) / 2;
    if (is_thin) {
      span *= std::max(end - start, shortest) / (visible * navigation.per_pixel());
      middle = std::clamp(middle, start, end);
    } else if (!has_time) {
      span = std::max(span, 1.1 * (end - start));
    }
    from = middle - span / 2;
    to = middle + span / 2;
  }
  const double row = row_of(track, task);
  if (std::isnan(row))
    navigation.show(from, to);
  else
    navigation.show_row(from, to, row, lowest_bar);
  redraw();
}

void State::go_to(size_t track, TaskIndex task, double time) {
  if (!has_task(track, task)) return;
  select({Hit::What::Task, static_cast<uint32_t>(track), task}, time);
  reveal(track, task, time);
}

void State::go_to_time(double time) {
  if (std::isnan(time)) return;
  const Window& window = navigation.window();
  const double half = (window.to - window.from) / 2;
  navigation.show(time - half, time + half);
  focus = time;
  redraw();
}

// As it is drawn; false: nothing with a duration is selected.
bool State::extent_of_selection(double& from, double& to) const {
  if (selection.what == Hit::What::Nothing) return false;
  const Traced& of = traced(selection.track);
  const auto set = [&](uint64_t start, uint64_t end) {
    from = static_cast<double>(start) + of.offset;
    to = static_cast<double>(std::max(start, end)) + of.offset;
    return true;
  };
  switch (selection.what) {
    case Hit::What::Task: {
      const Model::Task& task = of.model.tasks[selection.index];
      return set(task.start, task.is_stuck() ? of.model.end : task.end);
    }
    case Hit::What::Interaction: {
      const Model::Interaction& arrow = of.model.interactions[selection.index];
      return set(arrow.from_time, arrow.to_time);
    }
    case Hit::What::Sleep:
      return set(of.model.sleeps[selection.index].start, of.model.sleeps[selection.index].end);
    case Hit::What::Pause:
      return set(of.model.pauses[selection.index].start, of.model.pauses[selection.index].end);
    default:
      return false;
  }
}

// ---- search

void State::find(std::string_view text) {
  if (text == searched) return;
  searched = text;
  found_at = 0;
  find_again();
}

void State::find_again() {
  for (const auto& of : traces) {
    of->found.clear();
    if (!searched.empty()) of->search.run(searched, of->found);
  }
  settle_found();
}

void State::settle_found() {
  asked_version++;
  const bool went = std::exchange(found_at, 0) != 0;
  found_count = 0;
  found_order.clear();
  for (const auto& of : traces) {
    if (!of->passes.empty())
      for (size_t i = 0; i < of->found.size(); i++) of->found[i] &= of->passes[i];
    found_count += static_cast<size_t>(std::count(of->found.begin(), of->found.end(), 1));
  }
  // Who went from one to the next is where they were, if that is still there.
  if (went && selected_task() && traced(selection.track).is_found(selection.index)) {
    order_found();
    while (found_order[found_at].track != selection.track ||
           found_order[found_at].task != selection.index)
      found_at++;
    found_at++;
  }
  mark();
  panel_valid = false;
}

void State::order_found() {
  if (!found_order.empty() || found_count == 0) return;
  found_order.reserve(found_count);
  for (uint32_t track = 0; track < traces.size(); track++) {
    const Traced& of = traced(track);
    for (TaskIndex task = 0; task < of.found.size(); task++)
      if (of.found[task])
        found_order.push_back(
            {static_cast<double>(of.model.tasks[task].start) + of.offset, track, task});
  }
  stable_sort(found_order, [](const Place& a, const Place& b) { return a.time < b.time; });
}

// From the one that was gone to last; the first time from what is in sight.
void State::step_found(int direction) {
  order_found();
  const size_t count = found_order.size();
  if (count == 0) return;
  size_t next = 0;
  if (found_at != 0) {
    next = (found_at - 1 + (direction > 0 ? 1 : count - 1)) % count;
  } else {
    const Window& window = navigation.window();
    const double edge = direction > 0 ? window.from : window.to;
    const auto after = std::partition_point(
        found_order.begin(), found_order.end(),
        [&](const Place& place) { return direction > 0 ? place.time < edge : place.time <= edge; });
    const auto before = static_cast<size_t>(after - found_order.begin());
    next = direction > 0 ? before % count : (before + count - 1) % count;
  }
  found_at = next + 1;
  go_to(found_order[next].track, found_order[next].task);
}

// ---- related

// What it was before and becomes, what these waited for, and who waited for them.
void State::relate() {
  Traced& of = traced(selection.track);
  const Model& all = of.model;
  const TaskIndex last = all.last_self(selection.index);
  std::vector<uint8_t> same(all.tasks.size(), 0);
  same[last] = same[selection.index] = 1;
  for (TaskIndex i = 0; i < all.tasks.size(); i++)
    if (all.tasks[i].becomes != no_index && all.last_self(i) == last) same[i] = 1;
  std::vector<uint8_t>& marks_of = of.marks;
  marks_of.resize(all.tasks.size(), 0);
  for (size_t i = 0; i < same.size(); i++) marks_of[i] |= same[i];
  for (const Model::Interaction& arrow : all.interactions) {
    if (arrow.link != Link::Read && arrow.link != Link::ReadFailure && arrow.link != Link::Await)
      continue;
    if (arrow.from >= same.size() || arrow.to >= same.size()) continue;
    if (same[arrow.from]) marks_of[arrow.to] = 1;
    if (same[arrow.to]) marks_of[arrow.from] = 1;
  }
  relate_fault();
}

void State::mark() {
  for (const auto& of : traces) of->marks = of->found;
  if (related && selected_task()) relate();
  if (selection.what == Hit::What::Interaction) {
    Traced& of = traced(selection.track);
    of.marks.resize(of.model.tasks.size(), 0);
    const Model::Interaction& arrow = of.model.interactions[selection.index];
    for (const TaskIndex end : {arrow.from, arrow.to})
      if (end < of.marks.size()) of.marks[end] = 1;
  }
  mark_path();
  mark_twin();
  redraw();
}

// ---- along arrows and rows

// Of the arrows that end (begin) at the selected task the one nearest to where the user looks.
void State::follow(bool to_source) {
  if (selection.what == Hit::What::Nothing) return;
  const auto track = selection.track;
  const Traced& of = traced(track);
  uint32_t best = no_index;
  if (selection.what == Hit::What::Interaction) {
    best = selection.index;
  } else if (selected_task()) {
    const double here = focus_time() - of.offset;
    double nearest = std::numeric_limits<double>::infinity();
    for (uint32_t i = 0; i < of.model.interactions.size(); i++) {
      const Model::Interaction& arrow = of.model.interactions[i];
      if ((to_source ? arrow.to : arrow.from) != selection.index) continue;
      if ((to_source ? arrow.from : arrow.to) == no_index) continue;
      const auto at = static_cast<double>(to_source ? arrow.to_time : arrow.from_time);
      const double distance = std::fabs(at - here);
      if (distance >= nearest) continue;
      nearest = distance;
      best = i;
    }
  }
  if (best == no_index) return;
  const Model::Interaction& arrow = of.model.interactions[best];
  const uint64_t time = to_source ? arrow.from_time : arrow.to_time;
  go_to(track, to_source ? arrow.from : arrow.to, static_cast<double>(time) + of.offset);
}

void State::step_in_row(int direction) {
  if (!selected_task()) return;
  const Rows& rows = traced(selection.track).rows;
  const uint32_t row = rows.row[selection.index];
  if (row == Rows::no_row) return;
  const auto in_row = rows.tasks_in(row);
  const auto at = std::find(in_row.begin(), in_row.end(), selection.index);
  if (direction > 0 ? at + 1 >= in_row.end() : at == in_row.begin()) return;
  go_to(selection.track, *(at + direction));
}

}  // namespace skein
