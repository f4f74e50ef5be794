// `skein export FORMAT`: converts a trace to one of the formats of trace/export/exporters.h, and
// reports what the format cannot represent.
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>

#include "base/escape.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/memory_trace.h"
#include "cli/input/trace_input.h"
#include "cli/output/output_file.h"
#include "cli/output/print.h"
#include "cli/output/progress.h"
#include "cli/output/trace_copy.h"
#include "trace/export/exporters.h"

namespace skein::cli {

namespace {

// Formats that need times have nothing of memory.
void check_takes_memory(const ExportFormat& format, const ExportOptions& options) {
  const bool has_tasks = format.choice == ExportFormat::Choice::Table && options.table == "tasks";
  if (!format.is_directory() && !has_tasks)
    die(2, options.trace + ": memory shows one instant, without events; use skein query, or export " +
               "ctf, or csv or parquet with --table tasks");
}

// A trace, or the coroutines in the memory of a process or core.
Trace open_any(const ExportFormat& format, const ExportOptions& options) {
  if (std::optional<MemoryTrace> memory = open_memory_trace(options.trace, UINT64_MAX)) {
    check_takes_memory(format, options);
    return std::move(memory->trace);
  }
  return open_trace(options.trace);
}

void write_file(const ExportFormat& format, const ExportOptions& options) {
  if (format.bytes == ExportFormat::Bytes::Binary) check_not_a_terminal(options.output);
  check_not_an_input(options.output, {&options.trace, 1});
  const Trace trace = open_any(format, options);
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
    const std::string title = trace_name(options.trace);
    omissions = format.write(
        trace, {.title = title, .tasks = options.table == "tasks", .running = options.running},
        out);
    (void)out.finish();
  }
  file.finish();
  if (is_empty) std::fputs("skein: nothing to write: the trace contains no waits\n", stderr);
  report_omissions(omissions);
}

void write_directory(const ExportFormat& format, const ExportOptions& options) {
  if (options.output.empty()) die(2, "empty output path; give a directory with -o");
  const Trace trace = open_any(format, options);
  write_trace_copy(trace, options.output, format.write_directory);
  for (const Loss& loss : trace.losses)
    std::fprintf(stderr, "skein: lost in the original: %s\n", escaped(loss.what).c_str());
}

}  // namespace

int run_export(const ExportOptions& options) {
  const ExportFormat* const format = find_export_format(options.format);
  if (format == nullptr) die(2, "unknown format '" + options.format + "'");
  if (format->is_directory())
    write_directory(*format, options);
  else
    write_file(*format, options);
  return 0;
}

}  // namespace skein::cli
