// Traces as one run of bytes, for the page: the files as they lie, so that the same reader reads
// them there.
//
//    +-----------------+------------------+--------------+--------------+-- ...
//    | u32: size of    | header: JSON     | first file's | second       |
//    | the header      |                  | bytes        | file's bytes |
//    +-----------------+------------------+--------------+--------------+-- ...
//
//    {"traces": [{"title": "net.ctf", "path": "0", "files": [["0", 281024, 97611]]},
//                {"title": "echo", "path": "1", "files": [["1/metadata", 9034], ["1/s00000-0",
//                ...]]}]}
// A file is its path, its size and, if it is packed (pack.h), its packed size.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace skein::web {

struct TraceInput {
  std::string path;  // a file, a directory, or -
  std::string title;
};

// Fails when a file cannot be read, or when all of them are more than `limit` bytes: the browser
// has to hold them. Of a running program's directory it is what lay there at each file's turn.
Result<std::vector<uint8_t>> make_bundle(Files& files, std::span<const TraceInput> traces,
                                         uint64_t limit);

}  // namespace skein::web
