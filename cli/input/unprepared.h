// The coroutines of processes and core files that no recorder is in.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/disk_files.h"
#include "frames/suspended.h"
#include "frames/verdict.h"

namespace skein::cli {

struct Unprepared {
  std::string title = {};  // "server (4711)"
  uint64_t pid = 0;        // 0: unknown
  bool is_core = false;
  int64_t paused = 0;  // ns that the process stood still to be read; 0: it did not
  SuspendedCoroutines found = {};
  Surroundings around = {};
};

// What is in the memory of a running process, recorded or not. Fails if no coroutines can be read.
Result<Unprepared> read_memory_of(const Target& process, const SearchOptions& options = {});

// How the memory of a process is read.
struct Reading {
  bool pause = false;      // the process stands still; a core does anyway
  bool variables = false;  // in the frames
  bool references = false;  // which coroutines nothing refers to, if that can be known
};

// The same of a process by its number.
Result<Unprepared> read_process(uint64_t pid, Reading reading);

// Nothing: `text` names neither a core file nor a process that does not record. Throws
// CommandError(2) if it does and no coroutines can be read from it.
std::optional<Unprepared> read_unprepared(const std::string& text,
                                          Reading reading = {});

// Any process, whether it records or not, or core file.
struct ReadTarget {
  std::unique_ptr<DiskFiles> files = {};  // that `target` reads
  std::unique_ptr<Target> target = {};
  Unprepared read = {};
};
// Calls `on_memory` as long as a paused process stands still, with the coroutines without their
// places. Throws CommandError(2) if no coroutines can be read.
using OnMemory = std::function<void(const Target&, const SuspendedCoroutines&)>;
ReadTarget read_any(const std::string& text, Reading reading, const OnMemory& on_memory);

}  // namespace skein::cli
