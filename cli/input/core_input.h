// Core files that the user names: by their path, also if they are compressed, or by the PID of a
// process that has ended and whose core systemd-coredump has kept.
//
//   if (std::optional<CoreInput> input = open_core("4711")) read(*input->core);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/disk_files.h"
#include "target/core_file.h"

namespace skein::cli {

struct CoreInput {
  std::unique_ptr<DiskFiles> files = {};  // that `core` reads
  std::unique_ptr<CoreFile> core = {};
  std::string path = {};
  std::vector<std::string> warnings = {};  // what is missing, a sentence each
};

// Nothing: `text` names no core. `program`: its program, as in read_core(); empty: as the core names
// it. Shows the progress of unpacking, and which core it has found for a
// PID, on stderr. Throws CommandError(2) if it names one that cannot be read.
std::optional<CoreInput> open_core(const std::string& text, const std::string& program = {});

// True if the file at `path` is a core, compressed or not.
bool is_core_file(const std::string& path);

}  // namespace skein::cli
