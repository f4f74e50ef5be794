#include "trace/read/ctf/present.h"

#include <skein/format.h>

#if !defined(__wasm__)
#include <fcntl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#endif

namespace skein::ctf {

#if defined(__wasm__)
Present::Present() = default;
uint64_t Present::ticks(const std::string&, const std::string&) const { return UINT64_MAX; }
#else

namespace {

std::string boot_id_of_this_machine() {
  char text[64];
  const int file = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t size = ::read(file, text, sizeof text);
  ::close(file);
  std::string id(text, size > 0 ? static_cast<size_t>(size) : 0);
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

}  // namespace

Present::Present() {
#if defined(__x86_64__)
  int mode = 0;  // a process may forbid itself to read the counter
  if (prctl(PR_GET_TSC, &mode) == 0 && mode == PR_TSC_ENABLE) counter_ = __builtin_ia32_rdtsc();
#endif
  timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) == 0)
    monotonic_ns_ =
        static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t Present::ticks(const std::string& boot_id, const std::string& clock_source) const {
  const uint64_t count = clock_source == "tsc"         ? counter_
                         : clock_source == "monotonic" ? monotonic_ns_
                                                       : 0;
  if (count == 0 || boot_id.empty() || boot_id != boot_id_of_this_machine()) return UINT64_MAX;
  return count >> format::kTickShift;
}

#endif

}  // namespace skein::ctf
