// Progress of reading a trace.
#pragma once

#include <cstdint>
#include <functional>

namespace skein {

// Called from time to time by the thread that reads the trace. Returns false to stop: the reader
// then returns what it has read so far.
using Progress = std::function<bool(uint64_t bytes_done, uint64_t bytes_in_all)>;

}  // namespace skein
