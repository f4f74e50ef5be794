// The file `.tasks` of a trace: the tasks that were alive when it was last written, that is now,
// or when the program ended. Its rows are written under a sequence lock each (skein/format.h).
#pragma once

#include <skein/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace skein::ctf {

struct TaskTableRow {
  uint64_t id = 0;
  uint64_t parent = 0;
  uint64_t on = 0;
  uint64_t since = 0;  // ticks
  uint64_t waker = 0;
  uint32_t place = 0;
  uint32_t at = 0;
  uint32_t label = 0;
  uint32_t tid = 0;
  format::TaskState state = format::TaskState::kFree;
  bool should_resolve = false;
};

struct TaskTableSnapshot {
  uint64_t pid = 0;
  uint64_t start = 0;  // ticks
  uint64_t ring_bytes = 0;
  bool enabled = false;             // recording, when its program was last seen
  std::vector<TaskTableRow> tasks;  // tasks and resources, by id
  uint64_t unstable = 0;            // rows that were being written each time they were looked at
  std::array<uint64_t, 16> lost{};  // events lost before they reached a stream, by format::Loss
};

// The header alone (its first 256 bytes): is this a task table, and of which process?
Result<TaskTableSnapshot> read_task_table_header(std::span<const uint8_t> bytes,
                                                 const std::string& file);

// Reads it, while its program runs on or after.
Result<TaskTableSnapshot> read_task_table(Files& files, const std::string& path);

// The table of the ring in this directory; none for a log, which overwrites nothing, or if it
// cannot be read. While its program runs it is asked for twice, around the copying of the packets:
// only what is in both was there all the time. What came in between is not old, though no packet
// tells of its creation.
std::optional<TaskTableSnapshot> read_ring_tasks(Files& files, const std::string& directory);
void keep_common(TaskTableSnapshot& after, const TaskTableSnapshot& before);

// As a file that nobody writes any more.
std::vector<uint8_t> encode(const TaskTableSnapshot& table);

std::string_view name(format::TaskState state);

}  // namespace skein::ctf
