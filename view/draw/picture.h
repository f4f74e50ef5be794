// The input of a picture: traces, a window onto them, and the user's marks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "trace/ask/critical.h"
#include "trace/ask/logical_samples.h"
#include "view/layout/lines.h"
#include "view/layout/rows.h"

namespace skein {

// One trace in the picture. Several are stacked, the first on top, on one time axis.
struct Track {
  const Trace* trace = nullptr;
  const Model* model = nullptr;
  const Rows* rows = nullptr;
  std::string_view title = {};  // drawn when there are several
  double offset = 0;            // ns; position of the trace's time 0 on the common time axis
};

struct Window {
  double from = 0;         // ns, at the left edge
  double to = 1;           // ns, at the right edge; > from
  double top = 0;          // the row at the upper edge, counted over all tracks and titles
  double row_height = 26;  // pixels; a label in every row from 9.5 on, where there is room from 4
                           // on; kinds from 24, density below 2
  float width = 1500;      // pixels, of the whole picture including axis and counters
  float height = 900;
  float column =
      1;  // pixels; the background is drawn in such columns: those of a terminal are wider
};

// The marks that the user put on the picture, and the folded rows.
struct Marks {
  struct Bookmark {
    double time = 0;
    std::string_view text;
  };
  struct Note {  // at one time of a task of one track
    uint32_t track = 0;
    TaskIndex task = no_index;
    double time = 0;  // of the track
    std::string_view text;
  };
  std::span<const Note> notes = {};
  // Per track one entry per task: 0 none, 1 highlighted (yellow), 2 faded. Empty: none.
  std::span<const std::span<const uint8_t>> tasks = {};
  // Per track, by executor and time: samples to highlight in the lanes. Empty: none.
  std::span<const std::vector<SampleAt>> samples = {};
  // Per track one entry per task: how many tasks below it are collapsed into it.
  std::span<const std::span<const uint32_t>> collapsed = {};
  uint32_t selected_track = 0;
  TaskIndex selected = no_index;
  uint32_t selected_lane = UINT32_MAX;  // an executor of selected_track; UINT32_MAX: none
  // Per track one entry per counter, 0: hidden. Empty: all are shown.
  std::span<const std::span<const uint8_t>> counters = {};
  std::span<const Bookmark> bookmarks = {};
  // The critical path of a task of a track, drawn over its bars; the rest is faded by `tasks`.
  std::span<const Segment> path = {};
  uint32_t path_track = 0;
  Lines lines = {};         // of all rows, counted as total_rows() does
  double measure_from = 0;  // equal to measure_to: no measurement
  double measure_to = 0;
  float pointer_x = -1;  // < 0: not over the picture. Counters show their value there.
  float pointer_y = -1;
  bool legend = false;
  bool hint = false;        // first run: explains mouse and keys
  bool hint_touch = false;  // ... or touch
  bool arrows = true;
  size_t first_counter_ink = 0;  // of eight
  bool scroll_bar = false;       // shows which rows are visible, if not all
};

// The number of rows to scroll through: the rows of all tracks and one per title.
double total_rows(std::span<const Track> tracks);

// Returns the nearest window that can be drawn. Front ends may briefly pass an invalid one, such as
// a window without a size while it opens.
Window valid_window(Window window);

}  // namespace skein
