// Unpacks data of xz: tables of symbols inside programs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace skein {

// One whole .xz stream. `name` is for errors. Fails if it is damaged, unpacks to more than 256 MiB,
// needs more than 128 MiB of memory, or if skein was built without liblzma.
Result<std::vector<uint8_t>> unpack_xz(std::span<const uint8_t> packed, const std::string& name);

}  // namespace skein
