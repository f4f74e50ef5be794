// Registers a QueryTable with SQLite, as a read-only table that needs no CREATE.
//
// These conditions of a WHERE are checked here, so that SQLite reads only rows that may match.
// SQLite checks them again: this makes a superset of the rows acceptable, and leaves it to SQLite
// whether 5 = 5.0 = '5'.
//
//   the row number, or the ordered column, = < <= > >= IN       a binary search
//   the key, = IN                                               Model::find
//   any other number, and texts that are numbers here, the same  a scan of that column by block
//
// ORDER BY the row number or the ordered column, in either direction, needs no sort. Columns that a
// statement does not use are never read, nor are those of rows that do not match.
#pragma once

#include <sqlite3.h>

#include <vector>

#include "trace/query/table.h"

namespace skein {

class QueryCursor;

// The open cursors of one connection. One thread at a time.
struct QueryProgress {
  std::vector<const QueryCursor*> open;  // outer loops before inner ones

  double share() const;  // progress of the outermost loop, 0 to 1
};

// Returns an SQLite result code. The table, source and progress must outlive the connection.
int add_virtual_table(sqlite3* database, const QueryTable& table, const QuerySource& source,
                      QueryProgress& progress);

}  // namespace skein
