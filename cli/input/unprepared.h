// The coroutines in the memory of processes and core files.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/input/core_input.h"
#include "cli/input/recorded_trace.h"
#include "cli/input/thread_stacks.h"
#include "frames/suspended.h"
#include "frames/verdict.h"

namespace skein::cli {

struct Unprepared {
  std::string title = {};  // "server (4711)"
  uint64_t pid = 0;        // 0: unknown
  bool is_core = false;
  // What the steady clock of this machine showed when the core was last changed, if it did so since the
  // machine was started; of a core of another machine, this means nothing.
  std::optional<int64_t> steady_of_file = {};
  int64_t paused = 0;  // ns that the process stood still to be read; 0: it did not
  RecordedTrace trace = {};
  SuspendedCoroutines found = {};
  Surroundings around = {};
  std::optional<std::vector<ThreadStack>> stacks = {};  // if they were asked for
};

// What is in the memory of a running process, recorded or not. Fails if no coroutines can be read.
Result<Unprepared> read_memory_of(const Target& process, const SearchOptions& options = {});

// Half a minute.
inline constexpr uint64_t usually_read_bytes = uint64_t{32} << 30;

// How the memory of a process or core is read.
struct Reading {
  bool pause = false;       // the process stands still; a core does anyway
  bool must_pause = true;   // fails if it cannot be stopped
  bool variables = false;   // in the frames
  bool references = false;  // which coroutines nothing refers to, if that can be known
  bool stacks = false;      // of the threads, as they were during the pause
  // A program without functions of coroutines, of which the stacks of its threads are read.
  bool accepts_none = false;
  std::string program = {};  // the file of a core's program; empty: as the core names it
  // Of more memory a sample is read, which is announced on stderr.
  uint64_t most_bytes = usually_read_bytes;
};

// The value of --search-limit. Throws CommandError(2) if it is invalid. Empty: the usual limit.
uint64_t parse_search_limit(const std::string& text);

// Nothing: `text` names neither a core file nor a process that does not record. Throws
// CommandError(2) if it does and no coroutines can be read from it.
std::optional<Unprepared> read_unprepared(const std::string& text,
                                          Reading reading = {});

// What was read, and from what.
struct ReadTarget {
  std::optional<CoreInput> core = {};     // one of both
  std::unique_ptr<Target> process = {};
  Unprepared read = {};
};
// Called as long as a paused process stands still, with the coroutines without their places.
using OnMemory = std::function<void(const Target&, const SuspendedCoroutines&)>;

// A process, whether it records or not.
Result<ReadTarget> read_process(uint64_t pid, Reading reading, const OnMemory& on_memory = {});

// The same, or a core file. Throws CommandError(2) if no coroutines can be read.
ReadTarget read_any(const std::string& text, Reading reading, const OnMemory& on_memory);

}  // namespace skein::cli
