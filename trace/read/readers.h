// The trace formats that skein reads, in the order in which they are probed.
//
// To add a reader: a folder in foreign/ with its probe and read functions, and a row in readers.cc,
// inside `#ifndef __wasm__`. It sets TraceInfo::carrier: html and serve then put a copy in our
// format into the page, which does not have the reader. CONTRIBUTING.md lists the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "trace/read/progress.h"
#include "trace/read/trace.h"

namespace skein {

// A format whose traces are directories.
struct DirectoryFormat {
  std::string_view name;
  std::string_view input;  // "a directory ...", for the advice of errors; empty: in another row
  bool (*probe)(Files& files, const std::string& path);
  Result<Trace> (*read)(Files& files, const std::string& path, const Progress& progress,
                        std::span<const TickClock> clocks);
};

// A format whose traces are single files.
struct FileFormat {
  std::string_view name;
  std::string_view input;  // as above
  size_t head;             // bytes from the beginning of the file that the probe needs
  bool (*probe)(std::span<const uint8_t> head);
  Result<Trace> (*read)(std::span<const uint8_t> file, const Progress& progress);
};

std::span<const DirectoryFormat> directory_formats();
std::span<const FileFormat> file_formats();  // ordered by `head`, smallest first

}  // namespace skein
