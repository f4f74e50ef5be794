// The user's notes on a trace, as stored beside it:
//
//   {"skein_notes": 1, "start_ns": 81234567890, "ticks_per_s": 150000000,
//    "bookmarks": [{"time_ns": 1250000, "text": "here it stops"}]}
//
// Times are relative to start_ns of the trace's own clock (as TraceInfo::start): a ring overwrites
// its beginning, so the trace may start later when it is opened again. Both were computed from
// ticks with the frequency ticks_per_s (as TickClock::frequency). Beside another trace, the trace
// is read with the other's frequency, which changes all its times.
//
// Has its own reader and writer: a JSON library would be half of the web page's program. Unknown
// members are skipped, so that later versions may add some.
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
  uint64_t start = 0;      // the start that times are relative to; 0: unknown
  uint64_t frequency = 0;  // the frequency used to compute times; 0: unknown, or no ticks
  std::vector<Bookmark> bookmarks = {};  // by time
};

std::string write_notes(const Notes& notes);

// Texts become valid UTF-8 and are cut to longest_note; times are finite. An error contains the
// byte offset.
Result<Notes> read_notes(std::string_view json);

// Converts the times to a clock with this frequency on which the trace starts at `start`. Does
// nothing if a frequency is unknown or the clocks differ.
void convert(Notes& notes, uint64_t frequency, uint64_t start);

// Stable: bookmarks with equal times keep their order.
void sort_by_time(std::vector<Bookmark>& bookmarks);

// Returns the text as a note may be: valid UTF-8, at most longest_note bytes.
std::string bounded_note(std::string_view text);

}  // namespace skein
