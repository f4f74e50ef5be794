// A trace of memory (cli/input/memory_trace.h) as a directory in skein's format, for a program that
// opens files. It is removed with the object.
//
//   const MemoryDirectory directory(*memory);
//   run_viewer(program, options, {directory.path()});
#pragma once

#include <string>

#include "cli/input/memory_trace.h"

namespace skein::cli {

class MemoryDirectory {
 public:
  // In $TMPDIR or /tmp, readable by its owner only; its name is the trace's title. Throws
  // CommandError(1) or (2) on failure.
  explicit MemoryDirectory(const MemoryTrace& memory);
  ~MemoryDirectory();
  MemoryDirectory(const MemoryDirectory&) = delete;
  MemoryDirectory& operator=(const MemoryDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string folder_ = {};
  std::string path_ = {};
};

}  // namespace skein::cli
