// `skein export FORMAT`: a trace in another format. Each is in trace/export; this chooses, and
// reports what the format cannot hold. To add one: an entry in exporters().
#include "cli/export.h"

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "base/escape.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/die.h"
#include "cli/output_file.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/trace_directory_writer.h"
#include "cli/trace_input.h"
#include "trace/export/chrome.h"
#include "trace/export/csv.h"
#include "trace/export/ctf.h"
#include "trace/export/fxt.h"
#include "trace/export/parquet.h"
#include "trace/export/perfetto.h"
#include "trace/export/stacks.h"
#include "trace/export/table.h"

namespace skein::cli {

namespace {

using Write = std::function<Omissions(const Trace&, const ExportOptions&, Out&)>;

void report_omissions(const Omissions& omissions) {
  std::string text;
  for (const auto& [what, count] : omissions.all())
    text += (text.empty() ? "" : ", ") + what + ": " + grouped(count);
  if (!text.empty())
    std::fprintf(stderr, "skein: not representable in this format: %s\n", escaped(text).c_str());
}

void write_file(const ExportOptions& options, ExportFormat::Bytes bytes, const Write& write) {
  if (options.output == "-" && bytes == ExportFormat::Bytes::Binary && isatty(STDOUT_FILENO))
    die(2, "binary output is not written to a terminal; use -o FILE, or a pipe");
  refuse_inputs(options.output, {&options.trace, 1});
  const Trace trace = open_trace(options.trace);
  report_losses(trace, options.trace);
  OutputFile file(options.output);
  bool is_empty = true;
  Out out([&](std::string_view piece) {
    is_empty = false;
    return file.write(piece);
  });
  Omissions omissions;
  {
    const Spinner spinner(stderr, isatty(STDERR_FILENO), "writing");
    omissions = write(trace, options, out);
    (void)out.finish();
  }
  file.finish();
  if (is_empty) std::fputs("skein: nothing to write: the trace contains no waits\n", stderr);
  report_omissions(omissions);
}

ctf::Uuid random_uuid() {
  ctf::Uuid uuid;
  std::random_device random;
  for (uint8_t& byte : uuid) byte = static_cast<uint8_t>(random());
  return uuid;
}

void write_ctf(const ExportOptions& options) {
  if (options.output.empty()) die(2, "empty output path; give a directory with -o");
  const Trace trace = open_trace(options.trace);
  CtfCopy copy;
  {
    const Spinner spinner(stderr, isatty(STDERR_FILENO), "writing");
    copy = export_ctf(trace, random_uuid());
  }
  TraceDirectoryWriter to(options.output);
  for (const CtfFile& file : copy.files) to.write(file.name, file.bytes);
  if (copy.ids_are_shifted)
    std::fputs("skein: the trace has a task 0; all ids are one larger in the copy\n", stderr);
  for (const Loss& loss : trace.losses)
    std::fprintf(stderr, "skein: lost in the original: %s\n", escaped(loss.what).c_str());
  report_omissions(copy.omissions);
}

AwaitGraphOf graph_of(const ExportOptions& options) {
  return options.running ? AwaitGraphOf::Running : AwaitGraphOf::Suspended;
}

template <typename Writer>
Omissions write_table(const Trace& trace, const ExportOptions& options, Out& out) {
  const bool tasks = options.table == "tasks";
  Writer table(tasks ? task_columns() : event_columns(), out);
  return tasks ? export_tasks(trace, table) : export_events(trace, table);
}

// A format and its writer: `write` into a file or pipe; or, where that is not enough, `make`.
struct Exporter {
  ExportFormat format;
  Write write;
  std::function<void(const ExportOptions&)> make;
};

const std::vector<Exporter>& exporters() {
  using Bytes = ExportFormat::Bytes;
  using Choice = ExportFormat::Choice;
  static const std::vector<Exporter> all = {
      {{.name = "ctf",
        .about = "CTF 1.8, readable by babeltrace2",
        .bytes = Bytes::Binary,
        .needs_output = true,
        .makes_a_directory = true},
       {},
       write_ctf},
      {{.name = "perfetto",
        .about = "Perfetto protobuf, for its UI and trace_processor",
        .bytes = Bytes::Binary},
       [](const Trace& trace, const ExportOptions&, Out& out) {
         return export_perfetto(trace, out);
       },
       {}},
      {{.name = "chrome", .about = "Chrome trace event JSON"},
       [](const Trace& trace, const ExportOptions&, Out& out) { return export_chrome(trace, out); },
       {}},
      {{.name = "fxt",
        .about = "Fuchsia trace format; round-trips through skein",
        .bytes = Bytes::Binary},
       [](const Trace& trace, const ExportOptions&, Out& out) { return export_fxt(trace, out); },
       {}},
      {{.name = "folded",
        .about = "Folded await stacks for flame graphs",
        .choice = Choice::Running},
       [](const Trace& trace, const ExportOptions& options, Out& out) {
         return export_folded(trace, graph_of(options), out);
       },
       {}},
      {{.name = "speedscope",
        .about = "Await stacks as a speedscope file",
        .choice = Choice::Running},
       [](const Trace& trace, const ExportOptions& options, Out& out) {
         return export_speedscope(trace, graph_of(options), trace_name(options.trace), out);
       },
       {}},
      // What is in the trace, unescaped, which a terminal would obey.
      {{.name = "csv",
        .about = "Events or tasks as CSV",
        .bytes = Bytes::Binary,
        .choice = Choice::Table},
       write_table<CsvWriter>,
       {}},
      {{.name = "parquet",
        .about = "Events or tasks as Parquet",
        .bytes = Bytes::Binary,
        .choice = Choice::Table},
       write_table<ParquetWriter>,
       {}},
  };
  return all;
}

}  // namespace

std::span<const ExportFormat> export_formats() {
  static const std::vector<ExportFormat> formats = [] {
    std::vector<ExportFormat> all;
    for (const Exporter& exporter : exporters()) all.push_back(exporter.format);
    return all;
  }();
  return formats;
}

int run_export(const ExportOptions& options) {
  const auto found = std::find_if(exporters().begin(), exporters().end(), [&](const Exporter& one) {
    return one.format.name == options.format;
  });
  if (found == exporters().end()) die(2, "unknown format '" + options.format + "'");
  if (found->make)
    found->make(options);
  else
    write_file(options, found->format.bytes, found->write);
  return 0;
}

}  // namespace skein::cli
