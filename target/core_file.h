// A core file as a Target: ELF cores of Linux, written by the kernel (core(5)), by gdb's gcore or
// taken from systemd-coredump.
//
//   DiskFiles files;
//   Result<std::unique_ptr<CoreFile>> core = read_core("core.4711", files);
//   if (!core) return core.error();
//   if ((*core)->missing_bytes() != 0) warn(...);
//
// A core has no pages of files that were only read, such as code. They are read from the files
// themselves, if these exist and have the build id that the core has. Mappings for which a core has
// only a name, as gdb's cores of code, count as readable; whether they are more is unknown. The
// file may come from anywhere: nothing in it is trusted.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/file.h"
#include "target/core_program.h"
#include "target/target.h"

namespace skein {

class CoreFile : public Target {
 public:
  virtual uint64_t signal() const = 0;  // that ended the process; 0: none, or unknown
  virtual const std::string& command_line() const = 0;  // its first 80 bytes

  // The coroutines that `skein core` has written, see saved_frames.h; empty: another program wrote
  // the core. Valid as long as the object.
  virtual std::span<const uint8_t> saved_frames() const = 0;

  // Whether its notes name the files that were mapped.
  virtual bool has_file_names() const = 0;
  // Where its program is, if they do not, or if the user has named a program.
  virtual const CoreProgram& program() const = 0;

  // Bytes that the core should have and that are not in the file: it was cut short, perhaps by
  // `ulimit -c` or a full disk. What is there can be read.
  virtual uint64_t missing_bytes() const = 0;
};

// True if `head`, the first bytes of a file, begins a core of any machine.
bool is_core(std::span<const uint8_t> head);

// `path` is opened by `files`, as are the files that the process had mapped. `files` must live
// longer than the result. Not thread-safe: the result opens files when they are needed.
// O(segments + threads); the memory is mapped, not read. `program`: the file of its program, if the
// core lacks its notes, or if it is not where it was; empty: unknown.
Result<std::unique_ptr<CoreFile>> read_core(const std::string& path, Files& files,
                                            const std::string& program = {});
// The same of a core that is open; `path` is for errors.
Result<std::unique_ptr<CoreFile>> read_core(Contents core, const std::string& path, Files& files,
                                            const std::string& program = {});

}  // namespace skein
