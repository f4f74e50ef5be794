#include "trace/query/functions.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "trace/model/names.h"
#include "trace/query/table.h"

namespace skein {

namespace {

const QuerySource& source_of(sqlite3_context* context) {
  return *static_cast<const QuerySource*>(sqlite3_user_data(context));
}

void give(sqlite3_context* context, const std::string& text) {
  if (!text.empty())
    sqlite3_result_text64(context, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

bool is_null(sqlite3_value* value) { return sqlite3_value_type(value) == SQLITE_NULL; }

void title(sqlite3_context* context, int, sqlite3_value** values) {
  if (is_null(values[0])) return;
  const QuerySource& source = source_of(context);
  const auto id = static_cast<TaskId>(sqlite3_value_int64(values[0]));
  const TaskIndex task = source.model().find(id);
  give(context, task == no_index ? '#' + std::to_string(id)
                                 : task_title(source.trace(), source.model().tasks[task]));
}

void utc(sqlite3_context* context, int, sqlite3_value** values) {
  if (is_null(values[0])) return;
  give(context, utc_time(source_of(context).trace(), sqlite3_value_int64(values[0])));
}

void time_of(sqlite3_context* context, int, sqlite3_value** values) {
  if (is_null(values[0])) return;
  const Trace& trace = source_of(context).trace();
  if (!trace.info.utc_offset)
    return sqlite3_result_error(context, "time_of: the trace does not record its time of day", -1);
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  const auto size = static_cast<size_t>(sqlite3_value_bytes(values[0]));
  if (const auto time = time_of_utc(trace, std::string_view(text ? text : "", text ? size : 0)))
    return sqlite3_result_int64(context, *time);
  sqlite3_result_error(context, "time_of: no date; give '2026-11-21 22:55:57.5', in UTC", -1);
}

struct Percentile {
  std::vector<double>* values;
  double per_cent;
};

void add_value(sqlite3_context* context, int, sqlite3_value** values) {
  auto* state = static_cast<Percentile*>(sqlite3_aggregate_context(context, sizeof(Percentile)));
  if (!state) return sqlite3_result_error_nomem(context);
  if (!state->values) state->values = new std::vector<double>;
  state->per_cent = sqlite3_value_double(values[1]);
  if (!is_null(values[0])) state->values->push_back(sqlite3_value_double(values[0]));
}

void end_percentile(sqlite3_context* context) {
  auto* state = static_cast<Percentile*>(sqlite3_aggregate_context(context, 0));
  if (!state || !state->values) return;
  const std::unique_ptr<std::vector<double>> values(state->values);
  if (!(state->per_cent >= 0 && state->per_cent <= 100))
    return sqlite3_result_error(context, "percentile: the second argument is 0 to 100", -1);
  if (values->empty()) return;
  const auto rank =
      static_cast<size_t>(std::ceil(state->per_cent / 100 * static_cast<double>(values->size())));
  const auto at = values->begin() + static_cast<ptrdiff_t>(std::max<size_t>(rank, 1) - 1);
  std::nth_element(values->begin(), at, values->end());
  constexpr double exact = 9007199254740992.0;
  if (*at == std::floor(*at) && std::fabs(*at) < exact)
    sqlite3_result_int64(context, static_cast<sqlite3_int64>(*at));
  else
    sqlite3_result_double(context, *at);
}

}  // namespace

int add_query_functions(sqlite3* database, const QuerySource& source) {
  void* const with = const_cast<QuerySource*>(&source);
  constexpr int kind = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
  const auto add = [&](const char* name, void (*function)(sqlite3_context*, int, sqlite3_value**)) {
    return sqlite3_create_function_v2(database, name, 1, kind, with, function, nullptr, nullptr,
                                      nullptr);
  };
  for (const int result : {add("title", title), add("utc", utc), add("time_of", time_of),
                           sqlite3_create_function_v2(database, "percentile", 2, kind, with,
                                                      nullptr, add_value, end_percentile, nullptr)})
    if (result != SQLITE_OK) return result;
  return SQLITE_OK;
}

}  // namespace skein
