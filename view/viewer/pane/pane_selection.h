// What the bottom pane is about: the part of each trace that the user selected. The measured range
// always limits it, and so does the filter. Of the rest the first that exists counts: the selected
// task with its descendants; the selected lane; the matches of the search. A task that the search
// selected, as its next match, does not count while there is a search. Without any of them it is
// the whole trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "view/viewer/shared.h"

namespace skein {

struct PaneSelection {
  uint64_t from = 0;  // ns of the trace
  uint64_t to = UINT64_MAX;
  std::vector<uint8_t> tasks = {};  // by TaskIndex, 0: not this one; empty: all
  std::optional<uint32_t> executor = {};
};

enum class PaneSearch : uint8_t {
  Selects,  // its matches are the selection, without a selected task or lane
  Ignored,  // for a part that highlights the matches
};

// nullopt: nothing of this trace is selected. O(tasks).
std::optional<PaneSelection> pane_selection(const Shared& shared, uint32_t track,
                                            PaneSearch search = PaneSearch::Selects);

// Removes the tasks that `others` does not contain; empty: contains all.
void intersect(std::vector<uint8_t>& tasks, const std::vector<uint8_t>& others);

// "whole trace"; "1.2 ms to 3.4 ms (2.2 ms), query (#7) with 12 tasks below, filtered". Safe to
// display.
std::string selection_text(const Shared& shared);

}  // namespace skein
