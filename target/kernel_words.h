// The words that a process has left with the kernel, which returns them with events: of epoll(7) and
// of timers. They may be the only addresses of what the events are for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skein {

// `folder` is "/proc/PID". Nothing: they are not known, as with io_uring, or may not be read.
std::optional<std::vector<uint64_t>> read_kernel_words(const std::string& folder);

// The hexadecimal numbers behind each `key` in a text of /proc: "data:" of "tfd: 5 data: 7f00".
std::vector<uint64_t> numbers_behind(std::string_view text, std::string_view key);

}  // namespace skein
