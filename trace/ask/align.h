// Which task of one run is which of another: by structure, not by time or number.
//
//   const Subject good{trace, model, waits}, bad{...};
//   const Alignment aligned = align(good, bad);
//   if (aligned.in_bad[task] != no_index) ...
//
// Two tasks are the same if they are alike (kind, name, function, file:line, label) and their
// parents are the same, in the order of their creation; what differs in a label or a line only is
// the same if nothing alike more is left. If one of the parents has more children of a kind than
// the other, those whose descendants have the same shape are matched first. What is left under no
// parent of its own (another task happened to create it) is matched if both runs have as many.
//
// Files are compared without their directories. Both models must not be simplified. O(tasks log
// tasks), and the product of the two numbers of children, up to 4 million a parent, where these
// differ.
#pragma once

#include <cstddef>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

// Equal numbers in any two runs: alike.
struct StructuralHashes {
  std::vector<uint64_t> tasks;      // of each task or resource: all but its label
  std::vector<uint64_t> locations;  // of each of Trace::locations; of the unknown one 0
};

struct Alignment {
  // Of each task or resource of one run the same of the other; no_index: it has none.
  std::vector<TaskIndex> in_good;  // by task of the bad run
  std::vector<TaskIndex> in_bad;   // by task of the good run
  size_t matched = 0;
  StructuralHashes good, bad;
};

Alignment align(const Subject& good, const Subject& bad);

}  // namespace skein
