// The page that the processes of a scenario share with the program that starts them.
#pragma once
#include <atomic>
#include <cstdint>

namespace skein::chaos {

// Events that the trace must have, or count as lost: at least `done`, at most `begun`.
struct Counts {
  std::atomic<uint64_t> begun, done;
};

}  // namespace skein::chaos
