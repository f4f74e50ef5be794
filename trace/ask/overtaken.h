// Waits that last much longer than others at the same place: the same line, called through the same
// lines. If others that began later have ended, one of them was probably forgotten, unless it is
// one of a worker.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct EarlierWaits {
  uint64_t count = 0;    // waits at the same place that have ended
  uint64_t own = 0;      // of these, those of the same task, or of its calls
  uint64_t tasks = 0;    // so many tasks, with their calls
  uint64_t later = 0;    // of these, those that began later
  uint64_t longest = 0;  // ns
  uint64_t last = 0;     // when the last of them ended
  // It waits there again and again, or others do: as workers do, which may be without work.
  bool is_usual() const { return own != 0 || 2 * tasks <= count; }
};

class Places {
 public:
  explicit Places(const Subject& subject);  // O(waits)

  // Of an open wait that has lasted a second, and 20 times as long as the longest of at least 20
  // others at its place. Empty: it is none of these. O(log waits).
  std::optional<EarlierWaits> overtaken(uint32_t wait) const;

 private:
  struct Place {
    std::vector<uint64_t> begins;                     // of the waits that have ended, in order
    std::unordered_map<TaskIndex, uint64_t> by_task;  // how many: of the outermost caller
    uint64_t longest = 0;
    uint64_t last = 0;
  };
  const Subject subject_;
  std::vector<uint64_t> place_;   // by wait: a hash of the lines; 0: unknown
  std::vector<TaskIndex> outer_;  // by wait: the outermost caller of its task
  std::unordered_map<uint64_t, Place> places_;
};

}  // namespace skein
