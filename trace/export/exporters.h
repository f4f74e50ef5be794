// The formats that skein writes: one row per format. `skein export`, its help and its completion
// read this table.
//
//   for (const ExportFormat& format : export_formats()) print(format.name, format.about);
//   const Omissions omissions = find_export_format("csv")->write(trace, {.tasks = true}, out);
//
// To add a format: a file here with its function, and a row in exporters.cc. CONTRIBUTING.md lists
// the rest.
#pragma once

#include <span>
#include <string_view>

#include "trace/export/ctf.h"
#include "trace/export/out.h"
#include "trace/read/trace.h"

namespace skein {

// Choices that only some formats have.
struct ExportChoices {
  std::string_view title = {};  // of the trace, for formats that contain a title
  bool tasks = false;           // Choice::Table: tasks, not events
  bool running = false;         // Choice::Running: running time, not waiting time
};

struct ExportFormat {
  enum class Bytes { Text, Binary };           // binary bytes are not written to a terminal
  enum class Choice { None, Table, Running };  // the choice that the format has

  std::string_view name;   // stable: an argument of `skein export`
  std::string_view about;  // one line of --help
  // Exactly one of these is set: the format is a file, or a directory of files.
  Omissions (*write)(const Trace&, const ExportChoices&, Out&) = nullptr;
  CtfCopy (*write_directory)(const Trace&, const ctf::Uuid&) = nullptr;
  std::string_view extension = {};  // ".json"; for a file
  Bytes bytes = Bytes::Text;
  Choice choice = Choice::None;

  constexpr bool is_directory() const { return write_directory != nullptr; }
};

// In the order of the help text.
std::span<const ExportFormat> export_formats();
// Null if there is no such format.
const ExportFormat* find_export_format(std::string_view name);

}  // namespace skein
