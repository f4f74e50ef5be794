// Commands of the timeline: one function per verb, one table entry per command.
#include <algorithm>
#include <cmath>

#include "view/viewer/views/timeline/timeline.h"

namespace skein {

struct Timeline::Action {
  Command command;
  void (Timeline::*run)(int);
  int argument = 0;
};

constexpr Timeline::Action Timeline::actions[] = {
    {Command::ZoomIn, &Timeline::zoom, 1},
    {Command::ZoomOut, &Timeline::zoom, -1},
    {Command::PanLeft, &Timeline::pan, -1},
    {Command::PanRight, &Timeline::pan, 1},
    {Command::PanUp, &Timeline::scroll, -1},
    {Command::PanDown, &Timeline::scroll, 1},
    {Command::PageUp, &Timeline::scroll_page, -1},
    {Command::PageDown, &Timeline::scroll_page, 1},
    {Command::GoToStart, &Timeline::go_to_end, -1},
    {Command::GoToEnd, &Timeline::go_to_end, 1},
    {Command::RowsHigher, &Timeline::change_row_height, 1},
    {Command::RowsLower, &Timeline::change_row_height, -1},
    {Command::FitAll, &Timeline::fit_all},
    {Command::FitRows, &Timeline::fit_rows},
    {Command::FitSelection, &Timeline::fit_selection},
    {Command::UndoZoom, &Timeline::undo_zoom, -1},
    {Command::RedoZoom, &Timeline::undo_zoom, 1},
    {Command::SelectNext, &Timeline::step_in_row, 1},
    {Command::SelectPrevious, &Timeline::step_in_row, -1},
    {Command::Collapse, &Timeline::collapse},
    {Command::ExpandAll, &Timeline::expand_all},
    {Command::NextBookmark, &Timeline::step_bookmark, 1},
    {Command::PreviousBookmark, &Timeline::step_bookmark, -1},
    {Command::ToggleCounters, &Timeline::toggle_counters},
    {Command::ToggleArrows, &Timeline::toggle_arrows},
    {Command::ToggleLegend, &Timeline::toggle_legend},
};

void Timeline::command_begins(Command command) {
  // A key that is held down is one gesture; another key begins a new one.
  if (command != last_command_) navigation_.end_gesture();
  last_command_ = command;
  update_after_move();
}

bool Timeline::run(Command command) {
  for (const Action& action : actions)
    if (action.command == command) {
      (this->*action.run)(action.argument);
      return true;
    }
  return false;
}

// ---- the viewport

void Timeline::zoom(int direction) {
  navigation_.zoom(middle_x(), direction > 0 ? 1.5 : 1 / 1.5, Gesture::Zoom);
}

void Timeline::pan(int direction) {
  focus_ = no_time;
  navigation_.pan(direction * static_cast<double>(window().width) / 10, Gesture::Pan);
}

void Timeline::scroll(int direction) {
  navigation_.scroll(direction * static_cast<double>(navigation_.bounds().rows_height) / 10,
                     Gesture::Scroll);
}

void Timeline::scroll_page(int direction) { scroll(9 * direction); }

void Timeline::go_to_end(int direction) {
  focus_ = no_time;
  const double span = window().to - window().from;
  const double from =
      direction < 0 ? navigation_.bounds().from : navigation_.bounds().to - 0.98 * span;
  navigation_.show(from, from + span);
}

void Timeline::change_row_height(int direction) {
  const Navigation::Bounds& bounds = navigation_.bounds();
  navigation_.zoom_rows(static_cast<double>(bounds.rows_y + bounds.rows_height / 2),
                        direction > 0 ? 1.25 : 1 / 1.25);
}

void Timeline::fit_all(int) {
  focus_ = no_time;
  navigation_.fit_all();
}

void Timeline::fit_rows(int) { navigation_.fit_rows(); }

void Timeline::fit_selection(int) {
  const Selection& selection = shared_.selection;
  const bool is_range = selection.range_is_latest();
  double from = std::min(selection.from(), selection.to());
  double to = std::max(selection.from(), selection.to());
  if (is_range ? from == to : !selection.extent(shared_.session, from, to)) return;
  const double margin = 0.1 * (to - from);
  focus_ = no_time;
  const Item& item = selection.item();
  if (!is_range && selection.has_task())
    show_at_row(item.track, item.index, from - margin, to + margin, 18);
  else
    navigation_.show(from - margin, to + margin);
}

void Timeline::undo_zoom(int direction) {
  if (direction < 0)
    navigation_.undo();
  else
    navigation_.redo();
}

// ---- rows

void Timeline::step_in_row(int direction) {
  if (!shared_.selection.has_task()) return;
  const Item from = shared_.selection.item();
  const Rows& rows = layouts_[from.track].rows;
  const uint32_t row = rows.row[from.index];
  if (row == Rows::no_row) return;
  const auto in_row = rows.tasks_in(row);
  const auto at = std::find(in_row.begin(), in_row.end(), from.index);
  if (direction > 0 ? at + 1 >= in_row.end() : at == in_row.begin()) return;
  const Item next{Item::Kind::Task, from.track, *(at + direction)};
  shared_.select(next);
  reveal(next.track, next.index, no_time);
}

void Timeline::collapse(int) {
  if (!shared_.selection.has_task()) return;
  const Item& item = shared_.selection.item();
  std::vector<uint8_t>& collapsed = layouts_[item.track].collapsed;
  collapsed.resize(shared_.model(item.track).tasks.size(), 0);
  collapsed[item.index] ^= 1;
  show_tasks(item.track);
  shared_.text_version++;
  arrange_tracks(true);
}

void Timeline::expand_all(int) {
  for (TrackLayout& layout : layouts_) layout.collapsed.clear();
  shared_.text_version++;
  filtered();
}

// ---- others

void Timeline::step_bookmark(int direction) {
  const double least = 2 * navigation_.per_pixel();  // does not return the bookmark in focus
  if (const Bookmark* found = shared_.bookmarks.step(direction, focus_time(), least))
    go_to_time(found->time);
}

void Timeline::toggle_counters(int) {
  counters_on_ = !counters_on_;
  set_bounds();
}

}  // namespace skein
