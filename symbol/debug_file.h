// The file with the symbols, or the debug information, of an ELF file that was stripped of them.
//
//   DiskFiles files;
//   const auto places = DebugFilePlaces::of_this_user();
//   DebugFileSearch search = find_debug_file(elf, path, DebugPart::Symbols, places, files);
//   if (search.found) read(search.found->contents.bytes());
//   else warn(search.what_is_missing(path, DebugPart::Symbols));
//
// Places, in this order:
//   /usr/lib/debug/.build-id/ab/cdef.debug  packages of distributions (-dbgsym, -debuginfo)
//   <name in .gnu_debuglink>                beside the file, in .debug/, in /usr/lib/debug/<folder>
//   <debuginfod's cache>/<build id>/debuginfo
//   .gnu_debugdata in the file itself       a table of symbols, compressed by xz (Fedora)
// The network is not used. A found file is used only if it belongs to the other one: it has the
// same build id, or, if one of both has none, the checksum that .gnu_debuglink names.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace skein {

struct DebugFilePlaces {
  // Put before absolute paths, in this order: "" for files of this machine, "/proc/4711/root" for
  // those that a process sees.
  std::vector<std::string> roots = {""};
  // Folders that debuginfod-find fills.
  std::vector<std::string> debuginfod_caches = {};

  // With the caches that the environment names. `root` is searched first, unless it is empty.
  static DebugFilePlaces of_this_user(const std::string& root = {});
};

enum class DebugPart : uint8_t { Symbols, Information };

struct DebugFile {
  std::string path = {};
  Contents contents = {};
};

struct DebugFileSearch {
  std::optional<DebugFile> found = {};
  std::string build_id = {};               // of the stripped file; empty: it has none
  std::vector<std::string> searched = {};  // paths
  std::vector<std::string> rejected = {};  // files of others, a sentence each

  // A sentence for the user: what the file at `path` lacks, where it was searched, how to get it.
  std::string what_is_missing(const std::string& path, DebugPart part) const;
};

// `elf` is a whole ELF file, and `path` its name on the machine that ran it. Opens regular files
// only. O(places), and O(size of a file) if its checksum is needed: 1 s for 1 GB.
DebugFileSearch find_debug_file(std::span<const uint8_t> elf, const std::string& path,
                                DebugPart part, const DebugFilePlaces& places, Files& files);

// The file that dwz made of what several debug files have in common: .gnu_debugaltlink of `debug`,
// a debug file at `path`, names it. `found` is empty if `debug` has no such link.
DebugFileSearch find_common_debug_file(std::span<const uint8_t> debug, const std::string& path,
                                       const DebugFilePlaces& places, Files& files);

// The path of `name` in the folder of `path`, unless `name` is absolute.
std::string path_beside(const std::string& path, std::string_view name);

}  // namespace skein
