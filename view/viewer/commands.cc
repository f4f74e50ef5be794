// What commands do: one function per verb, one row per command.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "view/viewer/state.h"
#include "view/viewer/task_text.h"

namespace skein {

using State = ViewerState;

struct State::Action {
  Command command;
  void (State::*run)(int);
  int argument = 0;
};

// In the order of the enumeration.
constexpr State::Action State::actions[] = {
    {Command::ZoomIn, &State::zoom, 1},
    {Command::ZoomOut, &State::zoom, -1},
    {Command::PanLeft, &State::pan, -1},
    {Command::PanRight, &State::pan, 1},
    {Command::PanUp, &State::scroll, -1},
    {Command::PanDown, &State::scroll, 1},
    {Command::PageUp, &State::scroll_page, -1},
    {Command::PageDown, &State::scroll_page, 1},
    {Command::GoToStart, &State::go_to_end, -1},
    {Command::GoToEnd, &State::go_to_end, 1},
    {Command::RowsHigher, &State::change_row_height, 1},
    {Command::RowsLower, &State::change_row_height, -1},
    {Command::FitAll, &State::fit_all},
    {Command::FitRows, &State::fit_rows},
    {Command::FitSelection, &State::fit_selection},
    {Command::UndoZoom, &State::undo_zoom, -1},
    {Command::RedoZoom, &State::undo_zoom, 1},
    {Command::Search, &State::open_search},
    {Command::SearchNext, &State::step_match, 1},
    {Command::SearchPrevious, &State::step_match, -1},
    {Command::ClearSearch, &State::clear_search},
    {Command::Filter, &State::toggle_filter},
    {Command::FollowToSource, &State::follow_arrow, -1},
    {Command::FollowToDestination, &State::follow_arrow, 1},
    {Command::SelectParent, &State::select_parent},
    {Command::SelectNext, &State::step_in_row, 1},
    {Command::SelectPrevious, &State::step_in_row, -1},
    {Command::HighlightRelated, &State::toggle_related},
    {Command::NextFault, &State::next_fault},
    {Command::CriticalPath, &State::toggle_path},
    {Command::Collapse, &State::collapse},
    {Command::ExpandAll, &State::expand_all},
    {Command::AddBookmark, &State::add_bookmark},
    {Command::NextBookmark, &State::step_bookmark, 1},
    {Command::PreviousBookmark, &State::step_bookmark, -1},
    {Command::Measure, &State::measure},
    {Command::ClearMeasure, &State::clear_measure},
    {Command::ToggleCounters, &State::toggle_counters},
    {Command::ToggleArrows, &State::toggle_arrows},
    {Command::ToggleLegend, &State::toggle_legend},
    {Command::NextTheme, &State::next_theme},
    {Command::Help, &State::toggle_help},
    {Command::Escape, &State::escape},
};

void State::run(Command command) {
  static_assert(std::size(actions) == commands);
  static_assert([] {
    for (size_t i = 0; i < commands; i++)
      if (actions[i].command != static_cast<Command>(i)) return false;
    return true;
  }());
  if (static_cast<size_t>(command) >= commands) return;
  // A key that is held down is one gesture; another key begins another.
  if (command != last_key) timeline.navigation().end_gesture();
  last_key = command;
  timeline.went();
  const Action& action = actions[static_cast<size_t>(command)];
  (this->*action.run)(action.argument);
}

// ---- the viewport

void State::zoom(int direction) {
  timeline.navigation().zoom(timeline.middle_x(), direction > 0 ? 1.5 : 1 / 1.5, Gesture::Zoom);
}

void State::pan(int direction) {
  timeline.set_focus(no_time);
  timeline.navigation().pan(direction * static_cast<double>(timeline.window().width) / 10,
                            Gesture::Pan);
}

void State::scroll(int direction) {
  Navigation& navigation = timeline.navigation();
  navigation.scroll(direction * static_cast<double>(navigation.bounds().rows_height) / 10,
                    Gesture::Scroll);
}

void State::scroll_page(int direction) { scroll(9 * direction); }

void State::go_to_end(int direction) {
  timeline.set_focus(no_time);
  Navigation& navigation = timeline.navigation();
  const double span = timeline.window().to - timeline.window().from;
  const double from =
      direction < 0 ? navigation.bounds().from : navigation.bounds().to - 0.98 * span;
  navigation.show(from, from + span);
}

void State::change_row_height(int direction) {
  Navigation& navigation = timeline.navigation();
  const Navigation::Bounds& bounds = navigation.bounds();
  navigation.zoom_rows(static_cast<double>(bounds.rows_y + bounds.rows_height / 2),
                       direction > 0 ? 1.25 : 1 / 1.25);
}

void State::fit_all(int) {
  timeline.set_focus(no_time);
  timeline.navigation().fit_all();
}

void State::fit_rows(int) { timeline.navigation().fit_rows(); }

void State::fit_selection(int) {
  const Selection& selection = shared.selection;
  const bool is_range = selection.range_is_latest();
  double from = std::min(selection.from(), selection.to());
  double to = std::max(selection.from(), selection.to());
  if (is_range ? from == to : !selection.extent(shared.session, from, to)) return;
  const double margin = 0.1 * (to - from);
  timeline.set_focus(no_time);
  if (!is_range && selection.has_task())
    timeline.show_at_row(selected().track, selected().index, from - margin, to + margin, 18);
  else
    timeline.navigation().show(from - margin, to + margin);
}

void State::undo_zoom(int direction) {
  if (direction < 0)
    timeline.navigation().undo();
  else
    timeline.navigation().redo();
}

// ---- search

void State::open_search(int) { search_field = true; }

void State::step_match(int direction) {
  const Window& window = timeline.window();
  const Finder::Match* match =
      shared.finder.step(direction, direction > 0 ? window.from : window.to);
  if (match) go_to(match->track, match->task);
}

void State::clear_search(int) {
  search_field = false;
  search({});
}

void State::toggle_filter(int) { filter_field = !filter_field; }

// ---- along arrows and rows

// Of the arrows that end (begin) at the selected task the one nearest to where the user looks.
void State::follow_arrow(int direction) {
  if (!shared.selection.has_item()) return;
  const bool to_source = direction < 0;
  const Item from = selected();
  const SessionTrace& of = shared.session[from.track];
  const std::vector<Model::Interaction>& arrows = of.model.interactions;
  uint32_t best = from.kind == Item::Kind::Interaction ? from.index : no_index;
  double nearest = std::numeric_limits<double>::infinity();
  const double here = timeline.focus_time() - of.offset;
  for (uint32_t i = 0; from.kind == Item::Kind::Task && i < arrows.size(); i++) {
    const Model::Interaction& arrow = arrows[i];
    if ((to_source ? arrow.to : arrow.from) != from.index) continue;
    if ((to_source ? arrow.from : arrow.to) == no_index) continue;
    const auto at = static_cast<double>(to_source ? arrow.to_time : arrow.from_time);
    const double distance = std::fabs(at - here);
    if (distance >= nearest) continue;
    nearest = distance;
    best = i;
  }
  if (best == no_index) return;
  const uint64_t time = to_source ? arrows[best].from_time : arrows[best].to_time;
  go_to(from.track, to_source ? arrows[best].from : arrows[best].to, of.on_clock(time));
}

void State::select_parent(int) {
  if (!shared.selection.has_task()) return;
  const uint32_t track = selected().track;
  go_to(track, shared.model(track).tasks[selected().index].parent);
}

void State::step_in_row(int direction) {
  Item item = selected();
  if (shared.selection.has_task() && timeline.step_in_row(direction, item))
    go_to(item.track, item.index);
}

void State::toggle_related(int) {
  shared.selection.set_related(!shared.selection.related());
  shared.marked();
}

// From the selected one, else the first of all; what belongs to it is highlighted.
void State::next_fault(int) {
  std::vector<Item> all;
  for (uint32_t track = 0; track < shared.session.size(); track++)
    for (const Diagnosis& d : shared.findings[track].faults) {
      all.push_back({Item::Kind::Task, track, d.chain[0].task});
      for (const TaskIndex task : d.similar) all.push_back({Item::Kind::Task, track, task});
    }
  if (all.empty()) return;
  const auto at = std::find(all.begin(), all.end(), selected());
  const Item next = at == all.end() || at + 1 == all.end() ? all.front() : *(at + 1);
  const SessionTrace& of = shared.session[next.track];
  const Subject subject = shared.findings.subject(next.track);
  const Diagnosis d = diagnose(of.trace, subject.model, subject.waits, next.index);
  const auto begin = static_cast<double>(std::max<int64_t>(0, since(subject, d.chain[0])));
  go_to(next.track, next.index, begin + of.offset);
  shared.selection.set_related(true);
  shared.marked();
  if (d.notification == Waits::none) return;
  // The notification and the wait that begins after it are apart in the picture.
  const Waits& waits = subject.waits;
  const Diagnosis::Step& waiter = d.chain[d.chain.size() - 2];
  const double early = of.on_clock(waits.notifications[d.notification].time);
  const double late = of.on_clock(waits.waits[waiter.wait].begin);
  const double margin = std::max(3 * (late - early), 1'000.0);
  constexpr double lowest_bar = 6;  // pixels
  timeline.show_at_row(next.track, waiter.task, early - margin, late + margin, lowest_bar);
}

// Of the selected task; again, or with nothing selected: none.
void State::toggle_path(int) {
  const bool shows =
      shared.selection.has_task() && !shared.path.is_of(selected().track, selected().index);
  shared.show_path(selected().track, shows ? selected().index : no_index);
}

// ---- rows, bookmarks, range

void State::collapse(int) {
  if (shared.selection.has_task()) timeline.collapse(selected().track, selected().index);
}

void State::expand_all(int) { timeline.expand_all(); }

// With the selected task's name, where that lives.
void State::add_bookmark(int) {
  const double time = timeline.navigation().time_at(timeline.middle_x());
  std::string text = "Bookmark " + std::to_string(shared.bookmarks.all().size() + 1);
  if (shared.selection.has_task()) {
    const SessionTrace& of = shared.session[selected().track];
    const Model::Task& task = of.model.tasks[selected().index];
    const double at = time - of.offset;
    if (at >= static_cast<double>(task.start) &&
        (task.how == Model::End::Open || at <= static_cast<double>(task.end)))
      text = task_text(of.trace, of.model, selected().index);
  }
  insert_bookmark(time, text);
}

void State::step_bookmark(int direction) {
  const double least = 2 * timeline.navigation().per_pixel();  // at one it is not gone to again
  if (const Bookmark* found = shared.bookmarks.step(direction, timeline.focus_time(), least))
    timeline.go_to_time(found->time);
}

// The selected item's time, or else the whole window.
void State::measure(int) {
  double from = timeline.window().from;
  double to = timeline.window().to;
  shared.selection.extent(shared.session, from, to);
  const Navigation& navigation = timeline.navigation();
  shared.selection.measure(navigation.covered(from), navigation.covered(to), from != to);
  shared.text_version++;
}

void State::clear_measure(int) {
  shared.selection.measure(0, 0, false);
  shared.text_version++;
}

// ---- the shell

void State::next_theme(int) {
  size_t next = 0;
  for (size_t i = 0; i < themes.size(); i++)
    if (theme->name == themes[i].name) next = (i + 1) % themes.size();
  theme = &themes[next];
}

// What lies on top first, one thing at a time.
void State::escape(int) {
  if (timeline.drags()) {
    timeline.stop_dragging();
  } else if (help) {
    help = false;
  } else if (filter_field) {
    filter_field = false;
  } else if (search_field || !shared.finder.text().empty()) {
    run(Command::ClearSearch);
  } else if (shared.selection.measures()) {
    run(Command::ClearMeasure);
  } else if (shared.selection.related()) {
    run(Command::HighlightRelated);
  } else if (!shared.path.empty()) {
    shared.show_path(0, no_index);
  } else {
    select({});
  }
}

}  // namespace skein
