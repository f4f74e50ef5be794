#include "trace/query/database.h"

#include <algorithm>
#include <array>
#include <new>
#include <string>

#include "trace/query/functions.h"

namespace skein {

namespace {

// These only read.
constexpr std::array<const char*, 8> harmless_pragmas{
    "table_info",  "table_xinfo",    "table_list",  "function_list",
    "module_list", "collation_list", "pragma_list", "compile_options"};

int may(void*, int action, const char* first, const char* second, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_FUNCTION:
      return sqlite3_stricmp(second, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
      return std::any_of(harmless_pragmas.begin(), harmless_pragmas.end(),
                         [&](const char* name) { return sqlite3_stricmp(name, first) == 0; })
                 ? SQLITE_OK
                 : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

}  // namespace

QueryDatabase::QueryDatabase(const Trace& trace, const std::function<void(sqlite3*)>& add_tables)
    : source_(trace) {
  sqlite3* handle = nullptr;
  const auto check = [](int result) {
    if (result != SQLITE_OK) throw std::bad_alloc();  // the only possible failure
  };
  const int opened =
      sqlite3_open_v2(":memory:", &handle,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(handle);
  check(opened);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  for (const QueryTable* table : query_tables()) {
    check(add_virtual_table(handle, *table, source_, progress_));
    // Reads the declaration now: SQLite calls the authorizer when it first does so.
    const std::string look = "PRAGMA table_info(" + std::string(table->name) + ")";
    check(sqlite3_exec(handle, look.c_str(), nullptr, nullptr, nullptr));
  }
  check(add_query_functions(handle, source_));
  if (add_tables) add_tables(handle);
  check(sqlite3_set_authorizer(handle, may, nullptr));
}

}  // namespace skein
