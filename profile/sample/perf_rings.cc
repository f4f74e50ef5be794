#include "profile/sample/perf_rings.h"

#include <asm/perf_regs.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <utility>

#include "profile/sample/monotonic_clock.h"
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
  uint64_t last_crowded = 0;   // for all threads
  uint64_t known_crowded = 0;  // when the clock was started last
  int clock = -1;    // of the processor
  uint64_t due = 0;  // when it fires next; 0: it has not been started
  int fired = 0;     // since then
  uint64_t begin = 0;  // when it was started last, for all threads
  uint64_t sampled = 0;  // the last `begin` that has a sample
  uint64_t random = 0;
};

PerfRings::PerfRings() = default;
PerfRings::PerfRings(PerfRings&& other) noexcept = default;

PerfRings& PerfRings::operator=(PerfRings&& other) noexcept {
  std::swap(attribute_, other.attribute_);
  std::swap(switches_, other.switches_);
  std::swap(records_, other.records_);
  std::swap(quiet_switches_, other.quiet_switches_);
  std::swap(wait_events_, other.wait_events_);
  std::swap(only_switches_, other.only_switches_);
  std::swap(clocks_, other.clocks_);
  std::swap(wait_ids_, other.wait_ids_);
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
  return attribute;
}

namespace {

perf_event_attr of_switches(perf_event_attr attribute) {
  attribute.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
  attribute.sample_period = 1;
  attribute.context_switch = 1;
  return attribute;
}

}  // namespace

Result<PerfRings> PerfRings::open(std::span<const uint32_t> threads, const RingOptions& options) {
  raise_descriptor_limit();
  PerfRings rings;
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  rings.random_ = static_cast<uint64_t>(now.tv_nsec) << 20 | static_cast<uint64_t>(getpid());
  rings.attribute_ = software_clock(options);
  rings.only_switches_ = options.off_cpu && !options.on_cpu;
  if (options.off_cpu && options.on_cpu) {
    rings.attribute_.sample_type |= PERF_SAMPLE_IDENTIFIER;
    rings.switches_ = of_switches(rings.attribute_);
    // Those of the first event are enough.
    rings.switches_->mmap = rings.switches_->mmap2 = rings.switches_->comm =
        rings.switches_->comm_exec = rings.switches_->task = rings.switches_->build_id = 0;
  } else if (options.off_cpu) {
    rings.attribute_ = of_switches(rings.attribute_);
  }
  rings.processors_ = online_processors();
  rings.rings_.resize(rings.processors_.size());
  if (threads.empty()) return Error{.what = "no threads"};
  if (const Result<void> chosen = rings.choose_event(threads.front()); !chosen)
    return chosen.error();
  // More often, readers would keep the rest of skein from its processors: a thread's own clock
  // stops while its reader runs.
  constexpr uint32_t most_frequent = 2000;
  if (options.logical && options.on_cpu && !rings.has_counters() &&
      options.frequency <= most_frequent)
    rings.open_processor_clocks();
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
  if (only_switches_) return choose_switches(thread);
  const uint64_t interval = attribute_.sample_period;
  if (switches_) {
    const int descriptor = open_event(*switches_, thread, processors_.front());
    if (descriptor < 0) return perf_refusal(errno);
    close(descriptor);
  }
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
        const int descriptor = open_event(attribute_, thread, processors_.front());
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
    const int descriptor = open_event(attribute_, thread, processors_.front());
    if (descriptor < 0) continue;
    close(descriptor);
    event_.read({reinterpret_cast<const uint8_t*>(&attribute_), sizeof attribute_});
    return {};
  }
  if (errno == ESRCH) return Error{.what = "the process has ended"};
  return perf_refusal(errno);
}

