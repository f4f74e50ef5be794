// An executable or library that was loaded in the recorded program.
#pragma once

#include <cstdint>

#include "trace/read/strings.h"

namespace skein {

struct Module {
  uint64_t base = 0;
  uint64_t size = 0;
  StringId build_id = 0;  // hexadecimal
  StringId path = 0;
};

}  // namespace skein
