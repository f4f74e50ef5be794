// Traces as a byte sequence for the page. Contains the files unchanged, so that the same reader
// reads them there. Of a directory, contains only the files of the trace, which their first bytes
// identify (ctf::is_trace_file), and its live task table.
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
//
// An update has the same format with only the changes, for a page that has the rest:
//
//    {"traces": [{"title": "echo", "path": "0", "gone": ["0/s00002-1"],
//                 "files": [["0/s00000-0", 9216, [[0, 128], [8100, 1116]]], ["0/s00001-3", 128]]}]}
// A file that the page has may be sent in parts, each with its offset and size. For a packet that
// was only appended to: its header and the appended bytes. For any other file: the changed blocks,
// because it may be a ring whose writer maps it, and the modification time does not show that.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace skein::web {

struct TraceInput {
  std::string path;  // a file, a directory, or -
  std::string title;
};

// Fails if a file cannot be read, or if the total exceeds `limit` bytes: the browser has to hold
// them. For the directory of a running program, each file is as it was when it was read.
// `annotations`, written by write_annotations(), come last, and their size is {"links": ...} in the
// header.
Result<std::vector<uint8_t>> make_bundle(Files& files, std::span<const TraceInput> traces,
                                         uint64_t limit, std::string_view annotations = {});

// The state of a page's copy of a trace, as far as needed to compute the difference.
struct Manifest {
  struct File {
    uint64_t size = 0;
    std::vector<uint8_t> head;  // of a packet: its header; of another file: hashes of its blocks
  };
  std::map<std::string, File> files;  // by name; "" is a trace that is one file
};

struct Update {
  std::vector<uint8_t> bundle;  // empty: nothing has changed
  Manifest now;                 // the state of the page after the update
};

// Returns the update from `had` to the current contents of the directory or file `trace`;
// everything if `had` is empty. Fails as make_bundle() does. Reads only the header of an unchanged
// packet.
Result<Update> make_update(Files& files, const TraceInput& trace, const Manifest& had,
                           uint64_t limit);

}  // namespace skein::web
