#include "view/viewer/state.h"

namespace skein {

void ViewerState::added(std::optional<Rows> rows) {
  for (View* each : views) each->added(each == &timeline ? std::move(rows) : std::nullopt);
}

void ViewerState::before_change() {
  for (View* each : views) each->before_change();
}

void ViewerState::replaced(size_t which, const SessionTrace& old, std::optional<Rows> rows) {
  for (View* each : views)
    each->replaced(which, old, each == &timeline ? std::move(rows) : std::nullopt);
}

void ViewerState::grown(size_t which) {
  for (View* each : views) each->grown(which);
}

void ViewerState::filtered() {
  for (View* each : views) each->filtered();
}

void ViewerState::realigned() {
  shared.session.align();
  for (View* each : views) each->aligned();
  shared.finder.search_again(selected());  // its matches are in time order
  shared.found();
}

void ViewerState::search(std::string_view text) {
  if (text == shared.finder.text()) return;
  shared.finder.set_text(text);
  shared.finder.search_again(selected());
  shared.found();
}

void ViewerState::select(const Item& item, double time) {
  shared.select(item);
  view->set_focus(time);
}

void ViewerState::go_to(uint32_t track, TaskIndex task, double time) {
  if (!shared.session.has_task(track, task)) return;
  select({Item::Kind::Task, track, task}, time);
  view->reveal(track, task, time);
}

void ViewerState::insert_bookmark(double time, std::string_view text) {
  if (shared.bookmarks.insert(time, text)) shared.redraw();
}

}  // namespace skein
