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
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "profile/flame/address_map.h"
#include "profile/perf/image_files.h"

namespace skein {

struct PerfOptions {
  // Names of addresses in processes, and of the kernel. Where the kernel was loaded is taken from
  // perf.data.
  const AddressMap* map = nullptr;
  // Empty: none. Used if it is of the boot that was recorded.
  std::string kernel_symbols = "/proc/kallsyms";
  std::string event = {};      // empty: the first one that has samples
  bool physical = false;       // no logical stacks
  bool by_thread = false;      // threads of one name apart: "server/4711"
  ImageFiles::Open open = {};  // empty: open_from_disk()
};

struct PerfStacks {
  std::string folded = {};
  std::string unit = {};  // "ns", "cycles"
  uint64_t samples = 0;
  uint64_t lost = 0;
  std::vector<std::string> remarks = {};  // for the user, a sentence each
};

// Files that were recorded are opened to read their symbols, if their build ids are those that perf
// noted. Fails if `bytes` are no perf.data or have no samples.
Result<PerfStacks> fold_perf_data(std::span<const uint8_t> bytes, const std::string& path,
                                  Files& files, const PerfOptions& options);

// A sentence on samples in coroutines whose chains are unknown.
std::string unknown_chains_text(uint64_t unknown, uint64_t in_coroutines);

// "void std::sort<int*>(int*, int*)" -> "std::sort<int*>", as perf names functions.
std::string_view without_parameters(std::string_view demangled);

}  // namespace skein