// Leaves all as it was where they are not permitted: without CAP_PERFMON, or with
// perf_event_paranoid above 0. Idle processors are interrupted, too: 1 % of each at 999 Hz, too
// much of many.
void PerfRings::open_processor_clocks() {
  constexpr size_t most_processors = 16;
  if (processors_.size() > most_processors) return;
  perf_event_attr clock = attribute_;
  clock.inherit = clock.enable_on_exec = clock.task = 0;
  clock.mmap = clock.mmap2 = clock.comm = clock.comm_exec = clock.build_id = 0;
  clock.exclude_idle = 1;
  clock.wakeup_events = 0;
  clock.watermark = 1;
  std::vector<int> opened(processors_.size(), -1);
  const auto close_all = [&] {
    for (const int descriptor : opened)
      if (descriptor >= 0) close(descriptor);
  };
  for (size_t i = 0; i < processors_.size(); i++) {
    opened[i] = static_cast<int>(
        syscall(SYS_perf_event_open, &clock, -1, processors_[i], -1, PERF_FLAG_FD_CLOEXEC));
    if (opened[i] >= 0 || errno == ENODEV || errno == ENXIO) continue;  // or the processor is off
    close_all();
    return;
  }
  for (size_t i = 0; i < processors_.size(); i++) {
    if (opened[i] < 0) continue;
    if (!map_ring(i, opened[i])) {
      for (auto& ring : rings_) ring.reset();
      close_all();
      return;
    }
    rings_[i]->clock = opened[i];
    rings_[i]->random = random_ + i;
  }
  for (const int descriptor : opened)
    if (descriptor >= 0) descriptors_.push_back(descriptor);
  const auto make_quiet = [](perf_event_attr& event) {
    event.wakeup_events = 0;
    event.watermark = 1;
  };
  records_ = attribute_;
  records_->config = PERF_COUNT_SW_DUMMY;
  make_quiet(*records_);
  if (!switches_) return;
  records_->context_switch = 1;
  switches_->context_switch = 0;
  quiet_switches_ = switches_;
  quiet_switches_->enable_on_exec = 0;
  make_quiet(*quiet_switches_);
}

int PerfRings::open_event(perf_event_attr& attribute, uint32_t thread, int processor) {
  return static_cast<int>(syscall(SYS_perf_event_open, &attribute, static_cast<pid_t>(thread),
                                  processor, -1, PERF_FLAG_FD_CLOEXEC));
}

Result<void> PerfRings::add(uint32_t thread) {
  perf_event_attr* const first = records_ ? &*records_ : &attribute_;
  for (size_t i = 0; i < processors_.size(); i++) {
    std::array<int, 2> of_waits = {-1, -1};
    for (perf_event_attr* attribute : {first, switches_ ? &*switches_ : nullptr,
                                       quiet_switches_ ? &*quiet_switches_ : nullptr}) {
      if (attribute == nullptr) continue;
      const int descriptor = open_event(*attribute, thread, processors_[i]);
      if (descriptor < 0) {
        if (errno == ESRCH) return {};                 // it has ended
        if (errno == ENODEV || errno == ENXIO) break;  // the processor is off
        return perf_refusal(errno);
      }
      descriptors_.push_back(descriptor);
      if (attribute == &attribute_ && !only_switches_) clocks_.push_back(descriptor);
      if (Result<void> added = add_to_ring(i, descriptor); !added) return added;
      if (attribute == first) continue;
      of_waits[attribute == &*switches_ ? 0 : 1] = descriptor;
      uint64_t id = 0;
      if (ioctl(descriptor, PERF_EVENT_IOC_ID, &id) == 0)
        wait_ids_.insert(std::upper_bound(wait_ids_.begin(), wait_ids_.end(), id), id);
    }
    if (of_waits[1] >= 0) wait_events_.push_back(of_waits);
  }
  return {};
}

Result<void> PerfRings::add_to_ring(size_t ring, int descriptor) {
  if (rings_[ring] == nullptr) return map_ring(ring, descriptor);
  if (ioctl(descriptor, PERF_EVENT_IOC_SET_OUTPUT, rings_[ring]->ring.descriptor()) != 0)
    return perf_refusal(errno);
  return {};
}

// Events that threads inherit have the identifier of the first one.
bool PerfRings::is_wait(std::span<const uint8_t> sample) const {
  if (!switches_) return only_switches_;
  uint64_t id = 0;
  if (sample.size() < perf_header_size + sizeof id) return false;
  std::memcpy(&id, sample.data() + perf_header_size, sizeof id);
  return std::binary_search(wait_ids_.begin(), wait_ids_.end(), id);
}

// Linux 6.18 writes samples of two events of the same switch with what it has found for the first,
// also the identifier: only one of them may be on for long.
void PerfRings::wake_at_waits(bool wanted) {
  wakes_at_waits_ = wanted;
  for (const auto& [waking, quiet] : wait_events_) {
    ioctl(wanted ? waking : quiet, PERF_EVENT_IOC_ENABLE, 0);
    ioctl(wanted ? quiet : waking, PERF_EVENT_IOC_DISABLE, 0);
  }
}

uint64_t PerfRings::last_crowded() const {
  uint64_t last = 0;
  for (const auto& ring : rings_)
    if (ring != nullptr) last = std::max(last, ring->last_crowded);
  return last;
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
  wake_at_waits(wakes_at_waits_);
  change_periods();
}

