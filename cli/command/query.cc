// `skein query`: runs SQL over a trace, from the command line, standard input or a prompt.
#include <unistd.h>

#include <string>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/die.h"

#ifdef SKEIN_HAS_SQLITE
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>

#include "base/duration.h"
#include "base/escape.h"
#include "cli/input/memory_trace.h"
#include "cli/input/prompt.h"
#include "cli/input/running.h"
#include "cli/input/trace_input.h"
#include "cli/output/coroutine_table.h"
#include "cli/output/print.h"
#include "cli/output/progress.h"
#include "cli/output/query_cells.h"
#include "report/query.h"
#include "trace/query/database.h"
#endif

namespace skein::cli {

namespace {

#ifdef SKEIN_HAS_SQLITE

constexpr std::string_view help =
    ".tables         List the tables\n"
    ".schema [NAME]  List the columns of the tables, with units\n"
    ".help           Show this help\n"
    ".quit           Exit, like Ctrl-D\n"
    "Other input is SQL, up to a semicolon. Times are in ns since the trace began.\n"
    "  title(id)         name of a task: query (#7)\n"
    "  duration(ns)      a duration with its unit: '1.25 ms'\n"
    "  ns('20ms')        a duration in ns: 20000000\n"
    "  utc(time)         a time as a date; time_of(utc) is the inverse\n"
    "  percentile(x, p)  an aggregate; p is 0 to 100\n"
    "Ctrl-C stops a statement.\n";

volatile std::sig_atomic_t interrupted = 0;

// Makes Ctrl-C interrupt the current statement, not the program. Used only with a prompt.
void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = 1; };
  sigaction(SIGINT, &action, nullptr);
}

using Values = sqlite3_value**;

void duration(sqlite3_context* context, int, Values values) {
  if (sqlite3_value_type(values[0]) == SQLITE_NULL) return;
  const std::string text = duration_text(sqlite3_value_double(values[0]));
  sqlite3_result_text(context, text.c_str(), -1, SQLITE_TRANSIENT);
}

void ns(sqlite3_context* context, int, Values values) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(values[0]));
  if (!text) return;
  if (const std::optional<double> time = parse_duration(text))
    sqlite3_result_int64(context, static_cast<sqlite3_int64>(std::clamp(*time, -9e18, 9e18)));
  else
    sqlite3_result_error(context, "ns: invalid duration (examples: 1.5s, 20ms, 300us, 7ns)", -1);
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\f;") == std::string_view::npos;
}

class Session {
 public:
  // `memory`: of a process or core without a recorder, otherwise null.
  Session(const Trace& trace, const MemoryTrace* memory, QueryFormat format, bool is_prompt)
      : has_coroutines_(memory != nullptr),
        database_(trace, [memory](sqlite3* database) { add_coroutines(database, memory); }),
        format_(format),
        is_prompt_(is_prompt),
        out_(stdout, format == QueryFormat::Text ? Output::Content::Text : Output::Content::Data) {
    constexpr int kind = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
    const auto add = [&](const char* name, void (*function)(sqlite3_context*, int, Values)) {
      sqlite3_create_function_v2(handle(), name, 1, kind, nullptr, function, nullptr, nullptr,
                                 nullptr);
    };
    add("duration", duration);
    add("ns", ns);
    constexpr int often = 20'000;  // some milliseconds
    sqlite3_progress_handler(
        handle(), often, [](void* self) { return static_cast<Session*>(self)->watch(); }, this);
  }

  // Runs a command, or one or more SQL statements. Returns false after reporting an error. `line`
  // is the number of the first line of `text`, or 0 to omit line numbers from errors.
  bool run(const std::string& text, size_t line) {
    if (text.starts_with('.')) return command(text);
    for (const char* at = text.c_str(); *at;) {
      sqlite3_stmt* prepared = nullptr;
      const char* tail = nullptr;
      const int result = sqlite3_prepare_v2(handle(), at, -1, &prepared, &tail);
      const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(prepared,
                                                                            sqlite3_finalize);
      if (result != SQLITE_OK) return failed(result, text, at, line);
      if (!prepared) break;  // a comment
      if (const int end = rows(prepared); end != SQLITE_DONE) return failed(end, text, at, line);
      at = tail;
    }
    return true;
  }

  bool quit() const { return quit_; }
  void finish() { out_.finish(); }

 private:
  using Clock = std::chrono::steady_clock;

  sqlite3* handle() const { return database_.handle(); }

