// The coroutines of a process or a core as they were found in its memory, as data: suspended.h
// finds them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "frames/asio_objects.h"
#include "frames/wait_object.h"
#include "symbol/frame_variables.h"

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
  uint32_t thread = 0;        // Runs: the thread's id
  uint32_t function = 0;      // of SuspendedCoroutines::functions
  uint32_t awaits = none;     // the coroutine that resumes it at its end
  uint32_t place = 0;         // of SuspendedCoroutines::places; of one that runs, perhaps its last wait
  uint32_t object = none;     // of SuspendedCoroutines::objects: what it waits for
  uint32_t awaited = none;    // of SuspendedCoroutines::awaited: what it waits for, if not Asio's
  uint32_t joined_by = none;  // the coroutine that waits for this and others together (when_all)
  uint32_t point = unknown;   // the compiler's number of the place where it waits
  uint32_t size = 0;          // bytes of the frame, at most
  uint32_t caller = none;     // of SuspendedCoroutines::callers: whose stack the frame is on
  State state = State::Unknown;
  bool is_certain = true;        // false: the memory may be freed; the allocator is not glibc's
  bool is_elided = false;        // its frame is inside that of its caller (clang)
  // Something else may resume it before what it `awaits` has ended, such as a timer. Only set where
  // a lock has a holder.
  bool may_go_on = false;
  // It may have been running, in spite of its state: only set in a cycle of coroutines that await
  // each other.
  bool may_run = false;
  bool is_unreferenced = false;  // nothing in memory refers to it; looked for on request
};

struct SuspendedCoroutines {
  struct Function {
    std::string name = {};  // "Server::run"
    std::string full_name = {};
    std::string module = {};  // the file that it was read from
    // A library's own, between those of the program: the entry point of Asio's co_spawn(), an adapter
    // of folly.
    bool is_internal = false;
    // Of a coroutine of Asio's that starts an operation: its name ("async_wait").
    std::string operation = {};
  };
  struct Place {
    std::string file = {};     // as the compiler names it, with its folder
    uint32_t line = 0;         // 0: unknown
    std::string awaiter = {};  // the type of what is awaited there; empty: unknown
    bool is_running = false;   // a thread is there: it is no place of a wait
    bool is_yield = false;     // a co_yield that waits for no object, as that of a generator
  };
  // A function that is no coroutine, or one that runs, with the frames of coroutines that do not
  // outlive a call of it (clang).
  struct Caller {
    std::string function = {};
    uint64_t thread = 0;
  };
  std::vector<Function> functions = {};
  std::vector<Caller> callers = {};
  std::vector<Place> places = {{}};                 // the first is unknown
  std::vector<SuspendedCoroutine> coroutines = {};  // by frame
  std::vector<AsioObject> objects = {};
  std::vector<WaitObject> awaited = {};
  // By coroutine, the parameters and local variables in its frame; shorter: not known.
  std::vector<std::vector<FrameVariable>> variables = {};
  uint64_t read = 0;    // bytes
  uint64_t memory = 0;  // bytes that the program may have written; more than `read`: a sample
  uint64_t freed = 0;  // frames in freed memory, left out
  // Files of the program could not be read, so that coroutines may be there that were not found.
  bool lacks_files = false;
  // What is missing, a sentence each: files without symbols, damaged heaps.
  std::vector<std::string> warnings = {};
};

}  // namespace skein