void PerfRings::disable() {
  for (const int descriptor : descriptors_) ioctl(descriptor, PERF_EVENT_IOC_DISABLE, 0);
}

// A clock of exactly 1 ms meets work that a program does every millisecond always or never. Each
// event has its own period, within 5 %, and gets another from time to time; a sample has the one it
// was taken with.
void PerfRings::change_periods() {
  if (has_counters()) return;  // the kernel adapts the period to the frequency
  // Each interrupts a processor: a few at a time.
  constexpr size_t most = 32;
  for (size_t i = 0; i < std::min(most, clocks_.size()); i++) {
    next_period_ = (next_period_ + 1) % clocks_.size();
    const int descriptor = clocks_[next_period_];
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

// Intervals without memory, the exponential distribution: the scheduler chooses the next thread
// when the reader sleeps again, so on a busy processor the runs of a thread begin where an interval
// does. If each lasted at least some time, the beginnings of runs would never be sampled: a thread
// that had a fifth of a processor got four fifths of its samples, and a loop of 0.5 ms up to 0.9 of
// them in the part that has 0.67. The thread that sleeps until then is woken by the interrupt of
// the clock if it is due at most some us earlier or later.
uint64_t PerfRings::restart_clock(Ring& ring) const {
  constexpr double longest = 20, steps = 1ull << 40;
  constexpr uint64_t least = 10'000;  // of the kernel
  ring.random = ring.random * 6364136223846793005 + 1442695040888963407;
  const double part = (static_cast<double>(ring.random >> 24) + 1) / steps;  // above 0, at most 1
  const double intervals = std::min(-std::log(part), longest);
  uint64_t period = std::max(
      least, static_cast<uint64_t>(intervals * static_cast<double>(attribute_.sample_period)));
  std::atomic_ref(ring.begin).store(monotonic_ns());
  ioctl(ring.clock, PERF_EVENT_IOC_PERIOD, &period);
  // The clock may fire once, and is off then: a reader that is late must find no ring full of
  // samples. (Enabled without such a permission, it would fire without a limit.) As long as it has
  // not fired, as on an idle processor, it still has its permission, unless the ring had no room
  // for the sample.
  const bool has_fired = std::atomic_ref(ring.fired).exchange(0) != 0;
  const uint64_t crowded = std::atomic_ref(ring.last_crowded).load();
  if (ring.due == 0 || has_fired || crowded != ring.known_crowded)
    ioctl(ring.clock, PERF_EVENT_IOC_REFRESH, 1);
  ring.known_crowded = crowded;
  return monotonic_ns() + period;
}

void PerfRings::wait(size_t number, int milliseconds) {
  Ring* const ring = rings_[number].get();
  if (ring != nullptr && ring->clock >= 0) {
    uint64_t now = monotonic_ns();
    if (now >= ring->due) {
      ring->due = restart_clock(*ring);
      now = monotonic_ns();
    }
    const uint64_t end = std::min(ring->due, now + static_cast<uint64_t>(milliseconds) * 1'000'000);
    const uint64_t left = end - std::min(end, now);
    const timespec time = {.tv_sec = static_cast<time_t>(left / second),
                           .tv_nsec = static_cast<long>(left % second)};
    pollfd ready = {.fd = ring->ring.descriptor(), .events = POLLIN, .revents = 0};
    ppoll(&ready, 1, &time, nullptr);
    return;
  }
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

// The clock has fired before its reader started it for the next interval, or again.
bool PerfRings::is_repeated(std::span<const uint8_t> record, Ring& ring) const {
  perf_event_header header = {};
  std::memcpy(&header, record.data(), sizeof header);
  if (header.type != PERF_RECORD_SAMPLE || is_wait(record)) return false;
  std::atomic_ref(ring.fired)++;
  const uint64_t begin = std::atomic_ref(ring.begin).load();
  return perf_record_time(record, event_) < begin || std::exchange(ring.sampled, begin) == begin;
}

void PerfRings::drain(const Use& use) {
  for (size_t ring = 0; ring < rings_.size(); ring++) drain(ring, use);
}

void PerfRings::drain(size_t number, const Use& use) {
  if (rings_[number] == nullptr) return;
  Ring& ring = *rings_[number];
  const bool is_crowded = ring.ring.is_crowded();
  if (ring.clock < 0)
    ring.ring.drain(use);
  else
    ring.ring.drain([&](std::span<const uint8_t> record) {
      if (!is_repeated(record, ring)) use(record);
    });
  if (is_crowded || ring.ring.is_crowded())
    std::atomic_ref(ring.last_crowded).store(monotonic_ns());
}

}  // namespace skein
