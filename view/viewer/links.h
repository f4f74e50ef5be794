// Two traces of one program side by side: which task of one is which of the other, and what
// happened in one of them that is to be noticed. Whoever compares them fills this (skein diff),
// viewers show it: selecting a task highlights its twin, the panel links to that, notes stand in
// the picture.
//
//   Links links{.first = 0, .second = 1};
//   links.twins = {{a, b}, ...};
//   links.notes = {{.trace = 1, .task = b, .time = 405'528, .text = "in bad it comes too late"}};
//   viewer.link(links);        // both begin together from then on; the notes are in sight
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "trace/model/model.h"

namespace skein {

struct Links {
  struct Note {
    uint32_t trace = 0;
    TaskIndex task = no_index;
    uint64_t time = 0;  // ns of that trace
    std::string text = {};
  };
  // Numbers of traces, in the order in which the viewer has them.
  uint32_t first = 0;
  uint32_t second = 1;
  // Of the first and the second; each in one pair at most.
  std::vector<std::pair<TaskIndex, TaskIndex>> twins = {};
  std::vector<Note> notes = {};
};

// For the page, where the same traces are read again: the same tasks have the same indices there.
std::string write_links(const Links& links);
Result<Links> read_links(std::span<const uint8_t> bytes);

}  // namespace skein
