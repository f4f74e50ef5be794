#pragma once
#include <cstdint>

namespace skein {

inline constexpr uint32_t none = UINT32_MAX;  // Waits::none, for the sources of this directory

}  // namespace skein
