#include "trace/query/virtual_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "trace/query/cursor.h"

// xBestIndex receives whole IN lists (sqlite3_vtab_in).
static_assert(SQLITE_VERSION_NUMBER >= 3038000, "skein query needs SQLite 3.38");

namespace skein {

namespace {

// A plan has two characters for each condition that SQLite passes with a value: the comparison and
// the column. idxNum 1: descending.
constexpr char first_column = 'A';  // '@', before it: the row number

struct TableBinding {
  const QueryTable& table;
  const QuerySource& source;
  QueryProgress& progress;
};

struct Table : sqlite3_vtab {
  explicit Table(const TableBinding& what) : sqlite3_vtab{}, binding(what) {}
  const TableBinding& binding;
};

struct Cursor : sqlite3_vtab_cursor {
  explicit Cursor(const TableBinding& binding)
      : sqlite3_vtab_cursor{}, rows(binding.table, binding.source) {}
  QueryCursor rows;
};

const TableBinding& binding_of(sqlite3_vtab* table) { return static_cast<Table*>(table)->binding; }
QueryCursor& rows_of(sqlite3_vtab_cursor* cursor) { return static_cast<Cursor*>(cursor)->rows; }

int connect(sqlite3* database, void* what, int, const char* const*, sqlite3_vtab** table,
            char** error) {
  const auto& binding = *static_cast<const TableBinding*>(what);
  const int result = sqlite3_declare_vtab(database, schema_text(binding.table).c_str());
  if (result != SQLITE_OK) {
    *error = sqlite3_mprintf("%s", sqlite3_errmsg(database));
    return result;
  }
  *table = new Table(binding);
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<Table*>(table);
  return SQLITE_OK;
}

// '=', 'i' (in), '<', 'l' (or equal), '>', 'g'; 0: not supported.
char comparison(unsigned char op) {
  switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
      return '=';
    case SQLITE_INDEX_CONSTRAINT_LT:
      return '<';
    case SQLITE_INDEX_CONSTRAINT_LE:
      return 'l';
    case SQLITE_INDEX_CONSTRAINT_GT:
      return '>';
    case SQLITE_INDEX_CONSTRAINT_GE:
      return 'g';
    default:
      return 0;
  }
}

// Whether the table can use the condition to skip rows.
bool can_use(const QueryTable& table, int column, char compared, const char* collation) {
  if (column < 0) return true;
  const QueryColumn& known = table.columns[static_cast<size_t>(column)];
  if (!known.number) return false;
  if (known.names.empty()) return true;
  return compared == '=' && std::strcmp(collation, "BINARY") == 0;
}

// Cost 1 is that of a row that SQLite itself checks.
int best_index(sqlite3_vtab* table, sqlite3_index_info* info) {
  const TableBinding& binding = binding_of(table);
  const QueryTable& known = binding.table;
  const auto all = static_cast<double>(known.rows(binding.source));
  bool one_row = false, few_rows = false, by_key = false;
  double ordered_share = 1;
  double share = 1;
  int scans = 0;
  int given = 0;
  std::string plan;
  for (int i = 0; i < info->nConstraint; i++) {
    const auto& constraint = info->aConstraint[i];
    char compared = comparison(constraint.op);
    if (!constraint.usable || !compared) continue;
    const int column = constraint.iColumn == known.row ? -1 : constraint.iColumn;
    if (!can_use(known, column, compared, sqlite3_vtab_collation(info, i))) continue;
    const bool equal = compared == '=';
    if (equal && sqlite3_vtab_in(info, i, 1)) compared = 'i';
    plan += compared;
    plan += static_cast<char>(first_column + column);
    info->aConstraintUsage[i].argvIndex = ++given;
    if (column < 0 || column == known.ordered) {
      one_row |= column < 0 && compared == '=';
      few_rows |= equal;
      ordered_share *= 0.25;
    } else if (column == known.key && equal) {
      by_key = true;
    } else {
      scans++;
      share *= equal ? 0.1 : 0.5;
    }
  }
  double looked_at = all * ordered_share;
  if (one_row || by_key)
    looked_at = std::min(looked_at, 1.0);
  else if (few_rows)
    looked_at = std::min(looked_at, 10.0);
  info->estimatedCost = 1 + looked_at * (share + 0.05 * scans);
  info->estimatedRows = std::max<sqlite3_int64>(1, std::llround(looked_at * share));
  if (one_row) info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;

  const auto orders = [&](int term, int column) {
    return info->nOrderBy > term && info->aOrderBy[term].iColumn == column &&
           info->aOrderBy[term].desc == info->aOrderBy[0].desc;
  };
  const auto by_row = [&](int term) {
    return orders(term, -1) || (known.row >= 0 && orders(term, known.row));
  };
  const bool by_ordered = known.ordered >= 0 && !known.runs && orders(0, known.ordered);
  if ((info->nOrderBy == 1 && (by_row(0) || by_ordered)) ||
      (info->nOrderBy == 2 && by_ordered && by_row(1))) {
    info->orderByConsumed = 1;
    info->idxNum = info->aOrderBy[0].desc;
  }
  info->idxStr = sqlite3_mprintf("%s", plan.c_str());
  info->needToFreeIdxStr = 1;
  return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

int open(sqlite3_vtab* table, sqlite3_vtab_cursor** cursor) {
  const TableBinding& binding = binding_of(table);
  auto* const opened = new Cursor(binding);
  binding.progress.open.push_back(&opened->rows);
  *cursor = opened;
  return SQLITE_OK;
}

int close(sqlite3_vtab_cursor* cursor) {
  std::erase(binding_of(cursor->pVtab).progress.open, &rows_of(cursor));
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

constexpr double too_large = 9223372036854775808.0;

// The number, or the number of a name, that a value of the column must equal to match.
enum class Read { Number, Nothing, Unknown };
Read read_equal(const QueryColumn* column, sqlite3_value* value, int64_t& number) {
  const int type = sqlite3_value_type(value);
  if (type == SQLITE_NULL) return Read::Nothing;
  if (column && !column->names.empty()) {
    if (type != SQLITE_TEXT) return Read::Unknown;
    const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
    const std::string_view wanted(text, static_cast<size_t>(sqlite3_value_bytes(value)));
    const auto at = std::find(column->names.begin(), column->names.end(), wanted);
    if (at == column->names.end()) return Read::Nothing;
    number = at - column->names.begin();
    return Read::Number;
  }
  if (type == SQLITE_INTEGER) {
    number = sqlite3_value_int64(value);
    return Read::Number;
  }
  if (type != SQLITE_FLOAT) return Read::Unknown;  // whether '7' equals 7 is left to SQLite
  const double real = sqlite3_value_double(value);
  if (real != std::floor(real) || real < -too_large || real >= too_large) return Read::Nothing;
  number = static_cast<int64_t>(real);
  return Read::Number;
}

// Makes the condition match nothing.
void nothing(QueryCondition& condition) {
  condition.one_of = true;
  condition.values.clear();
}

void set_values(QueryCondition& condition, std::vector<int64_t> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  condition.one_of = true;
  condition.values = std::move(values);
}

// False if the value is not a number: the condition is left to SQLite.
bool add_equal(QueryCondition& condition, const QueryColumn* column, sqlite3_value* value) {
  int64_t number = 0;
  switch (read_equal(column, value, number)) {
    case Read::Number:
      set_values(condition, {number});
      return true;
    case Read::Nothing:
      nothing(condition);
      return true;
    case Read::Unknown:
      return false;
  }
  return false;
}

bool add_in(QueryCondition& condition, const QueryColumn* column, sqlite3_value* list) {
  std::vector<int64_t> values;
  sqlite3_value* value = nullptr;
  for (int result = sqlite3_vtab_in_first(list, &value); result == SQLITE_OK && value;
       result = sqlite3_vtab_in_next(list, &value)) {
    int64_t number = 0;
    const Read read = read_equal(column, value, number);
    if (read == Read::Unknown) return false;
    if (read == Read::Number) values.push_back(number);
  }
  set_values(condition, std::move(values));
  return true;
}

bool add_bound(QueryCondition& condition, char compared, sqlite3_value* value) {
  const int type = sqlite3_value_type(value);
  const bool is_low = compared == '>' || compared == 'g';
  const bool with_it = compared == 'l' || compared == 'g';
  int64_t bound = 0;
  if (type == SQLITE_NULL) {
    nothing(condition);
    return true;
  }
  if (type == SQLITE_INTEGER) {
    bound = sqlite3_value_int64(value);
    if (!with_it && bound == (is_low ? INT64_MAX : INT64_MIN)) {
      nothing(condition);
      return true;
    }
    if (!with_it) bound += is_low ? 1 : -1;
  } else if (type == SQLITE_FLOAT) {
    const double real = sqlite3_value_double(value);
    const double whole = is_low ? (with_it ? std::ceil(real) : std::floor(real) + 1)
                                : (with_it ? std::floor(real) : std::ceil(real) - 1);
    if (whole >= too_large || whole < -too_large) {
      if ((whole > 0) == is_low) nothing(condition);
      return true;
    }
    bound = static_cast<int64_t>(whole);
  } else {
    return false;
  }
  if (is_low)
    condition.low = bound;
  else
    condition.high = bound;
  return true;
}

int filter(sqlite3_vtab_cursor* cursor, int descending, const char* plan, int count,
           sqlite3_value** values) {
  const QueryTable& table = binding_of(cursor->pVtab).table;
  std::vector<QueryCondition> conditions;
  for (int i = 0; i < count; i++) {
    const char compared = plan[2 * i];
    const int column = plan[2 * i + 1] - first_column;
    const QueryColumn* const known =
        column < 0 ? nullptr : &table.columns[static_cast<size_t>(column)];
    QueryCondition condition{.column = column};
    const bool is_read = compared == '='   ? add_equal(condition, known, values[i])
                         : compared == 'i' ? add_in(condition, known, values[i])
                                           : add_bound(condition, compared, values[i]);
    if (!is_read) continue;
    // Merges time > 5 AND time < 9 into one condition.
    const auto same = std::find_if(conditions.begin(), conditions.end(), [&](const auto& c) {
      return c.column == column && !c.one_of && !condition.one_of;
    });
    if (same == conditions.end()) {
      conditions.push_back(std::move(condition));
    } else {
      same->low = std::max(same->low, condition.low);
      same->high = std::min(same->high, condition.high);
    }
  }
  rows_of(cursor).begin(std::move(conditions), descending != 0);
  return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* cursor) {
  rows_of(cursor).next();
  return SQLITE_OK;
}

int at_end(sqlite3_vtab_cursor* cursor) { return rows_of(cursor).at_end(); }

void give_text(sqlite3_context* context, std::string_view text, sqlite3_destructor_type keeps) {
  sqlite3_result_text64(context, text.data(), text.size(), keeps, SQLITE_UTF8);
}

int give_column(sqlite3_vtab_cursor* cursor, sqlite3_context* context, int index) {
  const TableBinding& binding = binding_of(cursor->pVtab);
  const QueryColumn& column = binding.table.columns[static_cast<size_t>(index)];
  const size_t row = rows_of(cursor).row();
  if (column.number) {
    const std::optional<int64_t> number = column.number(binding.source, row);
    if (!number) return SQLITE_OK;  // NULL
    if (column.names.empty())
      sqlite3_result_int64(context, *number);
    else if (static_cast<uint64_t>(*number) < column.names.size())
      give_text(context, column.names[static_cast<size_t>(*number)], SQLITE_STATIC);
  } else if (column.text) {
    const std::string_view text = column.text(binding.source, row);
    if (text.data()) give_text(context, text, SQLITE_STATIC);
  } else {
    const std::string text = column.made(binding.source, row);
    if (!text.empty()) give_text(context, text, SQLITE_TRANSIENT);
  }
  return SQLITE_OK;
}

int row_id(sqlite3_vtab_cursor* cursor, sqlite3_int64* id) {
  *id = static_cast<sqlite3_int64>(rows_of(cursor).row());
  return SQLITE_OK;
}

// Without xCreate a table needs no CREATE, without xUpdate it is read-only.
constexpr sqlite3_module functions = [] {
  sqlite3_module module{};
  module.iVersion = 0;
  module.xConnect = connect;
  module.xBestIndex = best_index;
  module.xDisconnect = disconnect;
  module.xOpen = open;
  module.xClose = close;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = at_end;
  module.xColumn = give_column;
  module.xRowid = row_id;
  return module;
}();

}  // namespace

double QueryProgress::share() const { return open.empty() ? 0 : open.front()->share(); }

int add_virtual_table(sqlite3* database, const QueryTable& table, const QuerySource& source,
                      QueryProgress& progress) {
  return sqlite3_create_module_v2(
      database, std::string(table.name).c_str(), &functions,
      new TableBinding{.table = table, .source = source, .progress = progress},
      [](void* binding) { delete static_cast<TableBinding*>(binding); });
}

}  // namespace skein
