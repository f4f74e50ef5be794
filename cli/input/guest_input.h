// A virtual machine that the user names, and the trace in its memory.
//
//   if (const std::optional<std::string> guest = guest_of(path)) {   // "web" of "guest:web"
//     GuestTrace trace(*guest);
//     read_trace(trace.files(), trace.path());
//   }
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "target/guest/arena_files.h"

namespace skein::cli {

// A TRACE argument with this prefix is a guest. The option -d of commands makes such ones.
inline constexpr std::string_view guest_prefix = "guest:";

// Nothing: `text` is no guest, or there is a file of that name.
std::optional<std::string> guest_of(const std::string& text);

// The trace of a guest that runs, is stuck or has crashed. Nothing stops or changes it, but a gdb
// server, which stops it during the constructor.
class GuestTrace {
 public:
  // `guest`: the name or PID of a QEMU of this machine, a file of its RAM, gdb:HOST:PORT or
  // gdb:/PATH. `arena`: its address, for a gdb server; empty: it is searched for. Throws
  // CommandError(2) if there is no such guest, or none of its memory is an arena.
  explicit GuestTrace(const std::string& guest, const std::string& arena = {});

  const std::string& name() const { return name_; }
  // Read from the guest each time, as it is then; of a gdb server, from a copy.
  ArenaFiles& files() { return *files_; }
  // Of the trace's directory in files().
  static std::string path() { return ""; }
  bool is_running() const { return memory_->is_running(); }

  // What a guest wrote before it ended, to stderr, if it did.
  void report_note() const;

 private:
  std::string name_;
  std::unique_ptr<GuestMemory> memory_;
  std::optional<ArenaFiles> files_;
};

}  // namespace skein::cli