  static void add_coroutines([[maybe_unused]] sqlite3* database,
                             [[maybe_unused]] const MemoryTrace* memory) {
#ifdef SKEIN_HAS_SYMBOLS
    if (memory != nullptr) add_coroutine_table(database, *memory);
#endif
  }
  static std::string schema_of_coroutines() {
#ifdef SKEIN_HAS_SYMBOLS
    return coroutine_schema();
#else
    return {};
#endif
  }

  int watch() {
    spinner_.reset();
    if (bar_) {
      constexpr double parts = 1e6;
      bar_->show(static_cast<uint64_t>(database_.progress().share() * parts),
                 static_cast<uint64_t>(parts), Clock::now());
    }
    return interrupted;
  }

  int rows(sqlite3_stmt* statement) {
    const auto begin = Clock::now();
    QueryOutput output(out_.text(), format_);
    const std::vector<std::string_view> columns = query_columns(statement);
    std::vector<QueryCell> cells(columns.size());
    if (!columns.empty()) output.begin(columns);
    bar_.emplace(stderr, isatty(STDERR_FILENO), begin, "searching");
    spinner_.emplace(stderr, isatty(STDERR_FILENO), "building the wait-for graph");
    int result = sqlite3_step(statement);
    while (result == SQLITE_ROW) {
      spinner_.reset();
      bar_.reset();
      for (size_t i = 0; i < cells.size(); i++)
        cells[i] = query_cell(statement, static_cast<int>(i));
      output.row(cells);
      out_.line_done();
      result = sqlite3_step(statement);
    }
    spinner_.reset();
    bar_.reset();
    if (!columns.empty()) output.end();
    if (is_prompt_) {
      const double ns = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
      out_.text() += "(" + grouped(output.rows()) +
                     (output.rows() == 1 ? " row in " : " rows in ") + duration_text(ns) + ")\n";
    }
    out_.finish();
    return result;
  }

  // Reports the error in the statement that begins at `statement`, and its position. Returns false.
  bool failed(int result, const std::string& text, const char* statement, size_t line) {
    out_.finish();
    if (result == SQLITE_INTERRUPT) {
      std::fputs("skein: interrupted\n", stderr);
      return false;
    }
    std::string message = sqlite3_errmsg(handle());
    const int offset = sqlite3_error_offset(handle());
    if (result == SQLITE_AUTH)
      message = "traces are read-only; only SELECT, WITH and EXPLAIN are allowed";
    if (message.starts_with("no such table") || message.starts_with("no such column"))
      message += " (.schema lists them)";
    std::replace(message.begin(), message.end(), '"', '\'');  // escaped() would add backslashes
    std::fprintf(stderr, "skein: SQL: %s\n", escaped(message).c_str());
    if (offset < 0) return false;
    const auto at = static_cast<size_t>(statement - text.data()) + static_cast<size_t>(offset);
    const size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 == 0
    const size_t end = std::min(text.find('\n', at), text.size());
    const auto number =
        line + static_cast<size_t>(
                   std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(begin), '\n'));
    constexpr size_t most = 60;  // on each side
    const size_t from = at - begin > most ? at - most : begin;
    std::string before = line ? "line " + std::to_string(number) + ": " : "  ";
    before += escaped(std::string_view(text).substr(from, at - from));
    const std::string after = escaped(std::string_view(text).substr(at, std::min(end - at, most)));
    std::fprintf(stderr, "%s%s\n%*s^ here\n", before.c_str(), after.c_str(),
                 static_cast<int>(before.size()), "");
    return false;
  }

  bool command(const std::string& text) {
    const size_t blank = std::min(text.find_first_of(" \t\r\n"), text.size());
    const std::string name = text.substr(0, blank);
    std::string argument = text.substr(blank);
    argument.erase(0, std::min(argument.find_first_not_of(" \t\r\n"), argument.size()));
    while (!argument.empty() && (is_blank(argument.substr(argument.size() - 1))))
      argument.pop_back();
    std::string& out = out_.text();
    if (name == ".tables") {
      std::vector<std::vector<std::string>> lines;
      for (const QueryTable* table : query_tables())
        lines.push_back({std::string(table->name), std::string(table->about)});
      if (has_coroutines_)
        lines.push_back({std::string(coroutine_table_name), std::string(coroutine_table_about)});
      append_columns(out, lines, "<<", 0);
    } else if (name == ".schema") {
      bool found = false;
      for (const QueryTable* table : query_tables()) {
        if (!argument.empty() && argument != table->name) continue;
        out += schema_text(*table);
        found = true;
      }
      if (has_coroutines_ && (argument.empty() || argument == coroutine_table_name)) {
        out += schema_of_coroutines();
        found = true;
      }
      if (!found) {
        std::fprintf(stderr, "skein: no such table: %s (.tables lists them)\n",
                     escaped(argument).c_str());
        return false;
      }
    } else if (name == ".help") {
      out += help;
    } else if (name == ".quit" || name == ".exit") {
      quit_ = true;
    } else {
      std::fprintf(stderr, "skein: no such command: %s (.help lists them)\n",
                   escaped(name).c_str());
      return false;
    }
    out_.finish();
    return true;
  }

  const bool has_coroutines_;
  QueryDatabase database_;
  const QueryFormat format_;
  const bool is_prompt_;
  Output out_;
  std::optional<Spinner> spinner_;  // until SQLite's first progress callback or row
  std::optional<ProgressBar> bar_;
  bool quit_ = false;
};

