#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "trace/ask/random_events_trace.h"
#include "trace/ask/random_program.h"
#include "trace/model/example.h"
#include "trace/model/names.h"
#include "trace/query/database.h"

using namespace skein;

namespace {

using Row = std::vector<std::string>;
using Rows = std::vector<Row>;

// Returns the rows; an error is one row with one text.
Rows ask(const QueryDatabase& database, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const auto error = [&] {
    return Rows{{std::string("error: ") + sqlite3_errmsg(database.handle())}};
  };
  if (sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
    return error();
  Rows rows;
  int result = 0;
  while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
    Row row;
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
      const auto size = static_cast<size_t>(sqlite3_column_bytes(statement, i));
      row.push_back(text ? std::string(text, size) : "NULL");
    }
    rows.push_back(row);
  }
  if (result != SQLITE_DONE) rows = error();
  sqlite3_finalize(statement);
  return rows;
}

std::string one(const QueryDatabase& database, const std::string& sql) {
  const Rows rows = ask(database, sql);
  if (rows.size() != 1 || rows[0].size() != 1) return std::to_string(rows.size()) + " rows";
  return rows[0][0];
}

template <typename Number>
std::string text_of(Number number) {
  return std::to_string(number);
}

// These tests build their rows independently of the tables.
std::string id_text(TaskId id) { return id == no_task ? "NULL" : std::to_string(id); }
std::string id_text(const Model& model, TaskIndex task) {
  return task == no_index ? "NULL" : id_text(model.tasks[task].id);
}

const std::vector<std::string> ordered_tables{
    "event time_ns", "wait start_ns",   "interaction time_ns", "activation start_ns",
    "label time_ns", "counter time_ns", "sample time_ns"};

// In `asked`, `number` is the row number. A subquery with a limit hides the conditions from the
// table, so that SQLite must scan it.
std::string quickly(const std::string& table, std::string asked) {
  for (size_t at = 0; (at = asked.find("number", at)) != std::string::npos;)
    asked.replace(at, 6, "rowid");
  return "SELECT rowid FROM " + table + asked;
}
std::string by_scan(const std::string& table, const std::string& asked) {
  return "SELECT number FROM (SELECT rowid AS number, * FROM " + table + " LIMIT -1)" + asked;
}

// Correct and faulty programs, and random events.
template <typename Act>
void for_traces(uint32_t count, const Act& act) {
  for (uint32_t seed = 0; seed < count; seed++) {
    CAPTURE(seed);
    act(RandomProgram(seed, static_cast<RandomProgram::Fault>(seed % 7)).trace, seed);
    act(random_events_trace(seed), seed);
  }
}

}  // namespace

TEST_CASE("events equal those of the trace") {
  for_traces(8, [](const Trace& trace, uint32_t) {
    const QueryDatabase database(trace);
    const Rows rows =
        ask(database, "SELECT id, time_ns, kind, task, other, executor, text FROM event");
    REQUIRE(rows.size() == trace.events.size());
    uint64_t sum = 0;
    for (size_t i = 0; i < rows.size(); i++) {
      const EventRow event = trace.events.row(i);
      sum += event.time;
      const std::string_view text = trace.strings[event.text];
      REQUIRE(rows[i] == Row{text_of(i), text_of(event.time), std::string(name(event.kind)),
                             id_text(event.task), id_text(event.other),
                             "executor " + text_of(event.executor),
                             text.empty() ? "NULL" : std::string(text)});
    }
    CHECK(one(database, "SELECT count(*) FROM event") == text_of(rows.size()));
    CHECK(one(database, "SELECT sum(time_ns) FROM event") == text_of(sum));
  });
}

