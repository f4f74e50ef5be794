// Reads notes; what was read must be written and read again as the same.
#include "view/viewer/notes.h"

#include <cmath>
#include <cstdlib>

using namespace skein;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto notes = read_notes({reinterpret_cast<const char*>(data), size});
  if (!notes) return 0;
  if (notes->size() > most_bookmarks) std::abort();
  const auto again = read_notes(write_notes(*notes));
  if (!again || again->size() != notes->size()) std::abort();
  for (size_t i = 0; i < notes->size(); i++) {
    const Bookmark& bookmark = (*notes)[i];
    if (bookmark.text.size() > longest_note || (*again)[i].text != bookmark.text) std::abort();
    // Written in whole nanoseconds.
    if (!(std::fabs((*again)[i].time - bookmark.time) <= 0.5 + std::fabs(bookmark.time) * 1e-15))
      std::abort();
  }
  return 0;
}
