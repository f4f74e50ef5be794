// What a person wrote about a trace, as it is kept beside it:
//
//   {"skein_notes": 1, "start_ns": 81234567890, "ticks_per_s": 150000000,
//    "bookmarks": [{"time_ns": 1250000, "text": "here it stops"}]}
//
// Times are counted from start_ns of the trace's own clock (as TraceInfo::start): a ring forgets its
// beginning, so that the trace may start later when it is opened again. Both were computed from
// ticks with the frequency ticks_per_s (as TickClock::frequency). Beside another trace the trace is
// read with that one's, by which all its times differ.
//
// A reader and a writer of their own: a JSON library would be half of the web page's program. What
// is not known here is passed over, so that later versions may add to it.
#pragma once

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
  uint64_t start = 0;                    // what they count from; 0: unknown
  uint64_t frequency = 0;                // with which times were computed; 0: unknown, or no ticks
  std::vector<Bookmark> bookmarks = {};  // by time
};

std::string write_notes(const Notes& notes);

// Texts are valid UTF-8; longer ones are cut; times are finite. An error says at which byte.
Result<Notes> read_notes(std::string_view json);

// The same moments by a clock of that frequency, on which the trace starts at `start`. Frequencies
// of different clocks, and unknown ones, change nothing.
void convert(Notes& notes, uint64_t frequency, uint64_t start);

// Those of one time stay in their order.
void sort_by_time(std::vector<Bookmark>& bookmarks);

// As a note may be: valid UTF-8, at most longest_note bytes.
std::string bounded_note(std::string_view text);

}  // namespace skein
