// Where a coroutine of g++'s continues when it is resumed at a suspension point, from code for
// x86-64: the function jumps by a table that it indexes with the number of the point.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace skein {

// `code` is that of NAME.actor, at `address`; `data` returns bytes of the file at an address, or
// none. Nothing: it has few points and compares them, or another form. O(bytes).
std::optional<uint64_t> resume_target(
    std::span<const uint8_t> code, uint64_t address, uint32_t point,
    const std::function<std::span<const uint8_t>(uint64_t address, uint64_t size)>& data);

}  // namespace skein
