// A running process, as a Target, that can be made to stand still: then what its memory has fits
// together, and the registers of all threads are known.
//
//   Result<std::unique_ptr<PausableProcess>> process = open_pausable_process(4711);
//   if (const std::optional<Error> error = (*process)->pause()) return *error;
//   read(**process);
//   const int64_t paused = (*process)->resume();  // ns
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "target/target.h"

namespace skein {

class PausableProcess : public Target {
 public:
  // Stops all threads, see StoppedThreads::stop(). From then on threads() are those of this moment,
  // with the states from before. At most once.
  virtual std::optional<Error> pause() = 0;
  // Lets it go on and returns how long it has stood still, in ns; 0: it was not paused. The
  // destructor does the same. By the thread that has called pause().
  virtual int64_t resume() = 0;
};

// Fails as open_process() does.
Result<std::unique_ptr<PausableProcess>> open_pausable_process(uint64_t pid);

}  // namespace skein
