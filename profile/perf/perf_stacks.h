// The stacks of a perf.data as folded text (profile/flame/folded.h), with the names of functions.
//
//   Result<PerfStacks> stacks = fold_perf_data(bytes, path, files, {});
//
// As perf script and stackcollapse-perf.pl --kernel make it: the name of the thread, then the
// functions from the outermost, weighted by the periods of the samples. Functions of the kernel end
// with _[k], those of a guest with _[g]. Unknown functions that call each other are one.
//
// Where a sample has a logical stack (logical_stacks.h), its coroutine's callers are the coroutines
// that wait for it, "run (server.cc:12)", instead of the functions that have resumed it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "profile/perf/sample_names.h"

namespace skein {

struct PerfStacks {
  std::string folded = {};
  std::string unit = {};  // "ns", "cycles"
  uint64_t samples = 0;
  uint64_t lost = 0;
  std::vector<std::string> remarks = {};  // for the user, a sentence each
  // The files of functions, by name, for colours: "libc.so.6".
  std::map<std::string, std::string, std::less<>> libraries = {};
};

// Names: sample_names.h. Fails if `bytes` are no perf.data or have no samples.
Result<PerfStacks> fold_perf_data(std::span<const uint8_t> bytes, const std::string& path,
                                  Files& files, const PerfOptions& options);

}  // namespace skein
