// The file `.tasks` of a trace: the tasks that are live now or, if the program has ended, were live
// at its end. Each row is written under its own sequence lock (skein/format.h).
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
  uint16_t reserved = 0;
  format::TaskState state = format::TaskState::kFree;
  bool should_resolve = false;
};

struct TaskTableSnapshot {
  uint64_t pid = 0;
  uint64_t start = 0;  // ticks
  uint64_t ring_bytes = 0;
  uint64_t ended_utc = 0;           // when the process ended, ns since 1970; 0: unknown
  uint64_t late_ns = 0;             // age of the process when the trace began; 0: it began with it
  uint64_t alone_utc = 0;           // as in the file; 0: unknown
  uint64_t asleep_utc = 0;          // the same
  uint64_t sample_rate = 0;         // per second of CPU time; 0: threads were not sampled
  uint64_t missed_samples = 0;      // periods without a sample
  bool enabled = false;             // whether the program was recording when last seen
  std::vector<TaskTableRow> tasks;  // tasks and resources, sorted by id
  uint64_t unstable = 0;            // rows that were being written on every attempt to read them
  std::array<uint64_t, 16> lost{};  // events lost before they reached a stream, by format::Loss
};

// Parses only the header (the first 256 bytes). Fails if it is not a task table.
Result<TaskTableSnapshot> read_task_table_header(std::span<const uint8_t> bytes,
                                                 const std::string& file);

// Reads the table, whether its program is running or has ended.
Result<TaskTableSnapshot> read_task_table(Files& files, const std::string& path);

// Reads the table of the ring in this directory; empty for a log, which overwrites nothing, or if
// the table cannot be read. For a running program, read it before and after copying the packets:
// only tasks in both tables were live throughout. A task that has ended in between is not taken for
// a live one, although its end is later than the events.
std::optional<TaskTableSnapshot> read_ring_tasks(Files& files, const std::string& directory);
// Removes from `table` the tasks that are not in `other`.
void intersect_tasks(TaskTableSnapshot& table, const TaskTableSnapshot& other);

// Encodes the table as the file of a program that has ended.
std::vector<uint8_t> encode(const TaskTableSnapshot& table);
// The row as the recorder wrote it, without `seq`.
format::TaskRow as_written(const TaskTableRow& task);

std::string_view name(format::TaskState state);

}  // namespace skein::ctf
