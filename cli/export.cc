// `skein export FORMAT`: a trace in another format. Each is in trace/export; this chooses, and says
// what the format cannot hold.
#include <unistd.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/escape.h"
#include "cli/commands.h"
#include "cli/new_trace.h"
#include "cli/output_file.h"
#include "cli/parquet.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/running.h"
#include "cli/trace_input.h"
#include "trace/export/chrome.h"
#include "trace/export/ctf.h"
#include "trace/export/fxt.h"
#include "trace/export/perfetto.h"
#include "trace/export/stacks.h"
#include "trace/export/table.h"

namespace skein::cli {

namespace {

struct Options {
  std::string trace, to;
  std::string table = "events";
  bool running = false;
};
using Export = std::function<LeftOut(const Trace&, const Options&, Out&)>;

// Raw: what is in the trace, as it is, which a terminal would obey.
enum class Bytes { Text, Raw };

void say_left_out(const LeftOut& left_out) {
  std::string text;
  for (const auto& [what, count] : left_out.all())
    text += (text.empty() ? "" : ", ") + what + ": " + grouped(count);
  if (!text.empty())
    std::fprintf(stderr, "skein: left out, as the format cannot hold it: %s\n",
                 escaped(text).c_str());
}

void write_file(const Options& options, Bytes bytes, const Export& write) {
  if (options.to == "-" && bytes == Bytes::Raw && isatty(STDOUT_FILENO))
    fail(2, "this format is not for a terminal; give a file with -o, or a pipe");
  refuse_inputs(options.to, {&options.trace, 1});
  const Trace trace = open_trace(options.trace);
  report_losses(trace, options.trace);
  OutputFile file(options.to);
  bool is_empty = true;
  Out out([&](std::string_view piece) {
    is_empty = false;
    return file.write(piece);
  });
  LeftOut left_out;
  {
    const Busy busy(stderr, isatty(STDERR_FILENO), "writing");
    left_out = write(trace, options, out);
    (void)out.finish();
  }
  file.finish();
  if (is_empty)
    std::fputs("skein: nothing to write: the trace does not say that a task waits\n", stderr);
  say_left_out(left_out);
}

std::shared_ptr<Options> add_format(CLI::App& command, const std::string& name,
                                    const std::string& description, Bytes bytes,
                                    const Export& write) {
  auto options = std::make_shared<Options>();
  options->to = "-";
  CLI::App* format = command.add_subcommand(name, description);
  add_trace_argument(*format, options->trace);
  format->add_option("-o,--output", options->to, "the file to write, else standard output");
  format->callback([options, bytes, write] { write_file(*options, bytes, write); });
  return options;
}

ctf::Uuid random_uuid() {
  ctf::Uuid uuid;
  std::random_device random;
  for (uint8_t& byte : uuid) byte = static_cast<uint8_t>(random());
  return uuid;
}

void add_ctf(CLI::App& command) {
  auto options = std::make_shared<Options>();
  CLI::App* ctf = command.add_subcommand("ctf", "plain CTF 1.8, which babeltrace2 reads");
  add_trace_argument(*ctf, options->trace);
  ctf->add_option("-o,--output", options->to, "the directory to make")->required();
  ctf->callback([options] {
    if (options->to.empty()) fail(2, "the directory to make is an empty text; give a path");
    const Trace trace = open_trace(options->trace);
    CtfCopy copy;
    {
      const Busy busy(stderr, isatty(STDERR_FILENO), "writing");
      copy = export_ctf(trace, random_uuid());
    }
    NewTrace to(options->to);
    for (const CtfFile& file : copy.files) to.write(file.name, file.bytes);
    if (copy.ids_are_shifted)
      std::fputs("skein: the trace has a task 0; all ids are one larger in the copy\n", stderr);
    for (const Loss& loss : trace.losses)
      std::fprintf(stderr, "skein: lost in the original: %s\n", escaped(loss.what).c_str());
    say_left_out(copy.left_out);
  });
}

void add_stacks(CLI::App& command) {
  const auto of = [](const Options& options) {
    return options.running ? AwaitGraphOf::Running : AwaitGraphOf::Suspended;
  };
  const auto add = [&](const std::string& name, const std::string& description,
                       const Export& write) {
    const auto options = add_format(command, name, description, Bytes::Text, write);
    command.get_subcommand(name)->add_flag("--running", options->running,
                                           "time that tasks ran, instead of time that they waited");
  };
  add("folded", "stacks of awaiting tasks, a line each, for flame graphs",
      [of](const Trace& trace, const Options& options, Out& out) {
        return export_folded(trace, of(options), out);
      });
  add("speedscope", "the same as a file for speedscope",
      [of](const Trace& trace, const Options& options, Out& out) {
        return export_speedscope(trace, of(options), trace_name(options.trace), out);
      });
}

LeftOut write_csv(const Trace& trace, const Options& options, Out& out) {
  return options.table == "tasks" ? export_tasks_csv(trace, out) : export_events_csv(trace, out);
}

void add_table_option(CLI::App& format, Options& options) {
  format.add_option("--table", options.table, "events, or tasks with their state at the end")
      ->check(CLI::IsMember({"events", "tasks"}));
}

void add_tables(CLI::App& command) {
  const auto csv = add_format(command, "csv", "a table of events or tasks", Bytes::Raw, write_csv);
  add_table_option(*command.get_subcommand("csv"), *csv);

  auto options = std::make_shared<Options>();
  CLI::App* parquet =
      command.add_subcommand("parquet", "the same as Parquet, by the program duckdb");
  add_trace_argument(*parquet, options->trace);
  parquet->add_option("-o,--output", options->to, "the file to write")->required();
  add_table_option(*parquet, *options);
  parquet->callback([options] {
    require_duckdb();
    refuse_inputs(options->to, {&options->trace, 1});
    const Trace trace = open_trace(options->trace);
    report_losses(trace, options->trace);
    LeftOut left_out;
    write_parquet(options->to, options->table == "tasks" ? tasks_columns : events_columns,
                  [&](OutputFile& file) {
                    Out out([&](std::string_view piece) { return file.write(piece); });
                    left_out = write_csv(trace, *options, out);
                    (void)out.finish();
                  });
    say_left_out(left_out);
  });
}

}  // namespace

void add_export(CLI::App& app) {
  CLI::App* command = app.add_subcommand("export", "Write a trace in another format");
  command->require_subcommand(0, 1);
  const auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("FORMAT", *words)->group("");  // what is no subcommand
  command->callback([command, words] {
    if (!command->get_subcommands().empty()) return;
    std::string all;
    for (const CLI::App* format : command->get_subcommands([](const CLI::App*) { return true; }))
      all += (all.empty() ? "" : ", ") + format->get_name();
    const std::string what =
        words->empty() ? "no format is given" : "no format `" + escaped(words->front()) + "`";
    fail(2, what + "; there are " + all);
  });
  add_ctf(*command);
  add_format(
      *command, "perfetto", "Perfetto's protobuf, for its viewer and trace_processor", Bytes::Raw,
      [](const Trace& trace, const Options&, Out& out) { return export_perfetto(trace, out); });
  add_format(
      *command, "chrome", "JSON in the trace event format, for Chrome and others", Bytes::Text,
      [](const Trace& trace, const Options&, Out& out) { return export_chrome(trace, out); });
  add_format(*command, "fxt", "the Fuchsia trace format; skein reads it back whole", Bytes::Raw,
             [](const Trace& trace, const Options&, Out& out) { return export_fxt(trace, out); });
  add_stacks(*command);
  add_tables(*command);
}

}  // namespace skein::cli
