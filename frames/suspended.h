// The coroutines of a process or a core without a recorder, found in its memory: which are
// suspended, and which waits for which.
//
//   Result<SuspendedCoroutines> found = find_suspended(target);
//   for (const SuspendedCoroutine& c : found->coroutines) print(found->functions[c.function].name);
//
// A frame is a pair of addresses of functions, `resume` and `destroy`, in memory that the program
// writes. A frame in memory that glibc has freed is left out. The target is not stopped: a
// coroutine that ran during the search may be missing, or be shown where it was before.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "frames/asio_objects.h"
#include "symbol/frame_variables.h"
#include "target/target.h"

namespace skein {

struct SuspendedCoroutine {
  static constexpr uint32_t none = UINT32_MAX;
  static constexpr uint32_t unknown = UINT32_MAX;
  enum class State : uint8_t {
    NotStarted,
    Waits,    // at a co_await or co_yield
    Final,    // it has ended, and its frame is kept
    Runs,     // a thread runs it, or a function that it has called
    Unknown,  // not Final
  };

  uint64_t frame = 0;
  uint64_t thread = 0;       // Runs: the thread's id
  uint32_t function = 0;     // of SuspendedCoroutines::functions
  uint32_t awaits = none;    // the coroutine that resumes it at its end
  uint32_t place = 0;        // of SuspendedCoroutines::places
  uint32_t object = none;    // of SuspendedCoroutines::objects: what it waits for
  uint32_t point = unknown;  // the compiler's number of the place where it waits
  uint32_t size = 0;         // bytes of the frame, at most
  State state = State::Unknown;
  bool is_certain = true;  // false: the memory may be freed; the allocator is not glibc's
  bool is_elided = false;  // its frame is inside that of its caller (clang)
};

struct SuspendedCoroutines {
  struct Function {
    std::string name = {};  // "Server::run"
    std::string full_name = {};
    std::string module = {};  // the file that it was read from
    // Asio's own: the entry point of co_spawn(), or a coroutine that starts an operation, by its
    // name ("async_wait").
    bool is_spawn_entry = false;
    std::string operation = {};
  };
  struct Place {
    std::string file = {};     // as the compiler names it, with its folder
    uint32_t line = 0;         // 0: unknown
    std::string awaiter = {};  // the type of what is awaited there; empty: unknown
  };
  std::vector<Function> functions = {};
  std::vector<Place> places = {{}};                 // the first is unknown
  std::vector<SuspendedCoroutine> coroutines = {};  // by frame
  std::vector<AsioObject> objects = {};
  // By coroutine, the parameters and local variables in its frame; shorter: not known.
  std::vector<std::vector<FrameVariable>> variables = {};
  uint64_t read = 0;    // bytes
  uint64_t memory = 0;  // bytes that the program may have written; more than `read`: a sample
  uint64_t freed = 0;  // frames in freed memory, left out
  // What is missing, a sentence each: files without symbols, damaged heaps.
  std::vector<std::string> warnings = {};
};

// Fails if no file of the target has a coroutine. Takes 1 s for each GB of writable memory, and as
// much for each million frames; memory: 100 bytes a frame, and the tables of symbols.
// Files are read before and after the memory, except for variables.
struct SearchOptions {
  // Called before and after the memory is read, the latter with the coroutines without their places.
  std::function<void()> before = {};
  std::function<void(const SuspendedCoroutines&)> after = {};
  bool variables = false;  // of the first 10,000 coroutines
  // If the program may have written more bytes, evenly spread parts are read, so many in all. Then
  // all coroutines are uncertain, and many missing.
  uint64_t most_bytes = UINT64_MAX;
  // Called before the first part and after each: the bytes that were read, those that will be, and
  // all that the program may have written.
  std::function<void(uint64_t done, uint64_t in_all, uint64_t memory)> progress = {};
};
Result<SuspendedCoroutines> find_suspended(const Target& target, const SearchOptions& options = {});

}  // namespace skein
