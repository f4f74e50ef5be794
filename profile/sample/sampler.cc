#include "profile/sample/sampler.h"

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "base/disk_files.h"
#include "profile/perf/perf_writer.h"
#include "profile/perf/process_images.h"
#include "profile/perf/sample_unwinder.h"
#include "profile/sample/coroutine_chains.h"
#include "profile/sample/monotonic_clock.h"
#include "profile/sample/off_cpu.h"
#include "profile/sample/process_facts.h"
#include "profile/sample/stopping_sampler.h"
#include "target/process.h"

namespace skein {

namespace {

// Makes this thread run on a processor, before others if that is permitted.
void prefer_on(int processor) {
  if (processor < CPU_SETSIZE) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
  }
  const sched_param lowest_of_realtime{.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_FIFO, &lowest_of_realtime) != 0)
    setpriority(PRIO_PROCESS, 0, -20);
}

// Does not sleep for a short time, which would let the sampled thread run.
std::unique_lock<InheritingMutex> lock_awake(InheritingMutex& mutex) {
  constexpr uint64_t longest = 50'000;
  std::unique_lock lock(mutex, std::defer_lock);
  const uint64_t begin = monotonic_ns();
  while (!lock.try_lock())
    if (monotonic_ns() - begin > longest) {
      lock.lock();
      break;
    }
  return lock;
}

}  // namespace

struct Sampler::State {
  State(std::optional<PerfRings> opened, PerfWriter created)
      : rings(std::move(opened)), writer(std::move(created)) {}
  ~State() {
    stop_readers();
    if (has_work >= 0) close(has_work);
  }

  // A record that waits until no earlier one can come from another ring.
  struct Pending {
    uint64_t time = 0;
    size_t offset = 0;  // in `bytes`
    uint32_t size = 0;
    LogicalSample logical = {};
  };

  // What a running process has mapped, and the names of its threads. False: nothing has changed.
  bool note_present(uint32_t pid) {
    looked = monotonic_ns();
    std::ifstream file("/proc/" + std::to_string(pid) + "/maps");
    std::string maps{std::istreambuf_iterator<char>(file), {}};
    if (maps == noted) return false;
    noted = std::move(maps);
    for (const CodeMapping& one : code_mappings_of(pid)) {
      writer.add_mapping(pid, one.begin, one.begin + one.size, one.offset, one.file, one.build_id);
      images.use(one.record(pid));
      if (chains) chains->use(one.record(pid));
    }
    for (const uint32_t tid : threads_of(pid))
      if (named_threads.insert(tid).second) writer.add_name(pid, tid, thread_name(pid, tid), 0);
    return true;
  }

  void keep(std::span<const uint8_t> record) {
    taken.pending.push_back({.time = perf_record_time(record, rings->event()),
                             .offset = taken.bytes.size(),
                             .size = static_cast<uint32_t>(record.size()),
                             .logical = look_up(record)});
    taken.bytes.insert(taken.bytes.end(), record.begin(), record.end());
  }

  void take() {
    const uint64_t begin = monotonic_ns();
    {
      const std::lock_guard lock(mutex);
      rings->drain([&](std::span<const uint8_t> record) { keep(record); });
      std::swap(taken, fetched);
    }
    rings->change_periods();
    for (Pending& one : fetched.pending) one.offset += bytes.size();
    pending.insert(pending.end(), fetched.pending.begin(), fetched.pending.end());
    bytes.insert(bytes.end(), fetched.bytes.begin(), fetched.bytes.end());
    fetched.pending.clear();
    fetched.bytes.clear();
    // All that was written before the last call began has been read by now.
    use_until(std::exchange(last_take, begin));
  }

  // A thread for each processor reads its ring as soon as there is a sample. It runs on this
  // processor, before others, so that the sampled thread stands still until its coroutine is known.
  void start_readers() {
    for (size_t ring = 0; ring < rings->rings(); ring++)
      readers.emplace_back([this, ring](const std::stop_token& stop) {
        prefer_on(rings->processor(ring));
        while (!stop.stop_requested()) {
          constexpr int longest = 100;  // ms
          rings->wait(ring, longest);
          const std::unique_lock lock = lock_awake(mutex);
          rings->drain(ring, [&](std::span<const uint8_t> record) { keep(record); });
          if (chains->has_work()) eventfd_write(has_work, 1);
        }
      });
  }
  void stop_readers() {
    for (std::jthread& reader : readers) reader.request_stop();
    readers.clear();
  }

