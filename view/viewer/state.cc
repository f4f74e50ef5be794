#include "view/viewer/state.h"

namespace skein {

void ViewerState::realigned() {
  shared.session.align();
  view->aligned();
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
