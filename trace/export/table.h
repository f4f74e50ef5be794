// Events or tasks as a table in CSV (RFC 4180), for spreadsheets, databases and data frames.
#pragma once

#include "trace/export/out.h"
#include "trace/read/events.h"

namespace skein {

// time_ns, executor, kind, task, other, value, text, type, file, line, column, function,
// flags
LeftOut export_events_csv(const Trace& trace, Out& out);
// id, kind, name, label, parent, start_ns, end_ns, state, should_resolve, running_ns, executor,
// file, line, column, function, becomes, reason
LeftOut export_tasks_csv(const Trace& trace, Out& out);

}  // namespace skein
