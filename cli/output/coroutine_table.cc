#include "cli/output/coroutine_table.h"

#ifdef SKEIN_HAS_SQLITE
#include <sqlite3.h>

#include <array>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/output/awaited_text.h"
#include "cli/output/coroutine_chain.h"

namespace skein::cli {

namespace {

struct CoroutineColumn {
  std::string_view name;
  std::string_view type;
  std::string_view about;
};

constexpr std::array coroutine_columns{
    CoroutineColumn{"id", "INTEGER", "as in task.id; NULL: it has ended"},
    CoroutineColumn{"frame", "INTEGER", "address of its frame"},
    CoroutineColumn{"function", "TEXT", "its function, without parameters"},
    CoroutineColumn{"full_name", "TEXT", "its function"},
    CoroutineColumn{"module", "TEXT", "the file that its code is in"},
    CoroutineColumn{"state", "TEXT", "not started, waits, runs, has ended; NULL: waits, or runs"},
    CoroutineColumn{"certain", "INTEGER", "0: its memory may be freed"},
    CoroutineColumn{"thread", "INTEGER", "id of the thread that runs it"},
    CoroutineColumn{"file", "TEXT", "where it waits"},
    CoroutineColumn{"line", "INTEGER", "where it waits"},
    CoroutineColumn{"awaits", "INTEGER", "id of the coroutine or operation that it waits for"},
    CoroutineColumn{"awaiter", "TEXT", "type of what it awaits"},
    CoroutineColumn{"operation", "TEXT", "of Asio, that it waits for: async_wait"},
    CoroutineColumn{"object", "TEXT", "timer, socket, descriptor, signal set, resolver, channel"},
    CoroutineColumn{"object_address", "INTEGER", "address of that object"},
    CoroutineColumn{"never_expires", "INTEGER", "1: the timer never expires"},
    CoroutineColumn{"left_ns", "INTEGER", "ns until the timer expires, negative: it has"},
    CoroutineColumn{"descriptor", "INTEGER", "of the socket"},
    CoroutineColumn{"peer", "TEXT", "of the socket"},
    CoroutineColumn{"unread", "INTEGER", "bytes that have arrived at the socket"},
    CoroutineColumn{"chain", "INTEGER", "number of its group of similar chains"},
    CoroutineColumn{"verdict", "TEXT", "of this group: deadlock, never expires, usual ..."},
};

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

void check(int result, int expected = SQLITE_OK) {
  if (result != expected) throw std::bad_alloc();  // the only possible failure
}

class CoroutineRow {
 public:
  explicit CoroutineRow(sqlite3_stmt* statement) : statement_(statement) {}

  void number(std::optional<int64_t> value) {
    at_++;
    check(value ? sqlite3_bind_int64(statement_, at_, *value) : sqlite3_bind_null(statement_, at_));
  }
  void text(std::string_view value) {  // empty: NULL
    at_++;
    check(value.empty() ? sqlite3_bind_null(statement_, at_)
                        : sqlite3_bind_text(statement_, at_, value.data(),
                                            static_cast<int>(value.size()), SQLITE_TRANSIENT));
  }
  void insert() {
    check(sqlite3_step(statement_), SQLITE_DONE);
    check(sqlite3_reset(statement_));
    at_ = 0;
  }

