#include "target/perf_ring.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

namespace skein {

namespace {

constexpr size_t page = 4096;

std::string paranoid_level() {
  const int file = ::open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);
  char text[16] = {};
  const ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  return size <= 0 ? "unknown" : std::string(text, std::strcspn(text, "\n"));
}

}  // namespace

Result<PerfRing> PerfRing::map(int descriptor, size_t largest) {
  constexpr size_t least = 64 << 10;
  for (size_t size = largest; size >= least; size /= 2) {
    void* const base =
        mmap(nullptr, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (base != MAP_FAILED) return PerfRing(descriptor, base, size);
  }
  return Error{.what = "no memory for the samples: " + std::string(std::strerror(errno)),
               .advice = "raise kernel.perf_event_mlock_kb, or the limit of ulimit -l"};
}

PerfRing& PerfRing::operator=(PerfRing&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(base_, other.base_);
  std::swap(size_, other.size_);
  std::swap(copy_, other.copy_);
  return *this;
}

PerfRing::~PerfRing() {
  if (base_ != nullptr) munmap(base_, page + size_);
}

bool PerfRing::is_crowded() const {
  auto& head = *reinterpret_cast<perf_event_mmap_page*>(base_);
  return std::atomic_ref(head.data_head).load(std::memory_order_acquire) - head.data_tail >
         size_ / 2;
}

void PerfRing::drain(const std::function<void(std::span<const uint8_t>)>& use) {
  auto& head = *reinterpret_cast<perf_event_mmap_page*>(base_);
  const uint8_t* const data = base_ + page;
  const uint64_t end = std::atomic_ref(head.data_head).load(std::memory_order_acquire);
  uint64_t at = head.data_tail;
  while (end - at >= sizeof(perf_event_header)) {
    const uint64_t offset = at & (size_ - 1);
    // A header does not continue at the beginning: sizes are multiples of 8.
    const auto rest = std::span(data + offset, size_ - offset);
    perf_event_header header;
    std::memcpy(&header, rest.data(), sizeof header);
    const size_t size = header.size;
    if (size < sizeof header || size > end - at) break;
    if (size <= rest.size()) {
      use(rest.first(size));
    } else {
      copy_.assign(rest.begin(), rest.end());
      copy_.insert(copy_.end(), data, data + (size - rest.size()));
      use(copy_);
    }
    at += size;
    std::atomic_ref(head.data_tail).store(at, std::memory_order_release);
  }
}

std::vector<int> online_processors() {
  std::vector<int> processors;
  const long count = sysconf(_SC_NPROCESSORS_CONF);
  for (int i = 0; i < count; i++) {
    const std::string path =
        "/sys/devices/system/cpu/cpu" + std::to_string(i) + "/online";  // of cpu0 often missing
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    char state = '1';
    if (file >= 0) {
      if (read(file, &state, 1) != 1) state = '1';
      close(file);
    }
    if (state == '1') processors.push_back(i);
  }
  if (processors.empty()) processors.push_back(0);
  return processors;
}

void raise_descriptor_limit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

Error perf_refusal(int reason) {
  if (reason == EACCES || reason == EPERM)
    return {.what = "the kernel refuses perf_event_open (kernel.perf_event_paranoid is " +
                    paranoid_level() + ")",
            .advice =
                "run skein as the process's user with perf_event_paranoid at 2 or less, give "
                "it CAP_PERFMON, or permit perf_event_open in the container's seccomp profile"};
  if (reason == EMFILE)
    return {.what = "too many threads: each needs a descriptor for each processor",
            .advice = "raise the limit: ulimit -n"};
  return {.what = std::string("perf_event_open: ") + std::strerror(reason)};
}

}  // namespace skein