TEST_CASE("tasks, interactions, activations, labels and counters equal those of the model") {
  for_traces(8, [](const Trace& trace, uint32_t) {
    const QueryDatabase database(trace);
    const Model model = build_model(trace, {.simplify = false});
    const Waits waits = find_waits(trace, model);
    Rows rows =
        ask(database, "SELECT id, name, start_ns, end_ns, parent, state = 'live', line FROM task");
    REQUIRE(rows.size() == model.tasks.size());
    for (size_t i = 0; i < rows.size(); i++) {
      const Model::Task& task = model.tasks[i];
      const bool open = task.how == Model::End::Open;
      const std::string title = task_name(trace, task);
      REQUIRE(rows[i] == Row{id_text(task.id), title.empty() ? "NULL" : title, text_of(task.start),
                             open ? "NULL" : text_of(task.end), id_text(model, task.parent),
                             text_of(int{open}), task.location ? "1" : "NULL"});
    }
    rows = ask(database, "SELECT time_ns, source, target, source_time_ns FROM interaction");
    REQUIRE(rows.size() == model.interactions.size());
    for (size_t i = 0; i < rows.size(); i++) {
      const Model::Interaction& arrow = model.interactions[i];
      REQUIRE(rows[i] == Row{text_of(arrow.to_time), id_text(model, arrow.from),
                             id_text(model, arrow.to), text_of(uint64_t{arrow.from_time})});
    }
    rows = ask(database, "SELECT task, start_ns, end_ns, duration_ns FROM activation");
    REQUIRE(rows.size() == model.activations.size());
    for (size_t i = 0; i < rows.size(); i++) {
      const Model::Activation& a = model.activations[i];
      REQUIRE(rows[i] == Row{id_text(model, a.task), text_of(a.start), text_of(a.end),
                             text_of(a.end - a.start)});
    }
    rows = ask(database, "SELECT task, target, start_ns, end_ns FROM wait");
    REQUIRE(rows.size() == waits.waits.size());
    for (size_t i = 0; i < rows.size(); i++) {
      const Waits::Wait& wait = waits.waits[i];
      REQUIRE(rows[i] == Row{id_text(model, wait.task), id_text(model, wait.on),
                             text_of(wait.begin), wait.is_open() ? "NULL" : text_of(wait.end)});
    }
    rows = ask(database, "SELECT time_ns, task, text FROM label");
    REQUIRE(rows.size() == model.labels.size());
    for (size_t i = 0; i < rows.size(); i++)
      REQUIRE(rows[i] == Row{text_of(model.labels[i].time), id_text(model, model.labels[i].task),
                             std::string(trace.strings[model.labels[i].text])});
    rows = ask(database, "SELECT name, time_ns, value FROM counter");
    size_t row = 0;
    for (const Model::Counter& counter : model.counters)
      for (const Model::Counter::Point& point : counter.points) {
        REQUIRE(row < rows.size());
        REQUIRE(rows[row++] == Row{std::string(trace.strings[counter.name]), text_of(point.time),
                                   text_of(point.value)});
      }
    CHECK(row == rows.size());
  });
}

TEST_CASE("every WHERE and ORDER BY gives the result of a scan") {
  for_traces(8, [](const Trace& trace, uint32_t seed) {
    const QueryDatabase database(trace);
    std::mt19937 random(seed);
    const uint64_t end = trace.events.time[trace.events.size() - 1];
    const auto some_time = [&]() -> std::string {
      switch (random() % 12) {
        case 0:
          return "-1";
        case 1:
          return "9223372036854775807";
        case 2:
          return "1e300";
        case 3:
          return "NULL";
        case 4:
          return "'" + text_of(random() % (end + 1)) + "'";
        case 5:
          return text_of(random() % (end + 1)) + ".5";
        case 6:
          return "-9223372036854775808";
        case 7:
          return "'x'";
        default:
          return text_of(trace.events.time[random() % trace.events.size()]);
      }
    };
    const auto some_id = [&] { return random() % 9 ? text_of(random() % 40) : some_time(); };
    const auto some_of = [&](std::initializer_list<const char*> texts) {
      return std::string(texts.begin()[random() % texts.size()]);
    };
    for (int i = 0; i < 60; i++) {
      const std::string& table_column = ordered_tables[random() % ordered_tables.size()];
      const std::string table = table_column.substr(0, table_column.find(' '));
      const std::string time = table_column.substr(table_column.find(' ') + 1);
      std::vector<std::pair<std::string, std::string>> terms;  // a column and its condition
      const size_t count = 1 + random() % 3;
      const auto compared = [&] {
        return some_of({" = ", " < ", " <= ", " > ", " >= ", " IS ", " <> "});
      };
      for (size_t t = 0; t < count; t++) switch (random() % 6) {
          case 0:
          case 1:
            terms.emplace_back(time, compared() + some_time());
            break;
          case 2:
            terms.emplace_back(time, " BETWEEN " + some_time() + " AND " + some_time());
            break;
          case 3:
            terms.emplace_back("number", compared() + some_id());
            break;
          case 4:
            terms.emplace_back(random() % 2 ? time : "number",
                               " IN (" + some_time() + ", " + some_id() + ", " + some_time() + ")");
            break;
          case 5:
            if (table == "event")
              terms.emplace_back(some_of({"task", "other", "value", "id"}), compared() + some_id());
            if (table == "event" || table == "interaction")
              terms.emplace_back("kind", some_of({" = 'notify'", " = 'NOTIFY' COLLATE NOCASE",
                                                  " IN ('notify', 'create', 'read')", " > 'd'",
                                                  " = 5", " = NULL", " IN ('nothing')"}));
            break;
        }
      std::string asked = " WHERE 1";
      for (const auto& [column, is] : terms) asked += " AND " + column + is;
      const auto way = [&] { return some_of({" ASC", " DESC", " DESC", ""}); };
      const std::string first = some_of({"number", "", table == "event" ? "kind" : ""});
      asked += " ORDER BY " + (first.empty() ? time : first) + way();
      if (first != "number") asked += ", number" + way();
      const std::string quick = quickly(table, asked);
      const std::string slow = by_scan(table, asked);
      CAPTURE(quick);
      REQUIRE(ask(database, quick) == ask(database, slow));
    }
  });
}

