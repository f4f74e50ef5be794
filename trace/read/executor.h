// An OS thread or a vCPU: at most one task is current on it at any time.
#pragma once

#include <cstdint>

#include "trace/read/strings.h"

namespace skein {

inline constexpr uint32_t no_process = UINT32_MAX;

struct Executor {
  StringId name = 0;
  uint64_t tid = 0;  // 0: unknown
  uint32_t stream = 0;
  uint32_t process = 0;  // index into Trace::processes; no_process: a CPU of several
};

}  // namespace skein
