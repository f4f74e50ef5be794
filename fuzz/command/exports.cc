// Every format of `skein export`, of any trace (any_trace.h). Text formats must be printable, CSV
// must contain no formula, and our format must keep every event.
#include "fuzz/command/any_trace.h"
#include "trace/export/exporters.h"
#include "trace/read/ctf/directory.h"

using namespace skein;
using fuzz::require;

namespace {

// No cell begins like a formula, except numbers, nor what other separators than the comma make a
// cell of.
void check_csv(std::string_view text) {
  bool begins = true;
  bool is_quoted = false;
  for (size_t i = 0; i < text.size(); i++) {
    const char c = text[i];
    if (begins && (c == '=' || c == '@' || c == '\t')) std::abort();
    if (begins && (c == '+' || c == '-'))
      require(i + 1 < text.size() &&
              std::string_view("0123456789.in").find(text[i + 1]) != std::string_view::npos);
    if (c == '"') {
      begins = begins && !is_quoted;  // a quotation mark that opens a cell
      is_quoted = !is_quoted;
      continue;
    }
    begins = c == '\n' || (is_quoted ? c == ';' || c == '\t' : c == ',');
  }
}

void check_ctf(const Trace& trace) {
  CtfCopy copy = export_ctf(trace, {1, 2, 3});
  MemoryFiles files;
  for (CtfFile& file : copy.files) files.add("t/" + file.name, std::move(file.bytes));
  const auto again = ctf::read(files, "t");
  require(again.has_value());
  if (copy.omissions.all().empty()) require(again->events.size() == trace.events.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Cursor in({data, size});
  const uint8_t choice = in.u8();
  const Trace trace = fuzz::any_trace(in, 300);
  const auto formats = export_formats();
  const ExportFormat& format = formats[choice % formats.size()];
  if (format.is_directory()) {
    check_ctf(trace);
    return 0;
  }
  std::string file;
  Out out([&](std::string_view piece) { return file += piece, true; });
  format.write(
      trace,
      {.title = "a\x1b\u202e", .tasks = (choice & 0x40) != 0, .running = (choice & 0x80) != 0},
      out);
  require(out.finish());
  if (format.bytes == ExportFormat::Bytes::Text)
    fuzz::require_printable(file, format.name == "csv" ? "\r\n\t" : "\n");
  if (format.name == "csv") check_csv(file);
  return 0;
}
