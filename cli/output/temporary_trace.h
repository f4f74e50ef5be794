// A trace that is in memory, as a directory in skein's format for a program that opens files. It is
// removed with the object.
//
//   const TemporaryTrace directory(memory->trace, memory->title);
//   run_viewer(program, options, {directory.path()});
#pragma once

#include <string>

#include "trace/read/trace.h"

namespace skein::cli {

class TemporaryTrace {
 public:
  // In $TMPDIR or /tmp, readable by its owner only; its name is the title. Throws
  // CommandError(1) or (2) on failure.
  TemporaryTrace(const Trace& trace, std::string title);
  ~TemporaryTrace();
  TemporaryTrace(const TemporaryTrace&) = delete;
  TemporaryTrace& operator=(const TemporaryTrace&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string folder_ = {};
  std::string path_ = {};
};

}  // namespace skein::cli
