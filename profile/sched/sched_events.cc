#include "profile/sched/sched_events.h"

#include <linux/perf_event.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

#include "base/whole_text.h"
#include "target/thread_ids.h"

namespace skein {

namespace {

constexpr size_t largest_ring = 4 << 20;

perf_event_attr attribute() {
  perf_event_attr event = {};
  event.size = sizeof event;
  event.type = PERF_TYPE_SOFTWARE;
  event.config = PERF_COUNT_SW_DUMMY;
  event.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
  event.sample_id_all = 1;
  event.use_clockid = 1;
  event.clockid = CLOCK_MONOTONIC;
  event.watermark = 1;
  event.wakeup_watermark = 32 << 10;            // half of the smallest ring
  event.exclude_kernel = event.exclude_hv = 1;  // of samples; switches are reported all the same
  return event;
}

int open_event(perf_event_attr& event, int pid, int processor) {
  return static_cast<int>(
      syscall(SYS_perf_event_open, &event, pid, processor, -1, PERF_FLAG_FD_CLOEXEC));
}

// Where tracefs is mounted; empty: nowhere.
std::string tracefs() {
  std::ifstream mounts("/proc/self/mounts");
  std::string line, debugfs;
  while (std::getline(mounts, line)) {
    std::istringstream words(line);
    std::string device, folder, type;
    words >> device >> folder >> type;
    if (type == "tracefs") return folder;
    if (type == "debugfs") debugfs = folder + "/tracing";
  }
  return debugfs;
}

}  // namespace

Result<SchedEvents> SchedEvents::open(uint32_t pid) {
  raise_descriptor_limit();
  const std::vector<int> processors = online_processors();
  SchedEvents events;
  if (events.open_wide(processors)) {
    events.open_waking(processors);
    return events;
  }
  if (const Result<void> opened = events.open_threads(pid, processors); !opened)
    return opened.error();
  return events;
}

SchedEvents& SchedEvents::operator=(SchedEvents&& other) noexcept {
  std::swap(rings_, other.rings_);
  std::swap(descriptors_, other.descriptors_);
  std::swap(waking_, other.waking_);
  std::swap(is_wide_, other.is_wide_);
  std::swap(has_waking_, other.has_waking_);
  return *this;
}

SchedEvents::~SchedEvents() {
  rings_.clear();
  for (const int descriptor : descriptors_) close(descriptor);
}

std::vector<std::string> SchedEvents::missing() const {
  std::vector<std::string> missing;
  if (!is_wide_)
    missing.push_back(
        "without the threads that ran instead, and without wake-ups: these need "
        "kernel.perf_event_paranoid at 0 or less, or CAP_PERFMON");
  else if (!has_waking_)
    missing.push_back(
        "without wake-ups, so a woken thread that waits for a CPU counts as blocked: these need "
        "tracefs, mounted (mount -t tracefs nodev /sys/kernel/tracing) and readable");
  return missing;
}

int SchedEvents::open_switches(int pid, int processor) {
  perf_event_attr event = attribute();
  event.context_switch = event.task = event.comm = 1;
  event.inherit = pid >= 0;
  return open_event(event, pid, processor);
}

Result<void> SchedEvents::add(size_t processor, int descriptor) {
  descriptors_.push_back(descriptor);
  const auto same = std::find_if(rings_.begin(), rings_.end(),
                                 [&](const Ring& ring) { return ring.processor == processor; });
  if (same != rings_.end()) {
    if (ioctl(descriptor, PERF_EVENT_IOC_SET_OUTPUT, same->ring.descriptor()) != 0)
      return perf_refusal(errno);
    return {};
  }
  Result<PerfRing> ring = PerfRing::map(descriptor, largest_ring);
  if (!ring) return ring.error();
  rings_.push_back({.processor = processor, .ring = std::move(*ring)});
  return {};
}

bool SchedEvents::open_wide(const std::vector<int>& processors) {
  for (size_t i = 0; i < processors.size(); i++) {
    const int descriptor = open_switches(-1, processors[i]);
    const bool is_off = descriptor < 0 && (errno == ENODEV || errno == ENXIO);
    if (is_off) continue;
    if (descriptor >= 0 && add(i, descriptor)) continue;
    rings_.clear();
    for (const int opened : descriptors_) close(opened);
    descriptors_.clear();
    return false;
  }
  return is_wide_ = !rings_.empty();
}

Result<void> SchedEvents::open_threads(uint32_t pid, const std::vector<int>& processors) {
  const auto threads = thread_ids("/proc/" + std::to_string(pid) + "/task");
  for (const uint64_t thread : threads)
    for (size_t i = 0; i < processors.size(); i++) {
      const int descriptor = open_switches(static_cast<int>(thread), processors[i]);
      if (descriptor < 0) {
        if (errno == ESRCH) break;                        // it has ended
        if (errno == ENODEV || errno == ENXIO) continue;  // the processor is off
        return perf_refusal(errno);
      }
      if (Result<void> added = add(i, descriptor); !added) return added;
    }
  if (rings_.empty()) return Error{.what = "the process has ended"};
  return {};
}

void SchedEvents::open_waking(const std::vector<int>& processors) {
  const std::string folder = tracefs() + "/events/sched/sched_waking";
  const std::optional<WakingLayout> layout = read_waking_format(whole_text(folder + "/format"));
  perf_event_attr event = attribute();
  event.type = PERF_TYPE_TRACEPOINT;
  event.config = std::strtoull(whole_text(folder + "/id").c_str(), nullptr, 10);
  event.sample_type |= PERF_SAMPLE_RAW;
  event.sample_period = 1;
  event.exclude_kernel = 0;
  if (!layout || event.config == 0) return;
  waking_ = *layout;
  for (size_t i = 0; i < processors.size(); i++) {
    const int descriptor = open_event(event, -1, processors[i]);
    if (descriptor >= 0) has_waking_ |= static_cast<bool>(add(i, descriptor));
  }
}

void SchedEvents::wait(int milliseconds) {
  std::vector<pollfd> ready;
  for (const Ring& ring : rings_)
    ready.push_back({.fd = ring.ring.descriptor(), .events = POLLIN, .revents = 0});
  // The thread of a ring's first event has ended; others go on to write into the ring.
  if (poll(ready.data(), ready.size(), 0) > 0)
    for (pollfd& one : ready)
      if (one.revents & (POLLHUP | POLLERR)) one.fd = -1;
  poll(ready.data(), ready.size(), milliseconds);
}

void SchedEvents::drain(const std::function<void(const SchedRecord&)>& use) {
  for (Ring& ring : rings_)
    ring.ring.drain([&](std::span<const uint8_t> bytes) {
      std::optional<SchedRecord> record = decode_sched_record(bytes, waking_);
      if (!record) return;
      if (record->kind == SchedRecord::Kind::Lost && ring.last_time != 0)
        record->time = ring.last_time;
      ring.last_time = record->time;
      use(*record);
    });
}

}  // namespace skein
