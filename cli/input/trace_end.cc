#include "cli/input/trace_end.h"

#include <fcntl.h>
#include <skein/format.h>
#include <unistd.h>

#include <cstddef>
#include <utility>

namespace skein::cli {

void note_trace_end(const std::string& directory, pid_t pid, int64_t ended_utc,
                    const LastSleep& last) {
  using Header = format::TaskTableHeader;
  const int file = open((directory + "/.tasks").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return;
  Header header = {};
  if (pread(file, &header, sizeof header, 0) == static_cast<ssize_t>(sizeof header) &&
      header.magic == format::kTableMagic && header.version == format::kVersion &&
      header.pid == static_cast<uint64_t>(pid)) {
    for (const auto& [utc, at] : {std::pair(ended_utc, offsetof(Header, ended_utc)),
                                  std::pair(last.in_loop, offsetof(Header, alone_utc)),
                                  std::pair(last.for_good, offsetof(Header, asleep_utc))}) {
      [[maybe_unused]] const ssize_t written =
          pwrite(file, &utc, sizeof utc, static_cast<off_t>(at));  // without it: unknown
    }
  }
  close(file);
}

}  // namespace skein::cli
