// Process ids for formats in which they must be unique: those of the trace if possible.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/read/trace.h"

namespace skein {

class ProcessNumbers {
 public:
  explicit ProcessNumbers(const Trace& trace);

  size_t size() const { return numbers_.size(); }
  uint64_t operator[](size_t process) const { return numbers_[process]; }
  // The index of the executor's process; 0 if it belongs to none.
  size_t index(uint32_t executor) const {
    const size_t process = executor < of_executor_.size() ? of_executor_[executor] : 0;
    return process < numbers_.size() ? process : 0;
  }
  uint64_t of(uint32_t executor) const { return numbers_[index(executor)]; }

 private:
  std::vector<uint64_t> numbers_;  // unique and not 0
  std::vector<uint32_t> of_executor_;
};

}  // namespace skein
