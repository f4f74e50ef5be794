// Two traces of one program side by side: which task of one is which of the other, and what
// happened in one of them that is to be noticed. Whoever compares them fills this (skein diff),
// viewers show it: selecting a task highlights its twin, the panel links to that, notes stand in
// the picture. With `first` and `second` the same, notes about one trace (skein doctor).
//
//   Annotations annotations{.first = 0, .second = 1};
//   annotations.twins = {{a, b}, ...};
//   annotations.notes = {{.trace = 1, .task = b, .clock = now,
//                         .text = "in bad it comes too late"}};
//   viewer.link(annotations);  // both begin together from then on; the notes are in sight
//   viewer.update(1, ...);
//   viewer.relink(annotations);  // nothing moves
//
// Tasks are known by their ids and moments by the clock: whoever shows them reads the traces again;
// one that is being recorded has other indices by then, and if it is a ring, begins later.
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
    uint64_t clock = 0;  // by the trace's own: TraceInfo::start and the time
    std::string text = {};
  };
  // Numbers of traces, in the order in which the viewer has them; twice the same: no_annotations.
  uint32_t first = 0;
  uint32_t second = 1;
  // Of the first and the second; each in one pair at most.
  std::vector<std::pair<TaskId, TaskId>> twins = {};
  std::vector<Note> notes = {};
  std::string text = {};  // what it comes to, without a full stop: alarm() begins with it
};

inline const Annotations no_annotations{.first = 0, .second = 0};

// For the page and for the window.
std::string write_annotations(const Annotations& annotations);
Result<Annotations> read_annotations(std::span<const uint8_t> bytes);

// Of a trace that was read again: is it still the same one, longer by now or without its beginning,
// or has another run taken its place, whose tasks have the same ids?
bool is_same_run(const Trace& before, const Trace& now);

}  // namespace skein
