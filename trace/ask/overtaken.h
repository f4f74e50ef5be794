// Waits that last much longer than others at the same place: the same line, called through the same
// lines. If others that began later have ended, one of them was probably forgotten.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "trace/ask/waits.h"

namespace skein {

struct EarlierWaits {
  uint64_t count = 0;    // waits at the same place that have ended
  uint64_t later = 0;    // of these, those that began later
  uint64_t longest = 0;  // ns
  uint64_t last = 0;     // when the last of them ended
};

class Places {
 public:
  explicit Places(const Subject& subject);  // O(waits)

  // Of an open wait that has lasted a second, and 20 times as long as the longest of at least 20
  // others at its place. Empty: it is none of these. O(log waits).
  std::optional<EarlierWaits> overtaken(uint32_t wait) const;

 private:
  struct Place {
    std::vector<uint64_t> begins;  // of the waits that have ended, in order
    uint64_t longest = 0;
    uint64_t last = 0;
  };
  const Subject subject_;
  std::vector<uint64_t> place_;  // by wait: a hash of the lines; 0: unknown
  std::unordered_map<uint64_t, Place> places_;
};

}  // namespace skein
