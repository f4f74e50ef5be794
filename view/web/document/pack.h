// Rearranges a mirage-profile file so that gzip compresses it twice as well (net.ctf: 66 kB -> 32
// kB): times as differences, each field in its own column. Lossless: unpack(pack(x)) == x for every
// x, including damaged files and other formats, whose bytes stay unchanged.
//
//    +---------------------+--------------+--------------+-- ...
//    | sizes of 7 columns, | column 0:    | column 1:    |
//    | u32 each            | segments     | other bytes  |
//    +---------------------+--------------+--------------+-- ...
//
// A segment is two numbers: how many bytes come from column 1, and how many events follow them. An
// event consists of its op (column 2), the difference of its time from the previous event's (3),
// the difference of its first field from the previous event's (4), the difference of its second
// field from its first (5), and the rest (6: a kind, a text with its zero).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace skein::web {

// Empty if it is not a mirage-profile file and should be stored unchanged.
std::vector<uint8_t> pack(std::span<const uint8_t> file);

// Returns `size` bytes, however damaged `packed` is.
std::vector<uint8_t> unpack(std::span<const uint8_t> packed, size_t size);

}  // namespace skein::web
