// A position in source code; its strings are ids in Trace::strings.
#pragma once

#include <cstdint>

#include "trace/read/strings.h"

namespace skein {

struct Location {
  StringId file = 0;
  StringId function = 0;
  uint32_t line = 0;
  uint32_t column = 0;
};

}  // namespace skein
