// Makes a QueryTable known to SQLite: as a table that is there without CREATE, and cannot be
// written.
//
// What of a WHERE is looked at here, so that SQLite sees no other rows than may fit (it checks them
// again; that is what a superset costs, and what makes 5 = 5.0 = '5' its business):
//
//   the row's number, or the ordered column, = < <= > >= IN     a binary search
//   the key, = IN                                               Model::find
//   any other number, and texts that are numbers here, likewise  a scan of that column, block by
//   block
//
// ORDER BY the row's number or the ordered column, up or down, costs nothing. Columns that a
// statement does not use are never read, and neither are those of rows that do not fit.
#pragma once

#include <sqlite3.h>

#include <vector>

#include "trace/query/table.h"

namespace skein {

class QueryCursor;

// Who reads how far, of one connection. One thread at a time.
struct QueryProgress {
  std::vector<const QueryCursor*> open;  // outer loops before inner ones

  double share() const;  // of the outermost loop, 0 to 1
};

// An SQLite result code. The table, the source and the progress outlive the connection.
int add_virtual_table(sqlite3* database, const QueryTable& table, const QuerySource& source,
                      QueryProgress& progress);

}  // namespace skein
