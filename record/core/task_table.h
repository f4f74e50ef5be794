// The live task table: a row of 64 bytes for each task from its creation to its end, in the trace's
// `.tasks` file (or an arena). It contains long-lived tasks whose events the ring has overwritten,
// and `skein ps` reads from it what a live or dead process waits for without reading events.
//
// Only the program's holder of a task writes its row, under the row's sequence lock (odd while it
// is written), so that a reader in another process can detect a partial update. free_rows.h assigns
// the rows.
#pragma once
#include <skein/format.h>
#include <stddef.h>
#include <stdint.h>

namespace skein::record {

using format::TaskRow;
using format::TaskState;

struct TaskTable {
  format::TaskTableHeader* header = nullptr;
  TaskRow* rows = nullptr;  // row 0 is unused; a task without a row has index 0
  uint32_t capacity = 0;
  uint32_t lock = 0;
  uint32_t used = 1;      // rows [1, used) have been used at least once
  uint32_t reserved = 1;  // rows [1, reserved) have memory
  uint32_t free_row = 0;  // list of free rows, in whole batches
  // For each row, another row (see Traffic); null: bytes are not counted.
  uint32_t* links = nullptr;
  // Allocates memory for at least the rows below `rows`. Returns the number of rows with memory.
  uint32_t (*reserve)(TaskTable& table, uint32_t rows) = nullptr;
  const void* trace = nullptr;  // TraceFiles of the host
};

// Counts events (or tasks) lost for a reason before they reached a stream.
inline void count_lost(TaskTable* table, format::Loss reason, uint64_t count = 1) {
  if (table != nullptr && table->header != nullptr)
    __atomic_fetch_add(&table->header->lost[reason], count, __ATOMIC_RELAXED);
}

// Holds the sequence lock of a row: odd from construction to destruction.
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