TEST_CASE("a task is found by its id, even if two tasks share it") {
  for_traces(8, [](const Trace& trace, uint32_t) {
    const QueryDatabase database(trace);
    for (const std::string ids : {"3", "7, 3, 1, 3", "-1", "999999", "NULL", "'2'", "5.0"}) {
      const std::string asked = " WHERE id IN (" + ids + ") ORDER BY number";
      CHECK(ask(database, quickly("task", asked)) == ask(database, by_scan("task", asked)));
    }
    const std::string join = "SELECT count(*), sum(t.start_ns) FROM event e JOIN task t ON ";
    CHECK(ask(database, join + "t.id = e.task") == ask(database, join + "+t.id = +e.task"));
  });
  const Example e =
      ours("0 create 1 as timer a\n 1 resolve 1\n 2 create 1 as timer b\n 3 create 2\n");
  CHECK(one(QueryDatabase(e.trace), "SELECT count(*) FROM task WHERE id = 1") ==
        text_of(std::count_if(e.model.tasks.begin(), e.model.tasks.end(),
                              [](const Model::Task& task) { return task.id == 1; })));
}

TEST_CASE("time is an index; ORDER BY time needs no sort") {
  const RandomProgram program(1, RandomProgram::Fault::None);
  const QueryDatabase database(program.trace);
  const auto plan = [&](const std::string& sql) {
    std::string text;
    for (const Row& row : ask(database, "EXPLAIN QUERY PLAN " + sql)) text += row[3] + '\n';
    return text;
  };
  CHECK(plan("SELECT * FROM event WHERE time_ns > 5 AND time_ns < 9 ORDER BY time_ns") ==
        "SCAN event VIRTUAL TABLE INDEX 0:>B<B\n");
  CHECK(plan("SELECT * FROM event ORDER BY time_ns DESC, id DESC LIMIT 3") ==
        "SCAN event VIRTUAL TABLE INDEX 1:\n");
  CHECK(plan("SELECT * FROM event WHERE kind IN ('notify', 'create') AND task = 5") ==
        "SCAN event VIRTUAL TABLE INDEX 0:iD=E\n");
  CHECK(plan("SELECT * FROM event e JOIN task t ON t.id = e.task WHERE e.kind = 'notify'") ==
        "SCAN e VIRTUAL TABLE INDEX 0:=D\nSCAN t VIRTUAL TABLE INDEX 0:=A\n");
  CHECK(plan("SELECT min(time_ns) FROM event") == "SEARCH event VIRTUAL TABLE INDEX 0:\n");
  CHECK(plan("SELECT max(time_ns) FROM event") == "SEARCH event VIRTUAL TABLE INDEX 1:\n");
  CHECK(plan("SELECT * FROM counter ORDER BY time_ns").find("TEMP B-TREE") != std::string::npos);
}

