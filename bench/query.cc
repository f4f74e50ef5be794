// SQL over a trace: full scans and a time range, compared with the same rows in an in-memory table
// of SQLite.
//
//   bench_query TRACE [rounds]
//
// Prints, tab-separated: query, million rows per CPU second (rows of the table, not of the result),
// the same for the plain table, ratio of the medians. Rounds alternate. Then "range": ms for 1 % of
// the time, for the whole, and for 1 % without the index.
#include <sqlite3.h>

#include <string>

#include "bench/stages.h"
#include "trace/query/database.h"

namespace {

using skein::bench::median_of;
using skein::bench::milliseconds;

void check(int result, sqlite3* database) {
  if (result == SQLITE_OK) return;
  fprintf(stderr, "bench_query: %s\n", sqlite3_errmsg(database));
  exit(1);
}

// Returns the last value of the last row.
std::string ask(sqlite3* database, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr), database);
  std::string value;
  while (sqlite3_step(statement) == SQLITE_ROW)
    if (const auto* text = sqlite3_column_text(statement, sqlite3_column_count(statement) - 1))
      value = reinterpret_cast<const char*>(text);
  check(sqlite3_finalize(statement), database);
  return value;
}

// id is its key, as in event; the index is for the time range.
sqlite3* plain_table(const skein::Trace& trace) {
  sqlite3* database = nullptr;
  check(sqlite3_open(":memory:", &database), database);
  ask(database,
      "CREATE TABLE event(id INTEGER PRIMARY KEY, time_ns INTEGER, kind TEXT, task INTEGER)");
  ask(database, "BEGIN");
  sqlite3_stmt* insert = nullptr;
  check(sqlite3_prepare_v2(database, "INSERT INTO event VALUES (?, ?, ?, ?)", -1, &insert, nullptr),
        database);
  sqlite3_int64 id = 0;
  trace.events.for_each([&](const skein::EventRow& event) {
    sqlite3_bind_int64(insert, 1, id++);
    sqlite3_bind_int64(insert, 2, skein::sql_time(event.time));
    const std::string_view kind = skein::name(event.kind);
    sqlite3_bind_text(insert, 3, kind.data(), static_cast<int>(kind.size()), SQLITE_STATIC);
    if (event.task == skein::no_task)
      sqlite3_bind_null(insert, 4);
    else
      sqlite3_bind_int64(insert, 4, static_cast<sqlite3_int64>(event.task));
    sqlite3_step(insert);
    sqlite3_reset(insert);
  });
  sqlite3_finalize(insert);
  ask(database, "COMMIT");
  ask(database, "CREATE INDEX by_time ON event(time_ns)");
  return database;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fputs("usage: bench_query TRACE [rounds]\n", stderr);
    return 2;
  }
  const int rounds = argc > 2 ? atoi(argv[2]) : 5;
  const skein::Trace trace = skein::bench::trace_or_exit(argv[1]);
  const skein::QueryDatabase ours(trace);
  sqlite3* const plain = plain_table(trace);
  const auto rows = static_cast<double>(trace.events.size());

  // Both must return the same result.
  const auto compare = [&](const std::string& sql) {
    std::vector<double> times[2];
    for (int i = 0; i < rounds; i++) {
      std::string answers[2];
      times[0].push_back(milliseconds([&] { answers[0] = ask(ours.handle(), sql); }));
      times[1].push_back(milliseconds([&] { answers[1] = ask(plain, sql); }));
      if (answers[0] != answers[1]) {
        fprintf(stderr, "bench_query: %s: %s, %s\n", sql.c_str(), answers[0].c_str(),
                answers[1].c_str());
        exit(1);
      }
    }
    return std::pair(median_of(times[0]), median_of(times[1]));
  };
  // SQLite evaluates LIKE itself; for `=` it receives only the matching rows.
  for (const std::string sql :
       {"SELECT count(*) FROM event", "SELECT sum(time_ns) FROM event",
        "SELECT count(task) FROM event", "SELECT sum(time_ns), count(task), max(id) FROM event",
        "SELECT count(*) FROM event WHERE kind = 'create'",
        "SELECT count(*) FROM event WHERE kind LIKE 'create'",
        "SELECT count(*) FROM event WHERE task = 1000",
        "SELECT count(*) FROM (SELECT kind, count(*) FROM event GROUP BY kind)"}) {
    const auto [mine, theirs] = compare(sql);
    printf("%s\t%.1f\t%.1f\t%.2f\n", sql.c_str(), rows / mine / 1e3, rows / theirs / 1e3,
           mine / theirs);
  }

  const uint64_t end = trace.events.time[trace.events.size() - 1];
  const std::string middle = std::to_string(end / 2);
  const std::string after = std::to_string(end / 2 + end / 100);
  const std::string within = " BETWEEN " + middle + " AND " + after;
  const auto part = compare("SELECT count(*), sum(task) FROM event WHERE time_ns" + within);
  const auto whole = compare("SELECT count(*), sum(task) FROM event");
  const auto hidden = compare("SELECT count(*), sum(task) FROM event WHERE +time_ns" + within);
  printf("range\t%s\t%.3f\t%.3f\t%.3f\t%.3f\n",
         ask(ours.handle(), "SELECT count(*) FROM event WHERE time_ns" + within).c_str(),
         part.first, part.second, whole.first, hidden.first);
  sqlite3_close(plain);
}
