#include "trace/read/reader.h"

#include <algorithm>

#include "base/cursor.h"
#include "trace/read/ctf/directory.h"
#include "trace/read/mirage/mirage.h"
#include "trace/read/mirage/wire.h"
#ifndef __wasm__  // the page gets what is another tool's as ours, and stays small
#include "trace/read/chrome/chrome.h"
#include "trace/read/fxt/fxt.h"
#include "trace/read/fxt/records.h"
#endif

namespace skein {

namespace {

constexpr size_t small_head = 4096;
constexpr size_t large_head = size_t{64} << 20;  // a trace whose beginning is lost longer than this
                                                 // is not recognised

constexpr const char* advice =
    "give a directory that `skein record` wrote, a trace file of mirage-profile or Eio, an FXT or "
    "Chrome JSON file, or -";

Error no_trace(const std::string& path, std::string what) {
  return Error{
      .what = std::move(what), .file = path == "-" ? "standard input" : path, .advice = advice};
}

Result<Trace> read_directory(Files& files, const std::string& path, const Progress& progress) {
  if (ctf::has_metadata(files, path)) return ctf::read(files, path, progress);
  const auto names = files.list(path);
  if (!names) return names.error();
  if (std::find(names->begin(), names->end(), "metadata") != names->end()) {
    const auto head = files.head(path + "/metadata", 1);
    return head ? no_trace(path, "its `metadata` is no file") : head.error();
  }
  if (ctf::has_our_packets(files, path)) return ctf::read(files, path, progress);
  return no_trace(path, names->empty() ? "an empty directory, not a trace"
                                       : "a directory without a trace in it");
}

Result<Trace> read_file(Files& files, const std::string& path, const Progress& progress) {
  auto head = files.head(path, small_head);
  if (!head) return head.error();
  if (head->empty()) return no_trace(path, "empty, not a trace");
#ifndef __wasm__
  if (fxt::looks_like_fxt(*head)) {
    const auto contents = files.open(path);
    if (!contents) return contents.error();
    return fxt::read(contents->bytes(), progress);
  }
#endif
  if (!mirage::looks_like_mirage(*head)) {
    head = files.head(path, large_head);
    if (!head) return head.error();
#ifndef __wasm__
    if (chrome::looks_like_chrome(*head)) {
      const auto contents = files.open(path);
      if (!contents) return contents.error();
      return chrome::read(contents->bytes(), progress);
    }
#endif
    if (!mirage::contains_mirage(*head)) {
      if (Cursor(*head).u32() == mirage::packet_magic)
        return no_trace(path, "a CTF stream with another uuid than mirage-profile's");
      return no_trace(path, "not a trace");
    }
  }
  auto contents = files.open(path);
  if (!contents) return contents.error();
  return mirage::read(contents->bytes(), progress);
}

}  // namespace

Result<Trace> read_trace(Files& files, const std::string& path, const Progress& progress) {
  switch (files.type(path)) {
    case FileType::Directory:
      return read_directory(files, path, progress);
    case FileType::File:
    case FileType::Other:  // `skein info <(zcat trace.gz)`
      return read_file(files, path, progress);
    case FileType::Missing:
      break;
  }
  const auto head = files.head(path, 1);  // for the reason
  return head ? no_trace(path, "not a trace") : head.error();
}

}  // namespace skein
