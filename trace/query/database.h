// SQL over a trace: an SQLite connection in which each table of trace/query is there, nothing can
// be written, and no file or extension be reached.
//
//   QueryDatabase database(trace);
//   sqlite3_prepare_v2(database.handle(), "SELECT count(*) FROM event", ...);
//
// Functions beside SQLite's own:
//   title(id)             "query (#7)"
//   utc(time)             "2026-11-21T22:55:57.000000001Z"
//   time_of(utc)          the other way round, for WHERE
//   percentile(x, p)      aggregate: the least of x that p per cent are not above; NULLs do not
//   count
#pragma once

#include <sqlite3.h>

#include <memory>

#include "trace/query/virtual_table.h"

namespace skein {

class QueryDatabase {
 public:
  explicit QueryDatabase(const Trace& trace);  // which outlives this; throws bad_alloc only

  // Of one thread at a time.
  sqlite3* handle() const { return handle_.get(); }
  const QueryProgress& progress() const { return progress_; }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };

  QuerySource source_;
  QueryProgress progress_;
  std::unique_ptr<sqlite3, Close> handle_;  // last: closed before what it reads is gone
};

}  // namespace skein
