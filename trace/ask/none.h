#pragma once
#include <cstdint>

namespace skein {

inline constexpr uint32_t none = UINT32_MAX;  // for the sources of this folder: Waits::none

}  // namespace skein