// Joins lines of input to commands and statements, which end with a semicolon.
class Lines {
 public:
  // Adds a line. Returns true if the text is complete and can be run.
  bool add(const std::string& line) {
    count_++;
    if (is_blank(text_)) {
      text_.clear();
      begin_ = count_;
      if (line.starts_with('.')) {
        text_ = line;
        return true;
      }
    }
    if (!text_.empty()) text_ += '\n';
    text_ += line;
    return sqlite3_complete(text_.c_str()) != 0;
  }
  std::string take() { return std::exchange(text_, {}); }
  void forget() { text_.clear(); }
  bool empty() const { return is_blank(text_); }
  size_t begin() const { return begin_; }  // the number of its first line

 private:
  std::string text_;
  size_t count_ = 0;
  size_t begin_ = 1;
};

// Adds the text to the history, unless it is blank. Joins its lines to one, unless it may contain a
// comment, which would extend to the end of the joined line.
void remember(Prompt& prompt, const std::string& text) {
  if (text.find_first_not_of("; \t\r\n") == std::string::npos) return;
  std::string line = text;
  if (line.find("--") == std::string::npos) std::replace(line.begin(), line.end(), '\n', ' ');
  for (size_t begin = 0; begin < line.size();) {
    const size_t end = std::min(line.find('\n', begin), line.size());
    if (end > begin) prompt.remember(line.substr(begin, end - begin));
    begin = end + 1;
  }
}

void run_prompt(Session& session) {
  std::printf("SQL over the trace; .help lists commands, .quit exits.\n");
  std::fflush(stdout);
  catch_interrupts();
  Prompt prompt(state_file("query_history"));
  Lines lines;
  std::string line;
  while (!session.quit()) {
    interrupted = 0;
    switch (prompt.read(lines.empty() ? "skein> " : "  ...> ", line)) {
      case Prompt::Result::End:
        std::printf("\n");
        return;
      case Prompt::Result::Interrupted:
        std::printf("^C\n");
        lines.forget();
        continue;
      case Prompt::Result::Line:
        break;
    }
    if (!lines.add(line)) continue;
    const std::string text = lines.take();
    remember(prompt, text);
    interrupted = 0;
    session.run(text, 0);
  }
}

// Runs standard input up to the first error. Returns false if there was one, which is reported.
bool run_input(Session& session) {
  Lines lines;
  for (std::string line; !session.quit() && std::getline(std::cin, line);)
    if (lines.add(line))
      if (!session.run(lines.take(), lines.begin())) return false;
  return lines.empty() || session.run(lines.take(), lines.begin());
}

#endif

}  // namespace

#ifdef SKEIN_HAS_SQLITE

int run_query(const QueryOptions& options) {
  const bool is_prompt = options.sql.empty() && isatty(STDIN_FILENO);
  if (options.sql.empty() && options.trace == "-")
    die(2, "standard input is the trace; give the SQL as an argument");
  const std::optional<MemoryTrace> memory = open_memory_trace(options.trace, UINT64_MAX);
  const std::string path = memory ? options.trace : trace_directory(options.trace);
  const Trace read = memory ? Trace{} : open_trace(path, {}, {.memory = true});
  const Trace& trace = memory ? memory->trace : read;
  if (!memory) report_losses(trace, path);
  const QueryFormat format = options.csv    ? QueryFormat::Csv
                             : options.json ? QueryFormat::Json
                                            : QueryFormat::Text;
  Session session(trace, memory ? &*memory : nullptr, format, is_prompt);
  if (is_prompt)
    run_prompt(session);
  else if (!(options.sql.empty() ? run_input(session) : session.run(options.sql, 0)))
    return 2;
  session.finish();
  return 0;
}

#else

int run_query(const QueryOptions&) {
  die(2, "this skein was built without SQLite, which `query` needs");
}

#endif

}  // namespace skein::cli
