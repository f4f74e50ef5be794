// A mirage-profile file, rearranged so that gzip makes half as much of it (net.ctf: 66 kB -> 32 kB):
// times as differences, each field in a column of its own. Nothing is lost: unpack(pack(x)) == x for
// every x, damaged files and other formats too, whose bytes stay as they are.
//
//    +---------------------+--------------+--------------+-- ...
//    | sizes of 7 columns, | column 0:    | column 1:    |
//    | u32 each            | segments     | other bytes  |
//    +---------------------+--------------+--------------+-- ...
//
// A segment is two numbers: how many bytes come from column 1, and how many events follow them. An
// event is its op (column 2), the difference of its time to that of the event before it (3), the
// difference of its first field to that event's (4), of its second to its first (5), and what else
// it has (6: a kind, a text with its zero).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace skein::web {

// Empty: it is no mirage-profile file, and to be left as it is.
std::vector<uint8_t> pack(std::span<const uint8_t> file);

// Of `size` bytes, however damaged `packed` is.
std::vector<uint8_t> unpack(std::span<const uint8_t> packed, size_t size);

}  // namespace skein::web
