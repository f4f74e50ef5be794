#pragma once
#include "trace/ask/waits.h"

namespace skein {

inline constexpr uint32_t none = Waits::none;  // for the sources of this folder

}  // namespace skein
