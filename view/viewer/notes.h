// What a person wrote about a trace, as it is kept beside it:
//
//   {"skein_notes": 1, "start_ns": 81234567890,
//    "bookmarks": [{"time_ns": 1250000, "text": "here it stops"}]}
//
// Times are counted from start_ns of the trace's own clock (as TraceInfo::start): a ring forgets
// its beginning, so that the trace may start later when it is opened again.
//
// A reader and a writer of their own: a JSON library would be half of the web page's program. What
// is not known here is passed over, so that later versions may add to it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace skein {

inline constexpr size_t most_bookmarks = 10'000;
inline constexpr size_t longest_note = 4'096;  // bytes

// A position in time that the user saves.
struct Bookmark {
  double time = 0;
  std::string text;
};

struct Notes {
  uint64_t start = 0;               // what they count from; 0: not told
  std::vector<Bookmark> bookmarks;  // by time
};

std::string write_notes(std::span<const Bookmark> bookmarks, uint64_t start);

// Texts are valid UTF-8; longer ones are cut; times are finite. An error says at which byte.
Result<Notes> read_notes(std::string_view json);

// Those of one time stay in their order.
void sort_by_time(std::vector<Bookmark>& bookmarks);

// As a note may be: valid UTF-8, at most longest_note bytes.
std::string bounded_note(std::string_view text);

}  // namespace skein