TEST_CASE("times beyond SQL's integers keep their order") {
  Trace trace;
  for (const uint64_t time :
       {uint64_t{1}, uint64_t{INT64_MAX}, uint64_t{INT64_MAX} + 1, UINT64_MAX})
    trace.events.append({.time = time, .task = UINT64_MAX - 1, .kind = EventKind::Label});
  const QueryDatabase database(trace);
  CHECK(one(database, "SELECT count(*) FROM event WHERE time_ns > 1") == "3");
  CHECK(one(database, "SELECT count(*) FROM event WHERE time_ns = 9223372036854775807") == "3");
  CHECK(one(database, "SELECT count(*) FROM event WHERE time_ns > 9223372036854775807") == "0");
  CHECK(one(database, "SELECT count(*) FROM event WHERE task = -2") == "4");
}

TEST_CASE("an empty trace has empty tables") {
  const Trace trace;
  const QueryDatabase database(trace);
  for (const QueryTable* table : query_tables()) {
    const bool is_identity = table->name == "process" || table->name == "machine";
    CHECK(one(database, "SELECT count(*) FROM " + std::string(table->name)) ==
          (is_identity ? "1" : "0"));
  }
}

TEST_CASE("samples and losses") {
  Trace trace;
  trace.executors.push_back({.name = trace.strings.intern("main"), .tid = 7});
  for (uint64_t i = 0; i < 1500; i++)
    trace.events.append({.time = i,
                         .task = i % 2 ? no_task : TaskId{4},
                         .value = i,
                         .kind = i % 3 ? EventKind::Wake : EventKind::Sample});
  trace.losses.push_back({.what = "dropped", .file = "s/0", .offset = 9, .events = 4});
  const QueryDatabase database(trace);
  CHECK(ask(database, "SELECT * FROM sample WHERE time_ns >= 1497") ==
        Rows{{"1497", "NULL", "NULL", "main/7", "0", "1497"}});
  CHECK(one(database, "SELECT count(*) FROM sample") == "500");
  CHECK(ask(database, "SELECT * FROM lost") == Rows{{"dropped", "s/0", "9", "NULL", "NULL", "4"}});
}

TEST_CASE("executors, their processes and machines") {
  Trace trace;
  trace.machines = {{.name = "here", .boot_id = "b"}, {}};
  trace.processes = {{.pid = 7, .name = "server"}, {.name = "db", .machine = 1}};
  trace.executors = {Executor{.name = trace.strings.intern("main"), .tid = 7},
                     Executor{.name = trace.strings.intern("main"), .tid = 7, .process = 1},
                     Executor{.process = no_process}};
  for (uint32_t i = 0; i < 3; i++) trace.events.append({.executor = i, .kind = EventKind::Wake});
  const QueryDatabase database(trace);
  CHECK(ask(database, "SELECT * FROM executor") == Rows{{"0", "main/7", "7", "0"},
                                                        {"1", "main/7", "7", "1"},
                                                        {"2", "executor 2", "NULL", "NULL"}});
  CHECK(ask(database, "SELECT * FROM process") ==
        Rows{{"0", "7", "server", "0"}, {"1", "NULL", "db", "1"}});
  CHECK(ask(database, "SELECT * FROM machine") == Rows{{"0", "here", "b"}, {"1", "NULL", "NULL"}});
  CHECK(ask(database,
            "SELECT event.id, process.name FROM event JOIN executor ON executor.id = executor_id "
            "JOIN process ON process.id = executor.process WHERE pid IS NULL") ==
        Rows{{"1", "db"}});
}

TEST_CASE("texts are returned unchanged") {
  Trace trace;
  const std::string_view strange("a\0b'\"\n\xff\x1b[31m", 12);
  trace.events.append({.task = 1, .text = trace.strings.intern(strange), .kind = EventKind::Label});
  const QueryDatabase database(trace);
  CHECK(one(database, "SELECT text FROM label") == strange);
  CHECK(one(database, "SELECT hex(text) FROM event") ==
        "6100622722"
        "0AFF1B5B33316D");
  CHECK(one(database, "SELECT title(1)") == std::string(strange) + " (#1)");
}

