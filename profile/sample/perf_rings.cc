#include "profile/sample/perf_rings.h"

#include <asm/perf_regs.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "target/perf_ring.h"

namespace skein {

namespace {

constexpr uint64_t second = 1'000'000'000;

// The general registers; those of segments and the flags are not needed.
constexpr uint64_t wanted_registers =
    (1ull << PERF_REG_X86_AX | 1ull << PERF_REG_X86_BX | 1ull << PERF_REG_X86_CX |
     1ull << PERF_REG_X86_DX | 1ull << PERF_REG_X86_SI | 1ull << PERF_REG_X86_DI |
     1ull << PERF_REG_X86_BP | 1ull << PERF_REG_X86_SP | 1ull << PERF_REG_X86_IP |
     1ull << PERF_REG_X86_R8 | 1ull << PERF_REG_X86_R9 | 1ull << PERF_REG_X86_R10 |
     1ull << PERF_REG_X86_R11 | 1ull << PERF_REG_X86_R12 | 1ull << PERF_REG_X86_R13 |
     1ull << PERF_REG_X86_R14 | 1ull << PERF_REG_X86_R15);

}  // namespace

struct PerfRings::Ring {
  PerfRing ring;
  bool is_hung_up = false;
};

PerfRings::PerfRings() = default;
PerfRings::PerfRings(PerfRings&& other) noexcept = default;

PerfRings& PerfRings::operator=(PerfRings&& other) noexcept {
  std::swap(attribute_, other.attribute_);
  std::swap(event_, other.event_);
  std::swap(processors_, other.processors_);
  std::swap(rings_, other.rings_);
  std::swap(descriptors_, other.descriptors_);
  return *this;
}

PerfRings::~PerfRings() {
  rings_.clear();
  for (const int descriptor : descriptors_) close(descriptor);
}

perf_event_attr PerfRings::software_clock(const RingOptions& options) {
  perf_event_attr attribute = {};
  attribute.size = sizeof attribute;
  attribute.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
                          PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
                          PERF_SAMPLE_STACK_USER;
  attribute.sample_regs_user = wanted_registers;
  attribute.sample_stack_user = options.stack_bytes;
  attribute.exclude_callchain_user = 1;
  attribute.exclude_hv = 1;
  attribute.disabled = 1;
  attribute.inherit = 1;
  attribute.enable_on_exec = options.starts_at_exec;
  attribute.mmap = attribute.mmap2 = attribute.comm = attribute.comm_exec = attribute.task = 1;
  attribute.sample_id_all = 1;
  attribute.build_id = 1;  // Linux 5.12
  attribute.use_clockid = 1;
  attribute.clockid = CLOCK_MONOTONIC;
  if (options.logical)
    attribute.wakeup_events = 1;
  else
    attribute.watermark = 1;  // of half a ring
  attribute.type = PERF_TYPE_SOFTWARE;
  attribute.config = PERF_COUNT_SW_CPU_CLOCK;
  attribute.sample_period = second / std::max(options.frequency, uint32_t{1});
  if (options.off_cpu) {
    attribute.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
    attribute.sample_period = 1;
    attribute.context_switch = 1;
  }
  return attribute;
}

Result<PerfRings> PerfRings::open(std::span<const uint32_t> threads, const RingOptions& options) {
  raise_descriptor_limit();
  PerfRings rings;
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  rings.random_ = static_cast<uint64_t>(now.tv_nsec) << 20 | static_cast<uint64_t>(getpid());
  rings.attribute_ = software_clock(options);
  rings.processors_ = online_processors();
  rings.rings_.resize(rings.processors_.size());
  if (threads.empty()) return Error{.what = "no threads"};
  if (const Result<void> chosen = rings.choose_event(threads.front()); !chosen)
    return chosen.error();
  for (const uint32_t thread : threads)
    if (const Result<void> added = rings.add(thread); !added) return added.error();
  if (std::none_of(rings.rings_.begin(), rings.rings_.end(),
                   [](const auto& ring) { return !!ring; }))
    return Error{.what = "the process has ended"};
  return rings;
}

// Cycles if the processor counts them, else the software clock; with the kernel's part if
// permitted; with build ids if the kernel knows them.
Result<void> PerfRings::choose_event(uint32_t thread) {
  if (counts_switches()) return choose_switches(thread);
  const uint64_t interval = attribute_.sample_period;
  int reason = 0;
  for (const bool counters : {true, false}) {
    for (const bool build_ids : {true, false}) {
      for (const bool kernel : {true, false}) {
        attribute_.type = counters ? uint32_t{PERF_TYPE_HARDWARE} : uint32_t{PERF_TYPE_SOFTWARE};
        attribute_.config =
            counters ? uint64_t{PERF_COUNT_HW_CPU_CYCLES} : uint64_t{PERF_COUNT_SW_CPU_CLOCK};
        attribute_.freq = counters;
        attribute_.sample_period = counters ? second / interval : interval;
        attribute_.build_id = build_ids;
        attribute_.exclude_kernel = !kernel;
        const int descriptor = open_event(thread, processors_.front());
        if (descriptor >= 0) {
          close(descriptor);
          const auto* const bytes = reinterpret_cast<const uint8_t*>(&attribute_);
          event_.read({bytes, sizeof attribute_});
          return {};
        }
        if (errno != ENOENT) reason = errno;
        if (errno == ESRCH) return Error{.what = "the process has ended"};
        if (counters && (errno == ENOENT || errno == EOPNOTSUPP)) break;
      }
    }
  }
  return perf_refusal(reason == 0 ? ENOENT : reason);
}

// They happen in the kernel: without its part, none is counted.
Result<void> PerfRings::choose_switches(uint32_t thread) {
  for (const bool build_ids : {true, false}) {
    attribute_.build_id = build_ids;
    const int descriptor = open_event(thread, processors_.front());
    if (descriptor < 0) continue;
    close(descriptor);
    event_.read({reinterpret_cast<const uint8_t*>(&attribute_), sizeof attribute_});
    return {};
  }
  if (errno == ESRCH) return Error{.what = "the process has ended"};
  return perf_refusal(errno);
}

int PerfRings::open_event(uint32_t thread, int processor) {
  return static_cast<int>(syscall(SYS_perf_event_open, &attribute_, static_cast<pid_t>(thread),
                                  processor, -1, PERF_FLAG_FD_CLOEXEC));
}

Result<void> PerfRings::add(uint32_t thread) {
  for (size_t i = 0; i < processors_.size(); i++) {
    const int descriptor = open_event(thread, processors_[i]);
    if (descriptor < 0) {
      if (errno == ESRCH) return {};                    // it has ended
      if (errno == ENODEV || errno == ENXIO) continue;  // the processor is off
      return perf_refusal(errno);
    }
    descriptors_.push_back(descriptor);
    if (rings_[i] == nullptr) {
      if (Result<void> mapped = map_ring(i, descriptor); !mapped) return mapped;
    } else if (ioctl(descriptor, PERF_EVENT_IOC_SET_OUTPUT, rings_[i]->ring.descriptor()) != 0) {
      return perf_refusal(errno);
    }
  }
  return {};
}

Result<void> PerfRings::map_ring(size_t ring, int descriptor) {
  constexpr size_t largest = 16 << 20;
  Result<PerfRing> mapped = PerfRing::map(descriptor, largest);
  if (!mapped) return mapped.error();
  rings_[ring] = std::make_unique<Ring>(Ring{.ring = std::move(*mapped)});
  return {};
}

void PerfRings::enable() {
  for (const int descriptor : descriptors_) ioctl(descriptor, PERF_EVENT_IOC_ENABLE, 0);
  change_periods();
}

void PerfRings::disable() {
  for (const int descriptor : descriptors_) ioctl(descriptor, PERF_EVENT_IOC_DISABLE, 0);
}

// A clock of exactly 1 ms meets work that a program does every millisecond always or never. Each
// event has its own period, within 5 %, and gets another from time to time; a sample has the one it
// was taken with.
void PerfRings::change_periods() {
  if (has_counters() || counts_switches()) return;  // the kernel adapts the period to the frequency
  // Each interrupts a processor: a few at a time.
  constexpr size_t most = 32;
  for (size_t i = 0; i < std::min(most, descriptors_.size()); i++) {
    next_period_ = (next_period_ + 1) % descriptors_.size();
    const int descriptor = descriptors_[next_period_];
    random_ = random_ * 6364136223846793005 + 1442695040888963407;
    const uint64_t part = attribute_.sample_period / 10;
    uint64_t period =
        attribute_.sample_period - part / 2 + (part == 0 ? 0 : (random_ >> 33) % part);
    ioctl(descriptor, PERF_EVENT_IOC_PERIOD, &period);
  }
}

bool PerfRings::wait(int milliseconds, int extra) {
  std::vector<pollfd> ready;
  std::vector<Ring*> owners;
  for (const auto& ring : rings_) {
    if (ring == nullptr || ring->is_hung_up) continue;
    ready.push_back({.fd = ring->ring.descriptor(), .events = POLLIN, .revents = 0});
    owners.push_back(ring.get());
  }
  if (extra >= 0) ready.push_back({.fd = extra, .events = POLLIN, .revents = 0});
  if (poll(ready.data(), ready.size(), milliseconds) <= 0) return false;
  // The thread of a ring's first event has ended; others go on to write into the ring.
  for (size_t i = 0; i < owners.size(); i++)
    if (ready[i].revents & (POLLHUP | POLLERR)) owners[i]->is_hung_up = true;
  return extra >= 0 && ready.back().revents != 0;
}

void PerfRings::wait(size_t number, int milliseconds) {
  Ring* const ring = rings_[number].get();
  if (ring == nullptr || ring->is_hung_up) {
    // Others may write into it, but it reports nothing any more.
    constexpr int often = 1;
    poll(nullptr, 0, ring == nullptr ? milliseconds : often);
    return;
  }
  pollfd ready = {.fd = ring->ring.descriptor(), .events = POLLIN, .revents = 0};
  if (poll(&ready, 1, milliseconds) > 0 && (ready.revents & (POLLHUP | POLLERR)))
    ring->is_hung_up = true;
}

void PerfRings::drain(const Use& use) {
  for (size_t ring = 0; ring < rings_.size(); ring++) drain(ring, use);
}

void PerfRings::drain(size_t number, const Use& use) {
  if (rings_[number] != nullptr) rings_[number]->ring.drain(use);
}

}  // namespace skein
