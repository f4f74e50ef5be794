#include "record/core/free_rows.h"

#include "record/core/spin.h"
#include "record/core/task_table.h"

namespace skein::record {
namespace {

constexpr uint32_t kKeptRows = 2 * kRowBatch;  // a writer's list returns rows above this number

uint32_t next_of(const TaskTable& table, uint32_t row) {
  return static_cast<uint32_t>(table.rows[row].parent);
}

// Takes a linked batch from the table. Precondition: locked. Returns 0 if there is none.
uint32_t take_batch(TaskTable& table) {
  if (table.free_row != 0) {
    const uint32_t first = table.free_row;
    uint32_t last = first;
    for (uint32_t i = 1; i < kRowBatch && next_of(table, last) != 0; ++i)
      last = next_of(table, last);
    table.free_row = next_of(table, last);
    table.rows[last].parent = 0;
    return first;
  }
  if (table.used >= table.capacity) return 0;
  uint32_t end = table.used + kRowBatch;
  if (end > table.capacity) end = table.capacity;
  if (end > table.reserved) {
    table.reserved = table.reserve(table, end);
    if (end > table.reserved) end = table.reserved;
    if (end <= table.used) return 0;
  }
  const uint32_t first = table.used;
  for (uint32_t row = first; row < end; ++row) table.rows[row].parent = row + 1 < end ? row + 1 : 0;
  table.used = end;
  __atomic_store_n(&table.header->rows_used, uint64_t{end}, __ATOMIC_RELAXED);
  return first;
}

uint32_t refill(Writer& writer) {
  TaskTable* table = writer.table;
  if (table == nullptr || table->rows == nullptr) return 0;
  uint32_t first = 0;
  if (SpinLock lock(table->lock); lock) first = take_batch(*table);
  if (first == 0) {
    count_lost(table, format::kLoss_untracked);
    return 0;
  }
  uint32_t count = 0;
  for (uint32_t row = next_of(*table, first); row != 0; row = next_of(*table, row)) ++count;
  writer.free_row = next_of(*table, first);
  writer.free_rows = count;
  return first;
}

void spill(Writer& writer) {
  TaskTable* table = writer.table;
  if (writer.free_rows < kKeptRows) return;
  uint32_t last = writer.free_row;
  for (uint32_t i = 1; i < kRowBatch; ++i) last = next_of(*table, last);
  SpinLock lock(table->lock);
  if (!lock) return;  // the list grows until the next attempt
  const uint32_t rest = next_of(*table, last);
  table->rows[last].parent = table->free_row;
  table->free_row = writer.free_row;
  writer.free_row = rest;
  writer.free_rows -= kRowBatch;
}

}  // namespace

uint32_t take_row_slow(Writer& writer) {
  uint32_t row = 0;
  protect([&] { row = refill(writer); });
  return row;
}

void spill_rows(Writer& writer) {
  protect([&] { spill(writer); });
}

}  // namespace skein::record
