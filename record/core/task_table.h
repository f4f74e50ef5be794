// The table of live tasks: 64 bytes for each task between its create and its end, in the trace's
// `.tasks` file (or an arena), so that a long-lived task outlives the ring's overwriting and `skein
// ps` can tell what a live or dead process waits for without reading its events.
//
// A row belongs to whoever holds the task; it is written under its own sequence lock (odd while
// written), so that a reader in another process never takes half an update for a state. Rows are
// handed out in batches: the hot path takes from and returns to a list of its own.
#pragma once
#include <skein/format.h>
#include <stddef.h>
#include <stdint.h>

namespace skein::record {

using format::TaskRow;
using format::TaskState;

struct Writer;

struct TaskTable {
  format::TaskTableHeader* header = nullptr;
  TaskRow* rows = nullptr;  // row 0 is nobody's: a task that found no room has it
  uint32_t capacity = 0;
  uint32_t lock = 0;
  uint32_t used = 1;      // rows [1, used) were handed out at least once
  uint32_t reserved = 1;  // rows [1, reserved) have memory behind them
  uint32_t free_row = 0;  // list of free rows, in whole batches as they came
  // Puts memory behind rows up to `rows` (exclusive) at least; returns how many there are then.
  uint32_t (*reserve)(TaskTable& table, uint32_t rows) = nullptr;
  const void* trace = nullptr;  // the host's
};

inline constexpr uint32_t kRowBatch = 32;
inline constexpr uint32_t kRowsToSpill = 4 * kRowBatch;  // free rows in a writer's list

// Refills writer's empty list and takes one row from it; 0 if the table is full (counted).
uint32_t take_row_slow(Writer& writer);
// Returns a batch of the writer's list to the table.
void spill_rows(Writer& writer);

// Counts events (or tasks) lost for a reason before they reached a stream.
inline void count_lost(TaskTable* table, format::Loss reason, uint64_t count = 1) {
  if (table != nullptr && table->header != nullptr)
    __atomic_fetch_add(&table->header->lost[reason], count, __ATOMIC_RELAXED);
}

// An update of one row: odd on construction, even again at the end of the scope.
class RowUpdate {
 public:
  explicit RowUpdate(TaskRow& row) : row_(row), seq_(row.seq | 1) {
    __atomic_store_n(&row_.seq, seq_, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
  }
  ~RowUpdate() { __atomic_store_n(&row_.seq, seq_ + 1, __ATOMIC_RELEASE); }
  RowUpdate(const RowUpdate&) = delete;
  RowUpdate& operator=(const RowUpdate&) = delete;

 private:
  TaskRow& row_;
  uint32_t seq_;
};

}  // namespace skein::record
