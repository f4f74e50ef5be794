// Matches the tasks of two runs by structure, not by time or id.
//
//   const Subject good{trace, model, waits}, bad{...};
//   const Alignment aligned = align(good, bad);
//   if (aligned.in_bad[task] != no_index) ...
//
// Two tasks match if they are similar (kind, name, function, file:line, label) and their parents
// match, in the order of their creation. Tasks that differ only in the label or the line match if
// no more similar task is left. If one parent has more children of a kind than the other, children
// whose descendants have the same shape are matched first. The remaining tasks (created by a task
// with another parent) are matched if both runs have equally many.
//
// Files are compared without their directories. Neither model may be simplified. O(tasks log
// tasks), plus, where the numbers of children differ, their product, up to 4 million per parent.
#pragma once

#include <cstddef>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

// Equal hashes in two runs: similar.
struct StructuralHashes {
  std::vector<uint64_t> tasks;      // by task or resource: everything but its label
  std::vector<uint64_t> locations;  // by index into Trace::locations; 0 for the unknown location
};

struct Alignment {
  // The counterpart of each task or resource in the other run; no_index if unmatched.
  std::vector<TaskIndex> in_good;  // by task of the bad run
  std::vector<TaskIndex> in_bad;   // by task of the good run
  size_t matched = 0;
  StructuralHashes good, bad;
};

Alignment align(const Subject& good, const Subject& bad);

}  // namespace skein
