// Reads notes. Notes that were read must be equal after being written and read again.
#include "view/viewer/notes.h"

#include <cmath>
#include <cstdlib>

using namespace skein;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto notes = read_notes({reinterpret_cast<const char*>(data), size});
  if (!notes) return 0;
  const std::vector<Bookmark>& bookmarks = notes->bookmarks;
  if (bookmarks.size() > most_bookmarks) std::abort();
  const auto again = read_notes(write_notes(*notes));
  if (!again || again->bookmarks.size() != bookmarks.size() || again->start != notes->start ||
      again->frequency != notes->frequency)
    std::abort();
  Notes converted = *notes;
  convert(converted, notes->frequency + notes->frequency / 20'000, notes->start);
  for (const Bookmark& bookmark : converted.bookmarks)
    if (!std::isfinite(bookmark.time)) std::abort();
  for (size_t i = 0; i < bookmarks.size(); i++) {
    const Bookmark& bookmark = bookmarks[i];
    const Bookmark& same = again->bookmarks[i];
    if (bookmark.text.size() > longest_note || same.text != bookmark.text) std::abort();
    // Times are written in whole nanoseconds.
    if (!(std::fabs(same.time - bookmark.time) <= 0.5 + std::fabs(bookmark.time) * 1e-15))
      std::abort();
  }
  return 0;
}
