// The table `coroutine` of `skein query` for a process or core without a recorder.
#pragma once

#include <string>

#include "cli/input/memory_trace.h"

struct sqlite3;

namespace skein::cli {

inline constexpr std::string_view coroutine_table_name = "coroutine";
inline constexpr std::string_view coroutine_table_about = "coroutines in the memory of the process";

// CREATE TABLE, with a comment for each column.
std::string coroutine_schema();

// Creates and fills the table. Throws bad_alloc only. O(coroutines).
void add_coroutine_table(sqlite3* database, const MemoryTrace& memory);

}  // namespace skein::cli
