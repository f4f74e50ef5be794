// Events or tasks as a table, for spreadsheets, databases and data frames.
//
//   CsvWriter table(event_columns(), out);
//   const Omissions omissions = export_events(trace, table);
//
// The columns have the names of SQL's tables `event` and `task` (trace/query); docs/exchange.md lists
// the differences.
#pragma once

#include <vector>

#include "trace/export/out.h"
#include "trace/export/table_writer.h"
#include "trace/read/trace.h"

namespace skein {

// Each event is a row, in the order of the trace. The table has event_columns().
Omissions export_events(const Trace& trace, TableWriter& table);
const std::vector<TableColumn>& event_columns();

// Each task and resource is a row, with its state at the end of the trace. The table has
// task_columns().
Omissions export_tasks(const Trace& trace, TableWriter& table);
const std::vector<TableColumn>& task_columns();

}  // namespace skein