TEST_CASE("dates") {
  Trace trace;
  trace.events.append({.time = 1'500'000'000, .kind = EventKind::Wake});
  CHECK(one(QueryDatabase(trace), "SELECT utc FROM event") == "NULL");
  CHECK(one(QueryDatabase(trace), "SELECT time_of('2023-11-14')").starts_with("error: time_of"));
  trace.info.start = 1000;
  trace.info.utc_offset = 1'700'000'000'000'000'000 - 1000;
  const QueryDatabase database(trace);
  CHECK(one(database, "SELECT utc FROM event") == "2023-11-14T22:13:21.500000000Z");
  CHECK(one(database, "SELECT utc(-1)") == "2023-11-14T22:13:19.999999999Z");
  CHECK(one(database, "SELECT time_of(utc) FROM event") == "1500000000");
  CHECK(one(database, "SELECT time_of('2023-11-14 22:13:20')") == "0");
  CHECK(one(database, "SELECT time_of('2023-11-14 22:13:20.000001')") == "1000");
  CHECK(one(database, "SELECT time_of('2023-11-14 22:14')") == "40000000000");
  CHECK(one(database, "SELECT id FROM event WHERE time_ns > time_of('2023-11-14T22:13:21Z')") ==
        "0");
  for (const char* wrong : {"", "now", "2023-11-14", "2023-11-14 25:00", "2023-11-14 22:13:20.",
                            "2023-11-14 22:13:20 CET", "2023-13-14 22:13"})
    CHECK(one(database, "SELECT time_of('" + std::string(wrong) + "')")
              .starts_with("error: time_of"));
}

TEST_CASE("percentiles by nearest rank") {
  const Trace trace;
  const QueryDatabase database(trace);
  const std::string numbers =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100) ";
  CHECK(one(database, numbers + "SELECT percentile(i, 50) FROM n") == "50");
  CHECK(one(database, numbers + "SELECT percentile(i, 99.5) FROM n") == "100");
  CHECK(one(database, numbers + "SELECT percentile(i, 0) FROM n") == "1");
  CHECK(one(database, numbers + "SELECT percentile(i / 8.0, 1) FROM n") == "0.125");
  CHECK(one(database, "SELECT percentile(NULL, 50)") == "NULL");
  CHECK(one(database, "SELECT percentile(id, 50) FROM event") == "NULL");
  CHECK(one(database, "SELECT percentile(1, 101)").starts_with("error: percentile"));
}

TEST_CASE("statements cannot write, nor access files") {
  const Trace trace = RandomProgram(1, RandomProgram::Fault::None).trace;
  const QueryDatabase database(trace);
  for (const char* sql :
       {"ATTACH '/tmp/x' AS x", "CREATE TABLE t(a)", "CREATE TEMP TABLE t(a)", "DELETE FROM event",
        "INSERT INTO event(time_ns) VALUES (1)", "UPDATE event SET time_ns = 1", "DROP TABLE event",
        "PRAGMA journal_mode = WAL", "PRAGMA temp_store_directory = '/'",
        "PRAGMA writable_schema = 1", "SELECT load_extension('x')", "VACUUM INTO '/tmp/x'", "BEGIN",
        "DETACH main", "CREATE VIRTUAL TABLE v USING fts5(a)"}) {
    CAPTURE(sql);
    CHECK(one(database, sql).starts_with("error: "));
  }
  CHECK(ask(database, "PRAGMA table_info(event)").size() == event_table().columns.size());
}

TEST_CASE("progress is that of the outermost loop") {
  Trace trace;
  for (uint64_t i = 0; i < 1000; i++) trace.events.append({.time = i, .kind = EventKind::Wake});
  const QueryDatabase database(trace);
  CHECK(database.progress().share() == 0);
  sqlite3_stmt* statement = nullptr;
  const std::string sql = "SELECT a.id FROM event a CROSS JOIN event b WHERE b.id = a.id";
  REQUIRE(sqlite3_prepare_v2(database.handle(), sql.c_str(), -1, &statement, nullptr) == SQLITE_OK);
  for (int i = 0; i <= 250; i++) REQUIRE(sqlite3_step(statement) == SQLITE_ROW);
  CHECK(database.progress().share() == 0.25);
  sqlite3_finalize(statement);
  CHECK(database.progress().open.empty());
}
