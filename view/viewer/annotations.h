// Annotations of two traces of one program side by side: which tasks correspond, and notes on
// tasks. A comparison (skein diff) fills this and viewers show it: selecting a task highlights its
// counterpart, the panel links to the counterpart, notes appear in the picture. With `first` equal
// to `second`, the notes of one trace (skein doctor).
//
//   Annotations annotations{.first = 0, .second = 1};
//   annotations.matches = {{a, b}, ...};
//   annotations.notes = {{.trace = 1, .task = b, .clock = now,
//                         .text = "in bad it comes too late"}};
//   viewer.link(annotations);  // aligns both at their starts and shows the notes
//   viewer.update(1, ...);
//   viewer.relink(annotations);  // nothing moves
//
// Tasks are identified by id and times by the clock because viewers read the traces again. The
// indices in a trace that is still being recorded change, and a ring may begin later.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "trace/model/model.h"

namespace skein {

struct Annotations {
  struct Note {
    uint32_t trace = 0;
    TaskId task = no_task;
    uint64_t clock = 0;  // in the trace's clock: TraceInfo::start plus the time
    std::string text = {};
  };
  // Indices of traces, in the viewer's order. Equal: no_annotations.
  uint32_t first = 0;
  uint32_t second = 1;
  // Pairs of a task of the first and one of the second; each task is in at most one pair.
  std::vector<std::pair<TaskId, TaskId>> matches = {};
  std::vector<Note> notes = {};
  std::string text = {};  // the summary, without a full stop; alarm() begins with it
};

inline const Annotations no_annotations{.first = 0, .second = 0};

// Transfers annotations to the page and to the window.
std::string write_annotations(const Annotations& annotations);
Result<Annotations> read_annotations(std::span<const uint8_t> bytes);

// Returns whether a trace that was read again is of the same run (longer by now, or without its
// beginning), not of another run whose tasks have the same ids.
bool is_same_run(const Trace& before, const Trace& now);

}  // namespace skein
