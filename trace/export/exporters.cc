#include "trace/export/exporters.h"

#include <array>

#include "trace/export/chrome.h"
#include "trace/export/csv.h"
#include "trace/export/fxt.h"
#include "trace/export/parquet.h"
#include "trace/export/perfetto.h"
#include "trace/export/stacks.h"
#include "trace/export/table.h"

namespace skein {

namespace {

// Adapts a format without choices.
template <Omissions (*write)(const Trace&, Out&)>
Omissions always(const Trace& trace, const ExportChoices&, Out& out) {
  return write(trace, out);
}

AwaitGraphOf graph_of(const ExportChoices& choices) {
  return choices.running ? AwaitGraphOf::Running : AwaitGraphOf::Suspended;
}

Omissions write_folded(const Trace& trace, const ExportChoices& choices, Out& out) {
  return export_folded(trace, graph_of(choices), out);
}

Omissions write_speedscope(const Trace& trace, const ExportChoices& choices, Out& out) {
  return export_speedscope(trace, graph_of(choices), choices.title, out);
}

template <typename Writer>
Omissions write_table(const Trace& trace, const ExportChoices& choices, Out& out) {
  Writer table(choices.tasks ? task_columns() : event_columns(), out);
  return choices.tasks ? export_tasks(trace, table) : export_events(trace, table);
}

using Bytes = ExportFormat::Bytes;
using Choice = ExportFormat::Choice;

constexpr std::array<ExportFormat, 8> table_of_formats{{
    {.name = "ctf", .about = "CTF 1.8, readable by babeltrace2", .write_directory = export_ctf},
    {.name = "perfetto",
     .about = "Perfetto protobuf, for its UI and trace_processor",
     .write = always<export_perfetto>,
     .extension = ".perfetto-trace",
     .bytes = Bytes::Binary},
    {.name = "chrome",
     .about = "Chrome trace event JSON",
     .write = always<export_chrome>,
     .extension = ".json"},
    {.name = "fxt",
     .about = "Fuchsia trace format; round-trips through skein",
     .write = always<export_fxt>,
     .extension = ".fxt",
     .bytes = Bytes::Binary},
    {.name = "folded",
     .about = "Folded await stacks for flame graphs",
     .write = write_folded,
     .extension = ".folded",
     .choice = Choice::Running},
    {.name = "speedscope",
     .about = "Await stacks as a speedscope file",
     .write = write_speedscope,
     .extension = ".speedscope.json",
     .choice = Choice::Running},
    {.name = "csv",
     .about = "Events or tasks as CSV",
     .write = write_table<CsvWriter>,
     .extension = ".csv",
     .choice = Choice::Table},
    {.name = "parquet",
     .about = "Events or tasks as Parquet",
     .write = write_table<ParquetWriter>,
     .extension = ".parquet",
     .bytes = Bytes::Binary,
     .choice = Choice::Table},
}};

}  // namespace

std::span<const ExportFormat> export_formats() { return table_of_formats; }

const ExportFormat* find_export_format(std::string_view name) {
  for (const ExportFormat& format : table_of_formats)
    if (format.name == name) return &format;
  return nullptr;
}

}  // namespace skein