  // Returns true if `extra` is ready.
  bool wait_for_work(int milliseconds, int extra) {
    std::array<pollfd, 2> ready = {{{.fd = has_work, .events = POLLIN, .revents = 0},
                                    {.fd = extra, .events = POLLIN, .revents = 0}}};
    poll(ready.data(), extra < 0 ? 1 : 2, milliseconds);
    eventfd_t count = 0;
    if (ready[0].revents != 0 && eventfd_read(has_work, &count) == 0) {
      // Until then, samples have no chains.
      const int usual = getpriority(PRIO_PROCESS, 0);
      setpriority(PRIO_PROCESS, 0, usual - 10);
      chains->work(mutex);
      setpriority(PRIO_PROCESS, 0, usual);
      const std::lock_guard lock(mutex);
      if (chains->has_work()) eventfd_write(has_work, 1);
    }
    return extra >= 0 && ready[1].revents != 0;
  }

  LogicalSample logical_sample(const PerfRecord& sample) {
    LogicalSample found = chains->of(sample);
    found.task = tasks.of(sample);
    return found;
  }

  // While the process is where the sample was taken.
  LogicalSample look_up(std::span<const uint8_t> record) {
    PerfRecord parsed;
    if (!chains || !parse_perf_record(record, rings->event(), parsed)) return {};
    if (parsed.type == PerfRecord::Type::Sample) return logical_sample(parsed);
    chains->use(parsed);
    return {};
  }

  void use_until(uint64_t end) {
    std::stable_sort(pending.begin(), pending.end(),
                     [](const Pending& a, const Pending& b) { return a.time < b.time; });
    size_t used = 0;
    for (; used < pending.size() && pending[used].time < end; used++)
      use(std::span(bytes).subspan(pending[used].offset, pending[used].size),
          pending[used].logical);
    pending.erase(pending.begin(), pending.begin() + static_cast<ptrdiff_t>(used));
    // The rest is moved to the beginning.
    spare.clear();
    for (Pending& one : pending) {
      const size_t offset = spare.size();
      spare.insert(spare.end(), bytes.begin() + static_cast<ptrdiff_t>(one.offset),
                   bytes.begin() + static_cast<ptrdiff_t>(one.offset + one.size));
      one.offset = offset;
    }
    std::swap(bytes, spare);
  }

  void use(std::span<const uint8_t> record, const LogicalSample& logical) {
    PerfRecord parsed;
    if (!parse_perf_record(record, rings->event(), parsed)) return writer.add(record);
    images.use(parsed);
    if (parsed.type == PerfRecord::Type::Lost) counts.lost += parsed.lost;
    if (off_cpu && use_off_cpu(parsed, logical)) return;
    if (parsed.type != PerfRecord::Type::Sample) return writer.add(record);
    counts.samples++;
    writer.add_sample(parsed, unwinder.unwind(parsed), logical);
  }

  // False: it is another record.
  bool use_off_cpu(const PerfRecord& record, const LogicalSample& logical) {
    if (record.type == PerfRecord::Type::Sample) {
      off_cpu->leave(record, unwinder.unwind(record), logical);
      return true;
    }
    if (record.type == PerfRecord::Type::Exit) off_cpu->end(record.tid, record.time, write_wait);
    if (record.type != PerfRecord::Type::Switch) return false;
    if (!record.is_out)
      off_cpu->end(record.tid, record.time, write_wait);
    else if (record.is_preempted)
      off_cpu->preempt(record.tid);
    return true;
  }

  // Threads that wait already: of these, only pc and sp are known.
  void add_waiting(uint32_t pid) {
    Result<std::unique_ptr<Target>> target = open_process(pid);
    if (!target) return;
    std::vector<uint8_t> stack(rings->stack_bytes());
    const uint64_t now = monotonic_ns();
    for (const TargetThread& thread : (*target)->threads()) {
      const auto pc = thread.registers.get(return_address_register);
      const auto sp = thread.registers.get(stack_pointer_register);
      if (!pc || !sp) continue;
      PerfRecord sample;
      sample.pid = pid;
      sample.tid = static_cast<uint32_t>(thread.id);
      sample.time = now;
      sample.mode = 2;
      sample.address = *pc;
      sample.registers.set(return_address_register, *pc);
      sample.registers.set(stack_pointer_register, *sp);
      sample.stack = std::span(stack).first((*target)->read(*sp, stack));
      off_cpu->leave(sample, unwinder.unwind(sample), {});
    }
  }

  // Without records of the kernel, the process is looked at again when it has a new thread, or a
  // stack that cannot be followed: it may have mapped other files.
  void use_stopped(const PerfRecord& sample) {
    constexpr uint64_t look_again = 10'000'000;
    if (named_threads.insert(sample.tid).second)
      writer.add_name(sample.pid, sample.tid, thread_name(sample.pid, sample.tid), sample.time);
    std::span<const uint64_t> chain = unwinder.unwind(sample);
    if (unwinder.last_end() != StackEnd::Complete && sample.time - looked >= look_again &&
        note_present(stopping_pid))
      chain = unwinder.unwind(sample);
    counts.samples++;
    const LogicalSample logical = chains ? logical_sample(sample) : LogicalSample();
    while (chains && chains->has_work()) chains->work(mutex);
    writer.add_sample(sample, chain, logical);
  }

