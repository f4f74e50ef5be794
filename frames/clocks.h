// The clocks of the machine on which a process runs, to compare time points of the process with.
#pragma once

#include <cstdint>
#include <optional>

namespace skein {

// In ns. Nothing: they are not known, as those of a core.
struct Clocks {
  std::optional<int64_t> steady = {};
  std::optional<int64_t> system = {};
};

}  // namespace skein
