// SQL access to a trace: an SQLite connection that contains the tables of trace/query. Statements
// cannot write, nor access files or extensions.
//
//   QueryDatabase database(trace);
//   sqlite3_prepare_v2(database.handle(), "SELECT count(*) FROM event", ...);
//
// Additional SQL functions:
//   title(id)             "query (#7)"
//   utc(time)             "2026-11-21T22:55:57.000000001Z"
//   time_of(utc)          the inverse of utc(), for WHERE
//   percentile(x, p)      aggregate: the smallest x that at least p per cent do not exceed; ignores
//                         NULLs
#pragma once

#include <sqlite3.h>

#include <functional>
#include <memory>

#include "trace/query/virtual_table.h"

namespace skein {

class QueryDatabase {
 public:
  // `trace` must outlive this; throws bad_alloc only. `add_tables` may add tables of its own.
  explicit QueryDatabase(const Trace& trace,
                         const std::function<void(sqlite3*)>& add_tables = {});

  // For one thread at a time.
  sqlite3* handle() const { return handle_.get(); }
  const QueryProgress& progress() const { return progress_; }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };

  QuerySource source_;
  QueryProgress progress_;
  std::unique_ptr<sqlite3, Close> handle_;  // last: closed before its sources are destroyed
};

}  // namespace skein
