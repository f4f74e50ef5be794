// Commands that work in every view: one function per verb, one table entry per command. The others
// are commands of a view (views/timeline/commands.cc).
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "view/viewer/panel/task_text.h"
#include "view/viewer/state.h"

namespace skein {

using State = ViewerState;

struct State::Action {
  Command command;
  void (State::*run)(int) = nullptr;  // null: the view runs it
  int argument = 0;
};

// In the order of the enumeration.
constexpr State::Action State::actions[] = {
    {Command::ZoomIn},
    {Command::ZoomOut},
    {Command::PanLeft},
    {Command::PanRight},
    {Command::PanUp},
    {Command::PanDown},
    {Command::PageUp},
    {Command::PageDown},
    {Command::GoToStart},
    {Command::GoToEnd},
    {Command::RowsHigher},
    {Command::RowsLower},
    {Command::FitAll},
    {Command::FitRows},
    {Command::FitSelection},
    {Command::UndoZoom},
    {Command::RedoZoom},
    {Command::Search, &State::open_search},
    {Command::SearchNext, &State::step_match, 1},
    {Command::SearchPrevious, &State::step_match, -1},
    {Command::ClearSearch, &State::clear_search},
    {Command::Filter, &State::toggle_filter},
    {Command::FollowToSource, &State::follow_arrow, -1},
    {Command::FollowToDestination, &State::follow_arrow, 1},
    {Command::SelectParent, &State::select_parent},
    {Command::SelectNext},
    {Command::SelectPrevious},
    {Command::HighlightRelated, &State::toggle_related},
    {Command::NextStuck, &State::next_stuck},
    {Command::CriticalPath, &State::toggle_path},
    {Command::Collapse},
    {Command::ExpandAll},
    {Command::AddBookmark, &State::add_bookmark},
    {Command::NextBookmark},
    {Command::PreviousBookmark},
    {Command::Measure, &State::measure},
    {Command::ClearMeasure, &State::clear_measure},
    {Command::ToggleCounters},
    {Command::ToggleArrows},
    {Command::ToggleLegend},
    {Command::ToggleTaskTable, &State::toggle_task_table},
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
  view->command_begins(command);
  const Action& action = actions[static_cast<size_t>(command)];
  if (action.run == nullptr)
    view->run(command);
  else
    (this->*action.run)(action.argument);
}

// ---- search

void State::open_search(int) { search_field = true; }

void State::step_match(int direction) {
  const View::Times times = view->times();
  const Finder::Match* match = shared.finder.step(direction, direction > 0 ? times.from : times.to);
  if (!match) return;
  go_to(match->track, match->task);
  shared.selection.set_match();
}

void State::clear_search(int) {
  search_field = false;
  search({});
}

void State::toggle_filter(int) { filter_field = !filter_field; }

// ---- along arrows and rows

// Of the arrows that end (begin) at the selected task, follows the one nearest to the focus.
void State::follow_arrow(int direction) {
  if (!shared.selection.has_item()) return;
  const bool to_source = direction < 0;
  const Item from = selected();
  const SessionTrace& of = shared.session[from.track];
  const std::vector<Model::Interaction>& arrows = of.model.interactions;
  uint32_t best = from.kind == Item::Kind::Interaction ? from.index : no_index;
  double nearest = std::numeric_limits<double>::infinity();
  const double here = view->focus_time() - of.offset;
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

void State::toggle_related(int) {
  shared.selection.set_related(!shared.selection.related());
  shared.marked();
}

// Selects the stuck task after the selected one, or else the first, and highlights its related
// tasks.
void State::next_stuck(int) {
  std::vector<Item> all;
  for (uint32_t track = 0; track < shared.session.size(); track++)
    for (const TaskIndex task : shared.findings[track].order)
      all.push_back({Item::Kind::Task, track, task});
  if (all.empty()) return;
  const auto at = std::find(all.begin(), all.end(), selected());
  const Item next = at == all.end() || at + 1 == all.end() ? all.front() : *(at + 1);
  const SessionTrace& of = shared.session[next.track];
  const Subject state = shared.findings.state(next.track);
  const Diagnosis d = shared.findings.diagnose(next.track, next.index);
  const auto begin =
      static_cast<double>(std::max<int64_t>(0, since(state, LiveTaskFinder(state), d.chain[0])));
  go_to(next.track, next.index, begin + of.offset);
  shared.selection.set_related(true);
  shared.marked();
  if (d.notification == Waits::none) return;
  // Shows both the notification and the wait that begins after it.
  const Waits& waits = state.waits;
  const Diagnosis::Step& waiter = d.chain[d.chain.size() - 2];
  const double early = of.on_clock(waits.notifications[d.notification].time);
  const double late = of.on_clock(waits.waits[waiter.wait].begin);
  const double margin = std::max(3 * (late - early), 1'000.0);
  view->reveal_range(next.track, shared.findings.shown(next.track, waiter.task), early - margin,
                     late + margin);
}

// Shows the path of the selected task; hides it if it is shown or no task is selected.
void State::toggle_path(int) {
  const bool shows =
      shared.selection.has_task() && !shared.path.is_of(selected().track, selected().index);
  shared.show_path(selected().track, shows ? selected().index : no_index);
}

// ---- bookmarks, range

// Uses the selected task's name if the task is live at that time.
void State::add_bookmark(int) {
  const double time = view->pointed_time();
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

// Measures the interval of the selected item, or else of the whole window.
void State::measure(int) {
  View::Times times = view->times();
  shared.selection.extent(shared.session, times.from, times.to);
  const auto covered = [&](double time) {
    return std::clamp(time, shared.session.first(), shared.session.last());
  };
  shared.selection.measure(covered(times.from), covered(times.to), times.from != times.to);
  shared.text_version++;
}

void State::clear_measure(int) {
  shared.selection.measure(0, 0, false);
  shared.text_version++;
}

// ---- the front end

void State::next_theme(int) {
  size_t next = 0;
  for (size_t i = 0; i < themes.size(); i++)
    if (theme->name == themes[i].name) next = (i + 1) % themes.size();
  theme = &themes[next];
}

// Closes the topmost object, one at a time.
void State::escape(int) {
  if (view->stop_dragging()) return;
  if (help) {
    help = false;
  } else if (filter_field) {
    filter_field = false;
  } else if (search_field || !shared.finder.text().empty()) {
    run(Command::ClearSearch);
  } else if (flame.chooses()) {
    flame.clear_choice();
  } else if (pane.chooses()) {
    pane.clear_choice();
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