 private:
  sqlite3_stmt* statement_;
  int at_ = 0;
};

std::optional<int64_t> known(uint64_t value) {
  if (value == 0) return {};
  return static_cast<int64_t>(value);
}

void add_object(const Unprepared& of, const SuspendedCoroutine& one, CoroutineRow& row) {
  const AsioObject* object =
      one.object == SuspendedCoroutine::none ? nullptr : &of.found.objects[one.object];
  const bool is_timer = object != nullptr && object->kind == AsioObject::Kind::Timer;
  const SocketState* socket = object == nullptr ? nullptr : socket_of(*object, of.around);
  row.text(object == nullptr ? "" : std::string(name(object->kind)));
  row.number(object == nullptr ? std::nullopt : known(object->address));
  row.number(is_timer ? std::optional<int64_t>(never_expires(*object)) : std::nullopt);
  row.number(is_timer ? left_of(*object, of.around) : std::nullopt);
  row.number(object == nullptr || object->descriptor < 0
                 ? std::nullopt
                 : std::optional<int64_t>(object->descriptor));
  row.text(socket == nullptr ? "" : socket->peer);
  row.number(socket == nullptr ? std::nullopt
                               : std::optional<int64_t>(static_cast<int64_t>(socket->unread)));
}

}  // namespace

std::string coroutine_schema() {
  std::string text = "CREATE TABLE " + std::string(coroutine_table_name) + "(  -- " +
                     std::string(coroutine_table_about);
  for (const CoroutineColumn& column : coroutine_columns) {
    std::string line = "  " + std::string(column.name) + ' ' + std::string(column.type);
    if (&column != &coroutine_columns.back()) line += ',';
    line.resize(std::max<size_t>(line.size(), 28), ' ');
    text += '\n' + line + " -- " + std::string(column.about);
  }
  return text + "\n);\n";
}

void add_coroutine_table(sqlite3* database, const MemoryTrace& memory) {
  const Unprepared& of = memory.of;
  const std::vector<SuspendedCoroutine>& all = of.found.coroutines;
  const std::vector<JudgedChain>& chains = memory.chains;
  std::vector<uint32_t> chain_of(all.size(), SuspendedCoroutine::none);
  for (uint32_t i = 0; i < chains.size(); i++)
    for (const uint32_t member : chains[i].chain.members) chain_of[member] = i;

  check(sqlite3_exec(database, coroutine_schema().c_str(), nullptr, nullptr, nullptr));
  std::string insert = "INSERT INTO " + std::string(coroutine_table_name) + " VALUES(?";
  for (size_t i = 1; i < coroutine_columns.size(); i++) insert += ",?";
  insert += ')';
  sqlite3_stmt* prepared = nullptr;
  check(sqlite3_prepare_v2(database, insert.c_str(), -1, &prepared, nullptr));
  const std::unique_ptr<sqlite3_stmt, Finalize> statement(prepared);
  CoroutineRow row(statement.get());
  check(sqlite3_exec(database, "BEGIN", nullptr, nullptr, nullptr));
  const auto id = [&](uint32_t i) {
    return i == SuspendedCoroutine::none || memory.tasks[i] == no_task
               ? std::nullopt
               : std::optional<int64_t>(static_cast<int64_t>(memory.tasks[i]));
  };
  // Asio's own are no rows: the coroutine that waits for an operation has its columns.
  std::vector<bool> is_awaited(all.size());
  for (const SuspendedCoroutine& one : all)
    if (one.awaits != SuspendedCoroutine::none) is_awaited[one.awaits] = true;
  for (uint32_t i = 0; i < all.size(); i++) {
    const SuspendedCoroutine& one = all[i];
    const SuspendedCoroutines::Function& function = of.found.functions[one.function];
    const SuspendedCoroutines::Place& place = of.found.places[one.place];
    if (function.is_internal || (!function.operation.empty() && is_awaited[i])) continue;
    const SuspendedCoroutine& last =
        one.object == SuspendedCoroutine::none && one.awaits != SuspendedCoroutine::none &&
                !of.found.functions[all[one.awaits].function].operation.empty()
            ? all[one.awaits]
            : one;
    row.number(id(i));
    row.number(static_cast<int64_t>(one.frame));
    row.text(function.name);
    row.text(function.full_name);
    row.text(function.module);
    row.text(one.state == SuspendedCoroutine::State::Unknown ? "" : state_name(one.state));
    row.number(one.is_certain);
    row.number(known(one.thread));
    row.text(place.file);
    row.number(known(place.line));
    row.number(id(one.awaits));
    row.text(place.awaiter);
    row.text(of.found.functions[last.function].operation);
    add_object(of, last, row);
    const bool is_judged = chain_of[i] != SuspendedCoroutine::none;
    row.number(is_judged ? std::optional<int64_t>(chain_of[i]) : std::nullopt);
    row.text(is_judged ? name(chains[chain_of[i]].verdict) : "");
    row.insert();
  }
  check(sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr));
}

}  // namespace skein::cli

#endif