  // Samples until `end`.
  bool stop_and_go(uint64_t end, int extra) {
    while (monotonic_ns() < end) {
      random = random * 6364136223846793005 + 1442695040888963407;
      const uint64_t part = interval / 10;
      const uint64_t pause = interval - part / 2 + (part == 0 ? 0 : (random >> 33) % part);
      pollfd ready = {.fd = extra, .events = POLLIN, .revents = 0};
      const timespec time = {.tv_sec = static_cast<time_t>(pause / 1'000'000'000),
                             .tv_nsec = static_cast<long>(pause % 1'000'000'000)};
      if (ppoll(&ready, extra < 0 ? 0 : 1, &time, nullptr) > 0) return true;
      stopping->sample(2 * interval, [&](const PerfRecord& sample) { use_stopped(sample); });
    }
    return false;
  }

  // As the process sees it: its own root folder, files that were deleted or replaced.
  Result<Contents> open(const ProcessImages::File& file) {
    if (file.name == "[vdso]") return Contents::borrowed(own_vdso());
    if (file.name.starts_with('/')) {
      Result<std::unique_ptr<Target>> target = open_process(file.pid);
      const Mapping* mapping = target ? find_mapping((*target)->mappings(), file.begin) : nullptr;
      if (mapping != nullptr && mapping->file == file.name)
        if (Result<Contents> contents = (*target)->file_of(*mapping)) return contents;
    }
    static const std::map<std::string, std::string, std::less<>> no_ids;
    return open_from_disk(disk, no_ids)(file);
  }

  std::optional<PerfRings> rings;  // none: threads are stopped
  PerfWriter writer;
  std::optional<StoppingSampler> stopping = {};
  std::string why_stopping = {};
  uint32_t stopping_pid = 0;
  uint64_t interval = 0, looked = 0, random = 1;
  std::vector<uint32_t> pauses = {};
  std::string noted = {};  // of the process's mappings
  std::set<uint32_t> named_threads = {};
  DiskFiles disk;
  ProcessImages images = {};
  ImageFiles files{[this](const ProcessImages::File& file) { return open(file); }, disk};
  SampleUnwinder unwinder{images, files};
  std::optional<CoroutineChains> chains = {};  // nothing: no logical stacks
  ProcessTasks tasks = {};
  std::optional<OffCpu> off_cpu = {};
  OffCpu::Use write_wait = [this](const OffCpu::Wait& wait) {
    counts.samples++;
    writer.add_sample(wait.sample, wait.chain, wait.logical);
  };
  Counts counts = {};
  std::vector<Pending> pending = {};
  std::vector<uint8_t> bytes = {}, spare = {};
  uint64_t last_take = 0;
  // What readers have taken out of the rings; with `chains` and drains, guarded by the mutex.
  struct Records {
    std::vector<Pending> pending = {};
    std::vector<uint8_t> bytes = {};
  };
  Records taken = {}, fetched = {};
  InheritingMutex mutex;
  int has_work = -1;  // an eventfd: of chains
  std::vector<std::jthread> readers = {};
};

Sampler::Sampler(std::unique_ptr<State> state) : state_(std::move(state)) {}
Sampler::Sampler(Sampler&&) noexcept = default;
Sampler& Sampler::operator=(Sampler&&) noexcept = default;
Sampler::~Sampler() = default;

namespace {

// All threads of a process that runs. A thread that is created from now on is a child of one that
// is followed, or is found by the next look.
Result<PerfRings> open_all(uint32_t pid, const RingOptions& options) {
  std::vector<uint32_t> known = threads_of(pid);
  if (known.empty()) return Error{.what = "no process " + std::to_string(pid)};
  Result<PerfRings> rings = PerfRings::open(known, options);
  if (!rings) return rings;
  rings->enable();
  for (std::vector<uint32_t> now; (now = threads_of(pid)) != known; known = std::move(now)) {
    for (const uint32_t thread : now)
      if (!std::binary_search(known.begin(), known.end(), thread))
        if (const Result<void> added = rings->add(thread); !added) return added.error();
    rings->enable();
  }
  return rings;
}

}  // namespace

Result<Sampler> Sampler::begin(uint32_t pid, const std::string& path, const RingOptions& options) {
  if (threads_of(pid).empty()) return Error{.what = "no process " + std::to_string(pid)};
  Result<PerfRings> rings = options.starts_at_exec ? PerfRings::open(std::span(&pid, 1), options)
                                                   : open_all(pid, options);
  perf_event_attr attribute = {};
  std::optional<StoppingSampler> stopping;
  if (rings) {
    attribute = rings->attribute();
    // perf record --off-cpu writes such events.
    if (options.off_cpu) attribute.config = PERF_COUNT_SW_BPF_OUTPUT;
  } else if (options.off_cpu) {
    return Error{.what = rings.error().what,
                 .file = rings.error().file,
                 .advice = "off-CPU time needs kernel.perf_event_paranoid at 1 or less, or CAP_PERFMON"};
  } else {
    stopping.emplace(pid, options.stack_bytes, options.starts_at_exec);
    if (const Result<void> possible = stopping->check(); !possible)
      return Error{.what = rings.error().what + "; and " + possible.error().what,
                   .advice = rings.error().advice};
    attribute = PerfRings::software_clock(options);
    attribute.exclude_kernel = 1;
  }
  Result<PerfWriter> writer = PerfWriter::create(path, attribute);
  if (!writer) return writer.error();
  auto state = std::make_unique<State>(rings ? std::optional(std::move(*rings)) : std::nullopt,
                                       std::move(*writer));
  if (stopping) {
    state->stopping = std::move(stopping);
    state->stopping_pid = pid;
    state->interval = attribute.sample_period;
    state->why_stopping = rings.error().what;
  }
  if (options.logical) {
    state->chains.emplace(
        [own = state.get()](const ProcessImages::File& file) { return own->open(file); });
    if (state->rings) {
      state->has_work = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
      if (state->has_work < 0)
        return Error{.what = std::string("eventfd: ") + std::strerror(errno)};
    }
  }
  if (const uint64_t text = attribute.exclude_kernel ? 0 : kernel_text(); text != 0)
    state->writer.add_kernel(text, "_text");
  if (!options.starts_at_exec) state->note_present(pid);
  if (options.off_cpu) state->off_cpu.emplace();
  if (options.off_cpu && !options.starts_at_exec) state->add_waiting(pid);
  if (state->chains && state->rings) state->start_readers();
  return Sampler(std::move(state));
}

Result<Sampler> Sampler::attach(uint32_t pid, const std::string& path, const RingOptions& options) {
  return begin(pid, path, options);
}

Result<Sampler> Sampler::start(uint32_t pid, const std::string& path, const RingOptions& options) {
  RingOptions at_exec = options;
  at_exec.starts_at_exec = true;
  return begin(pid, path, at_exec);
}

bool Sampler::work(int milliseconds, int extra) {
  if (state_->stopping)
    return state_->stop_and_go(monotonic_ns() + static_cast<uint64_t>(milliseconds) * 1'000'000,
                               extra);
  const bool is_ready = state_->chains ? state_->wait_for_work(milliseconds, extra)
                                       : state_->rings->wait(milliseconds, extra);
  state_->take();
  return is_ready;
}

Result<void> Sampler::finish() {
  if (state_->stopping) {
    state_->pauses = state_->stopping->take_pauses();
    std::sort(state_->pauses.begin(), state_->pauses.end());
  } else {
    state_->rings->disable();
    state_->stop_readers();
    state_->take();
    state_->use_until(UINT64_MAX);
  }
  if (state_->off_cpu) {
    state_->off_cpu->end_all(monotonic_ns(), state_->write_wait);
    state_->counts.off_cpu_ns = state_->off_cpu->total_ns();
    state_->counts.preempted_ns = state_->off_cpu->preempted_ns();
  }
  state_->counts.unwound = state_->unwinder.counts();
  if (!state_->chains) return state_->writer.finish();
  state_->counts.coroutines = state_->chains->counts();
  state_->counts.tasks = state_->tasks.counts();
  return state_->writer.finish(&state_->chains->finish());
}

const Sampler::Counts& Sampler::counts() const { return state_->counts; }
bool Sampler::has_kernel() const { return state_->rings && state_->rings->has_kernel(); }
const std::string& Sampler::why_stopping() const { return state_->why_stopping; }
uint32_t Sampler::median_pause() const {
  return state_->pauses.empty() ? 0 : state_->pauses[state_->pauses.size() / 2];
}

ImageFiles::Open Sampler::open_files() const {
  return [state = state_.get()](const ProcessImages::File& file) -> Result<Contents> {
    const auto& known = state->images.files();
    for (uint32_t i = 0; i < known.size(); i++) {
      if (known[i].name != file.name || known[i].build_id != file.build_id) continue;
      const ImageFile& opened = state->files.of(i, known[i]);
      if (opened.is_open()) return Contents::borrowed(opened.bytes());
    }
    return Error{.what = "no such file", .file = file.name};
  };
}

}  // namespace skein
