#include "trace/read/readers.h"

#include <array>

#include "trace/read/ctf/directory.h"
#include "trace/read/mirage/mirage.h"
#ifndef __wasm__  // the page gets other tools' traces in skein's format, and stays small
#include "trace/read/foreign/chrome/chrome.h"
#include "trace/read/foreign/chrome/gzip.h"
#include "trace/read/foreign/fxt/fxt.h"
#include "trace/read/foreign/fxt/read_records.h"
#endif

namespace skein {

namespace {

constexpr size_t small_head = 4096;
// If the beginning of a trace is damaged, the probe searches for it up to this offset.
constexpr size_t large_head = size_t{64} << 20;

// Adapts readers that never fail.
template <Trace (*read)(std::span<const uint8_t>, const Progress&)>
Result<Trace> always(std::span<const uint8_t> file, const Progress& progress) {
  return read(file, progress);
}

constexpr std::array<DirectoryFormat, 2> directory_table{{
    {.name = "skein",
     .input = "a directory that `skein record` wrote",
     .probe = ctf::has_metadata,
     .read = ctf::read},
    {.name = "skein, without its metadata",
     .input = {},
     .probe = ctf::has_our_packets,
     .read = ctf::read},
}};

constexpr std::array file_table{
#ifndef __wasm__
    FileFormat{.name = "FXT",
               .input = "an FXT file, including Eio's",
               .head = small_head,
               .probe = fxt::looks_like_fxt,
               .read = always<fxt::read>},
#endif
    FileFormat{.name = "mirage-profile",
               .input = "a mirage-profile file",
               .head = small_head,
               .probe = mirage::looks_like_mirage,
               .read = always<mirage::read>},
#ifndef __wasm__
    FileFormat{.name = "Chrome JSON, gzip",
               .input = {},
               .head = small_head,
               .probe = chrome::looks_like_gzip,
               .read = chrome::read_gzip},
    FileFormat{.name = "Chrome JSON",
               .input = "a Chrome JSON file, also compressed (.json.gz)",
               .head = large_head,
               .probe = chrome::looks_like_chrome,
               .read = always<chrome::read>},
#endif
    FileFormat{.name = "mirage-profile, damaged",
               .input = {},
               .head = large_head,
               .probe = mirage::contains_mirage,
               .read = always<mirage::read>},
};

}  // namespace

std::span<const DirectoryFormat> directory_formats() { return directory_table; }
std::span<const FileFormat> file_formats() { return file_table; }

}  // namespace skein
