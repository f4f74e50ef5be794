// The words that a process has left with the kernel, which returns them with events: of epoll(7) and
// of timers. They may be the only addresses of what the events are for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "target/target.h"

namespace skein {

// `folder` is "/proc/PID". Nothing: they may not be read. There are others if it has io_uring, or a
// pipe from itself to itself with bytes that it has not read: they may be an address.
std::optional<KernelWords> read_kernel_words(const std::string& folder);

// The hexadecimal numbers behind each `key` in a text of /proc: "data:" of "tfd: 5 data: 7f00".
std::vector<uint64_t> numbers_behind(std::string_view text, std::string_view key);

}  // namespace skein
