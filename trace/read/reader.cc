#include "trace/read/reader.h"

#include <algorithm>
#include <string_view>

#include "base/cursor.h"
#include "trace/read/mirage/wire.h"
#include "trace/read/readers.h"

namespace skein {

namespace {

std::string advice() {
  std::string text = "expected ";
  const auto add = [&](std::string_view input) {
    if (!input.empty()) text.append(input).append(", ");
  };
  for (const DirectoryFormat& format : directory_formats()) add(format.input);
  for (const FileFormat& format : file_formats()) add(format.input);
  return text + "or -";
}

Error no_trace(const std::string& path, std::string what) {
  return Error{
      .what = std::move(what), .file = path == "-" ? "standard input" : path, .advice = advice()};
}

Result<Trace> read_directory(Files& files, const std::string& path, const Progress& progress,
                             std::span<const TickClock> clocks) {
  for (const DirectoryFormat& format : directory_formats())
    if (format.probe(files, path)) return format.read(files, path, progress, clocks);
  const auto names = files.list(path);
  if (!names) return names.error();
  if (std::find(names->begin(), names->end(), "metadata") != names->end()) {
    const auto head = files.head(path + "/metadata", 1);
    return head ? no_trace(path, "`metadata` is not a file") : head.error();
  }
  return no_trace(path, names->empty() ? "an empty directory, not a trace"
                                       : "a directory that contains no trace");
}

Result<Trace> read_file(Files& files, const std::string& path, const Progress& progress) {
  Result<std::vector<uint8_t>> head = std::vector<uint8_t>();
  size_t head_size = 0;
  constexpr std::string_view elf_magic = "\177ELF";
  for (const FileFormat& format : file_formats()) {
    if (format.head > head_size) {
      head_size = format.head;
      head = files.head(path, head_size);
      if (!head) return head.error();
      if (head->empty()) return no_trace(path, "empty, not a trace");
      // A program that links a reader contains the magic numbers of its format.
      if (std::string_view(reinterpret_cast<const char*>(head->data()), head->size())
              .starts_with(elf_magic))
        return no_trace(path, "an ELF file, not a trace");
    }
    if (!format.probe(*head)) continue;
    const auto contents = files.open(path);
    if (!contents) return contents.error();
    auto trace = format.read(contents->bytes(), progress);
    if (!trace) return no_trace(path, trace.error().what);
    return trace;
  }
  if (Cursor(*head).u32() == mirage::packet_magic)
    return no_trace(path, "a CTF stream with another uuid than mirage-profile's");
  return no_trace(path, "not a trace");
}

}  // namespace

Result<Trace> read_trace(Files& files, const std::string& path, const Progress& progress,
                         std::span<const TickClock> clocks) {
  switch (files.type(path)) {
    case FileType::Directory:
      return read_directory(files, path, progress, clocks);
    case FileType::File:
    case FileType::Other:  // `skein info <(zcat trace.gz)`
      return read_file(files, path, progress);
    case FileType::Missing:
      break;
  }
  const auto head = files.head(path, 1);  // to get the error
  return head ? no_trace(path, "not a trace") : head.error();
}

}  // namespace skein
