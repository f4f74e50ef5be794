// `skein grab`: copies the trace out of a virtual machine's memory (target/guest). The guest does
// not help: it runs, is stuck, has crashed, or its QEMU was killed and left a file of its RAM. It
// may be behind a gdb server, which stops it during the copy.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

#include "cli/commands.h"
#include "cli/die.h"
#include "cli/input/guest_input.h"
#include "cli/output/live_copy.h"

namespace skein::cli {

namespace {

// The name of a directory: no other folder, and no option.
std::string default_output(const std::string& guest) {
  std::string name = guest;
  std::replace(name.begin(), name.end(), '/', '_');
  if (name.starts_with('.') || name.starts_with('-')) name.front() = '_';
  return name + ".skein";
}

}  // namespace

int run_grab(const GrabOptions& options) {
  std::error_code error;  // before a gdb server stops the guest
  if (!options.output.empty() && std::filesystem::exists(options.output, error))
    die(2, options.output + ": File exists");
  GuestTrace guest(options.guest, options.arena);
  ArenaFiles& files = guest.files();
  const std::string output = options.output.empty() ? default_output(guest.name()) : options.output;
  TraceDirectoryWriter to(output);
  const auto metadata = files.head("metadata", SIZE_MAX);
  if (!metadata) die(2, metadata.error().message());
  to.write("metadata", *metadata);
  const auto report = copy_trace(files, GuestTrace::path(), to, [](ctf::TaskTableSnapshot&) {});
  if (!report) die(2, report.error().message());
  if (report->packets == 0 && !report->unreadable.empty()) {
    std::filesystem::remove_all(output, error);
    die(1, "nothing could be copied: " + report->unreadable.front());
  }
  print_report(*report);
  guest.report_note();
  return report->unreadable.empty() ? 0 : 1;
}

}  // namespace skein::cli
