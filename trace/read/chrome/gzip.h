// Chrome's JSON as it is usually kept: compressed, "trace.json.gz".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "trace/read/progress.h"
#include "trace/read/trace.h"

namespace skein::chrome {

bool looks_like_gzip(std::span<const uint8_t> bytes);

struct Unpacked {
  std::vector<uint8_t> bytes;
  std::string problem = {};  // empty: everything was unpacked
  uint64_t offset = 0;       // where in the file unpacking ended
};

// All members of a gzip file (RFC 1952), one after the other; of a damaged file what comes before
// the damage. At most `limit` bytes: a small file may unpack to a thousand times its size.
Unpacked unpack(std::span<const uint8_t> file, uint64_t limit);

// The most that read_gzip unpacks of a file of this size. JSON of traces becomes 8 to 25 times as
// large.
uint64_t unpack_limit(uint64_t file_size);

// An error if what is compressed is no trace. Offsets of losses are those in the unpacked text, but
// for the loss that unpacking ended early.
Result<Trace> read_gzip(std::span<const uint8_t> file, const Progress& progress);

}  // namespace skein::chrome
