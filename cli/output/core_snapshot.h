// The small core file that `skein core` writes: the coroutines in the memory of a target, their
// frames (of many similar ones some) and the stacks of its threads. Every command that reads memory accepts it, on any machine.
//
//   CoreSnapshot snapshot;
//   const ReadTarget all = read_any("4711", {.variables = true}, snapshot.copier());
//   const uint64_t size = snapshot.write(all.read, [&](std::string_view bytes) { ... });
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "cli/input/unprepared.h"
#include "target/core_writer.h"

namespace skein::cli {

class CoreSnapshot {
 public:
  // Copies the parts of the memory while it stands still. Valid as long as this object.
  OnMemory copier();

  // Writes the file, until `write` returns false. Returns its size. Precondition: the copier was
  // called, and its target still exists.
  uint64_t write(const Unprepared& read, const std::function<bool(std::string_view)>& write);

  // The same to a new file that only its owner may read. False: it cannot be written.
  bool write_file(const Unprepared& read, const std::string& path);

 private:
  std::optional<CoreWriter> writer_ = {};
};

}  // namespace skein::cli
