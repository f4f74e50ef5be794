#pragma once
#include <cstdint>

namespace skein {

inline constexpr uint32_t none =
    UINT32_MAX;  // short for Waits::none, for the sources of this directory

}  // namespace skein
