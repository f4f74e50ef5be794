// Rearranges a mirage-profile file so that gzip compresses it three times as well (net.ctf: 66 kB ->
// 24 kB): numbers as differences from what they are likely to be near, and each field in a column of
// its own, so that similar bytes are close. Lossless: unpack(pack(x)) == x for every x, including
// damaged files and other formats, whose bytes stay unchanged.
//
//    +-----------------------+--------------+--------------+-- ...
//    | sizes of the columns, | column 0:    | column 1:    |
//    | u32 each              | segments     | other bytes  |
//    +-----------------------+--------------+--------------+-- ...
//
// A segment is two numbers: how many bytes come from the other bytes, and how many events follow
// them. An event consists of
//    its op
//    its time, less the previous event's, in three columns: first byte, second byte, the rest
//    its first field, less the task that runs or the one created last, and
//    its second field, less the task created last, each in two columns per op
//    the rest, in a column per op: a kind, a text with its zero
// Numbers are LEB128. Which task runs is a guess: what the last read, switch or signal names.
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
