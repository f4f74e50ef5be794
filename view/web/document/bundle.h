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
//
// An update is the same with what has changed only, for a page that has the rest:
//
//    {"traces": [{"title": "echo", "path": "0", "gone": ["0/s00002-1"],
//                 "files": [["0/s00000-0", 9216, [[0, 128], [8100, 1116]]], ["0/s00001-3", 128]]}]}
// Of a file that the page has, there may be parts only, each with where it begins and how long it
// is: of a packet that was only added to, its header and what was added; of any other file, the
// blocks that are others, for it may be a ring whose writer maps it, and no date tells of that.
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

// Fails when a file cannot be read, or when all of them are more than `limit` bytes: the browser
// has to hold them. Of a running program's directory it is what lay there at each file's turn.
// `links`, written by write_annotations, come last, and {"links": how many bytes} into the header.
Result<std::vector<uint8_t>> make_bundle(Files& files, std::span<const TraceInput> traces,
                                         uint64_t limit, std::string_view annotations = {});

// What a page has of a recorder's directory, as far as it takes to tell what it has not.
struct Manifest {
  struct File {
    uint64_t size = 0;
    std::vector<uint8_t> head;  // of a packet: its header; of anything else: hashes of its blocks
  };
  std::map<std::string, File> files;  // by name; a trace that is one file has none
};

struct Update {
  std::vector<uint8_t> bundle;  // empty: nothing has changed
  Manifest now;                 // what the page has when it has taken it
};

// Brings a page from `had` to what lies in the directory `trace` now, or in that file; had nothing:
// all of it. Fails as make_bundle does. What it reads of a packet that has not changed is its
// header.
Result<Update> make_update(Files& files, const TraceInput& trace, const Manifest& had,
                           uint64_t limit);

}  // namespace skein::web
