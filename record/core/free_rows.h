// The free rows of the live task table: writers take rows from the table in batches; the hot path
// uses the writer's own list.
#pragma once
#include <stdint.h>

#include "record/core/writer.h"

namespace skein::record {

inline constexpr uint32_t kRowBatch = 32;
inline constexpr uint32_t kRowsToSpill = 4 * kRowBatch;  // free rows in a writer's list

// Refills the writer's empty list and takes one row from it. Returns 0 if the table is full
// (counted).
uint32_t take_row_slow(Writer& writer);
// Returns a batch of the writer's list to the table.
void spill_rows(Writer& writer);

}  // namespace skein::record
