#include "cli/free_memory.h"

#include <doctest/doctest.h>

using namespace skein;
using namespace skein::cli;

namespace {

constexpr uint64_t mib = 1 << 20;
constexpr std::string_view meminfo =
    "MemTotal:       16384 kB\nMemFree:         1024 kB\nMemAvailable:    8192 kB\n";

}  // namespace

TEST_CASE("free memory: the machine's") {
  MemoryFiles files;
  CHECK(!free_memory(files));
  files.add("/proc/meminfo", meminfo);
  CHECK(free_memory(files) == 8 * mib);
  files.add("/proc/self/cgroup", "0::/\n");
  CHECK(free_memory(files) == 8 * mib);
  files.add("/proc/self/cgroup", "nonsense\n0:\n::\n:memory\n0::x\n");
  CHECK(free_memory(files) == 8 * mib);
}

TEST_CASE("free memory: control groups, version 2") {
  MemoryFiles files;
  files.add("/proc/meminfo", meminfo);
  files.add("/proc/self/cgroup", "0::/outer/inner\n");
  files.add("/sys/fs/cgroup/outer/inner/memory.max", "max\n");
  files.add("/sys/fs/cgroup/outer/inner/memory.current", "1048576\n");
  CHECK(free_memory(files) == 8 * mib);
  files.add("/sys/fs/cgroup/outer/memory.max", "6291456\n");
  files.add("/sys/fs/cgroup/outer/memory.current", "4194304\n");
  CHECK(free_memory(files) == 2 * mib);
  files.add("/sys/fs/cgroup/outer/memory.stat", "anon 1\nfile 1048576\nfile_mapped 7\n");
  CHECK(free_memory(files) == 3 * mib);
  files.add("/sys/fs/cgroup/outer/memory.current", "9999999\n");  // above the limit
  CHECK(free_memory(files) == 0);
  // In a container whose group is the root.
  files.add("/proc/self/cgroup", "0::/../other\n");
  files.add("/sys/fs/cgroup/memory.max", "4194304\n");
  files.add("/sys/fs/cgroup/memory.current", "0\n");
  CHECK(free_memory(files) == 4 * mib);
}

TEST_CASE("free memory: control groups, version 1") {
  MemoryFiles files;
  files.add("/proc/meminfo", meminfo);
  files.add("/proc/self/cgroup", "5:devices:/\n4:cpu,memory:/box\n0::/\n");
  files.add("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  files.add("/sys/fs/cgroup/memory/memory.usage_in_bytes", "5\n");
  CHECK(free_memory(files) == 8 * mib);
  files.add("/sys/fs/cgroup/memory/box/memory.limit_in_bytes", "5242880\n");
  files.add("/sys/fs/cgroup/memory/box/memory.usage_in_bytes", "3145728\n");
  files.add("/sys/fs/cgroup/memory/box/memory.stat", "cache 1\ntotal_cache 2097152\n");
  CHECK(free_memory(files) == 4 * mib);
}
