// Compares the task table of a process that records with the coroutines in its memory.
//
//   const MemoryCheck check = check_memory(pid, directory, {});
//   for (const MemoryDisagreement& one : check.disagreements) ...
//
// The process goes on during a search, unless it is stopped. So a disagreement counts only if consecutive searches find
// it, and the task did not change its state during a search.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/input/unprepared.h"
#include "trace/read/task_id.h"

namespace skein::cli {

struct MemoryDisagreement {
  enum class Kind : uint8_t {
    NotInTrace,   // a coroutine in memory that the recorder has never seen
    NotInMemory,  // a task that is suspended, and whose frame is gone
    // A task that is suspended at another co_await in memory: at that of most tasks of its function
    // with the same resume index. (Lines do not show it: in optimised code they may be inexact.)
    OtherPlace,
  };
  static constexpr uint32_t none = SuspendedCoroutine::none;

  Kind kind = Kind::NotInTrace;
  TaskId task = no_task;      // not of NotInTrace
  uint32_t coroutine = none;  // of MemoryCheck::memory; not of NotInMemory
  uint64_t recorded = 0;      // of NotInTrace: the id of a task that is not live, or 0
  std::string name = {};      // of the task
  std::string file = {};      // where it waits according to the trace
  uint32_t line = 0;          // 0: unknown
  uint32_t other_line = 0;    // of OtherPlace: where it waits according to its memory
};

struct MemoryCheck {
  // Why memory was not searched, as the end of a sentence: "it has 3.1 GiB". Empty: it was, or the
  // program has no coroutines.
  std::string omitted = {};
  bool is_searched = false;
  Error problem = {};  // why it was not searched; empty: it was, or is too large
  Unprepared memory = {};
  std::vector<TaskId> tasks = {};  // by coroutine; no_task: it is none of the trace
  std::vector<MemoryDisagreement> disagreements = {};  // by kind

  // The coroutine of a task; null: unknown. O(coroutines).
  const SuspendedCoroutine* find(TaskId task) const;
};

// Memory that is larger is searched only if `whatever_size`.
inline constexpr uint64_t most_searched_bytes = uint64_t{1} << 30;

struct MemorySearch {
  bool whatever_size = false;
  bool stop = false;    // the process, during each search
  bool locals = false;  // read variables
  bool stacks = false;  // Unprepared::stacks
  uint64_t most_bytes = usually_read_bytes;
};

// `directory` is the trace that the process writes. What cannot be read is omitted. Takes as long
// as find_suspended(); with disagreements two to five times as long. Throws CommandError(2) if the
// process cannot be stopped.
MemoryCheck check_memory(const std::string& pid, const std::string& directory,
                         const MemorySearch& search);

}  // namespace skein::cli
