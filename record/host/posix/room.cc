// How much of the machine this process may use: a ring must not grow at the expense of the program.
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/vfs.h>

#include "record/host/posix/state.h"

namespace skein::record {
namespace {

constexpr uint64_t kNoLimit = UINT64_MAX;

uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

// The smallest memory.max of the process's control group and those above it, which contains a ring
// on a memory file system. In a container the group's path is that inside.
uint64_t memory_of_group() {
  char groups[1024];
  if (read_text("/proc/self/cgroup", groups, sizeof groups) == 0) return kNoLimit;
  char* line = strstr(groups, "0::/");  // version 2
  if (line == nullptr || (line != groups && line[-1] != '\n')) return kNoLimit;
  char* path = line + strlen("0::");
  path[strcspn(path, "\n")] = 0;
  uint64_t least = kNoLimit;
  for (;;) {
    char limit[32];
    const Text file = Text().add("/sys/fs/cgroup").add(path).add("/memory.max");
    if (read_text(file.data, limit, sizeof limit) > 0 && limit[0] != 'm')  // "max"
      least = smaller(least, strtoull(limit, nullptr, 10));
    char* last = strrchr(path, '/');
    if (last == nullptr) return least;
    *last = 0;
  }
}

}  // namespace

uint64_t room_for(const char* directory) {
  uint64_t room = memory_of_group();
  struct sysinfo machine;
  if (sysinfo(&machine) == 0) room = smaller(room, uint64_t{machine.totalram} * machine.mem_unit);
  struct statfs disk;
  if (statfs(directory, &disk) == 0)
    room = smaller(room, uint64_t{disk.f_bavail} * static_cast<uint64_t>(disk.f_bsize));
  rlimit space;
  if (getrlimit(RLIMIT_AS, &space) == 0) room = smaller(room, space.rlim_cur);
  return room;
}

}  // namespace skein::record
