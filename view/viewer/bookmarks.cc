#include "view/viewer/bookmarks.h"

#include <cmath>
#include <utility>

namespace skein {

bool Bookmarks::insert(double time, std::string_view text) {
  if (!std::isfinite(time) || all_.size() >= most_bookmarks) return false;
  all_.push_back({.time = time, .text = bounded_note(text)});
  sort_by_time(all_);
  return true;
}

bool Bookmarks::rename(size_t which, std::string_view text) {
  if (which >= all_.size()) return false;
  all_[which].text = bounded_note(text);
  return true;
}

bool Bookmarks::remove(size_t which) {
  if (which >= all_.size()) return false;
  all_.erase(all_.begin() + static_cast<ptrdiff_t>(which));
  return true;
}

const Bookmark* Bookmarks::step(int direction, double time, double least) const {
  const Bookmark* found = nullptr;
  for (const Bookmark& bookmark : all_) {
    if (direction > 0 && bookmark.time > time + least) return &bookmark;
    if (direction < 0 && bookmark.time < time - least) found = &bookmark;
  }
  return found;
}

std::string Bookmarks::save(uint64_t zero, uint64_t frequency) const {
  return write_notes({.start = zero, .frequency = frequency, .bookmarks = all_});
}

Result<uint64_t> Bookmarks::load(std::string_view json, uint64_t zero, uint64_t frequency) {
  Result<Notes> notes = read_notes(json);
  if (!notes) return notes.error();
  convert(*notes, frequency, zero);
  all_ = std::move(notes->bookmarks);
  return notes->start;
}

void Bookmarks::shift(double by) {
  for (Bookmark& bookmark : all_) bookmark.time += by;
}

}  // namespace skein
