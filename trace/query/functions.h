// The SQL functions of trace/query; see database.h.
#pragma once

#include <sqlite3.h>

#include "trace/query/source.h"

namespace skein {

int add_query_functions(sqlite3* database, const QuerySource& source);

}  // namespace skein
