#include "cli/input/profile_input.h"

#include <string_view>
#include <utility>

#include "base/disk_files.h"
#include "cli/die.h"
#include "cli/output/terminal.h"
#ifdef SKEIN_HAS_SYMBOLS
#include "profile/trace/profile_trace.h"
#endif

namespace skein::cli {

bool can_read_profiles() {
#ifdef SKEIN_HAS_SYMBOLS
  return true;
#else
  return false;
#endif
}

std::optional<MadeTrace> open_profile_trace(const std::string& path) {
#ifdef SKEIN_HAS_SYMBOLS
  constexpr size_t magic_size = 8;
  DiskFiles files;
  if (path == "-" || files.type(path) != FileType::File) return {};
  const auto head = files.head(path, magic_size);
  if (!head || !PerfFile::is_perf_file(*head)) return {};
  const Result<Contents> contents = files.open(path);
  if (!contents) die(2, contents.error().message());
  Result<ProfileTrace> profile = trace_of_profile(contents->bytes(), path, files, {});
  if (!profile) die(2, profile.error().message());
  for (const std::string& remark : profile->remarks) report_message(path + ": " + remark);
  return MadeTrace{.trace = std::move(profile->trace),
                   .title = path.substr(path.rfind('/') + 1),
                   .note = std::move(profile->note)};
#else
  static_cast<void>(path);
  return {};
#endif
}

}  // namespace skein::cli
