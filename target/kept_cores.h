// The cores that systemd-coredump has kept (systemd-coredump(8)): files in one folder, named
// core.NAME.UID.BOOT.PID.TIME, and .zst, .xz or .lz4 if they are compressed.
//
//   for (const KeptCore& core : kept_cores(files, core_folder(), 4711)) print(core.path);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace skein {

struct KeptCore {
  std::string path = {};
  std::string name = {};  // of the program: "server"
  uint64_t pid = 0;
  uint64_t time = 0;  // us since 1970
};

// Of a file's name, without a folder; nothing: the name is another one.
std::optional<KeptCore> parse_core_name(std::string_view file);

// $SKEIN_CORES, or /var/lib/systemd/coredump.
std::string core_folder();

// Those of processes with this number, the newest first: numbers are used again. Empty: there are
// none, or no such folder. O(files in the folder).
std::vector<KeptCore> kept_cores(Files& files, const std::string& folder, uint64_t pid);

}  // namespace skein
