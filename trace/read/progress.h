// How far a reader is, for who waits for it.
#pragma once

#include <cstdint>
#include <functional>

namespace skein {

// Called now and then while a trace is read, from the same thread. False: stop; what was read so
// far is returned.
using Progress = std::function<bool(uint64_t bytes_done, uint64_t bytes_in_all)>;

}  // namespace skein
