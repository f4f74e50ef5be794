// Compressed Chrome JSON, the usual form: "trace.json.gz".
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
  uint64_t offset = 0;       // where unpacking ended in the file
};

// Unpacks all members of a gzip file (RFC 1952), concatenated; of a damaged file, the part before
// the damage. Returns at most `limit` bytes: a small file may unpack to a thousand times its size.
Unpacked unpack(std::span<const uint8_t> file, uint64_t limit);

// The most that read_gzip unpacks from a file of this size. JSON traces unpack to 8 to 25 times
// their size.
uint64_t unpack_limit(uint64_t file_size);

// Fails if the contents are not a trace. Offsets of losses refer to the unpacked text, except for
// the loss that reports why unpacking ended early.
Result<Trace> read_gzip(std::span<const uint8_t> file, const Progress& progress);

}  // namespace skein::chrome
