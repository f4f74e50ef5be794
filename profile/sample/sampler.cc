#include "profile/sample/sampler.h"

#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/disk_files.h"
#include "base/whole_text.h"
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

uint64_t cpu_ns(clockid_t clock) {
  timespec used = {};
  clock_gettime(clock, &used);
  return static_cast<uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(used.tv_nsec);
}

// Makes this thread run on a processor, before others if that is permitted.
void prefer_on(int processor) {
  if (processor < CPU_SETSIZE) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
  }
  prctl(PR_SET_TIMERSLACK, 1);
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
    bool is_unread = false;  // a wait whose memory was not read
  };

  // What a running process has mapped, and the names of its threads. False: nothing has changed.
  bool note_present(uint32_t pid) {
    looked = monotonic_ns();
    std::string maps = whole_text("/proc/" + std::to_string(pid) + "/maps");
    if (maps == noted) return false;
    noted = std::move(maps);
    for (const CodeMapping& one : code_mappings_of(pid)) {
      writer.add_mapping(pid, one.begin, one.begin + one.size, one.offset, one.file, one.build_id);
      images.use(one.record(pid));
      if (chains) chains->use(one.record(pid));
    }
    own.insert(pid);
    for (const uint32_t tid : threads_of(pid)) {
      if (named_threads.insert(tid).second) writer.add_name(pid, tid, thread_name(pid, tid), 0);
    }
    return true;
  }

  void keep(std::span<const uint8_t> record) {
    PerfRecord parsed;
    const bool is_known = parse_perf_record(record, rings->event(), parsed);
    if (is_known && is_known_foreign(record, parsed)) return;
    const bool is_later = is_known && read_later(record, parsed);
    taken.pending.push_back({.time = perf_record_time(record, rings->event()),
                             .offset = taken.bytes.size(),
                             .size = static_cast<uint32_t>(record.size()),
                             .logical = is_known && !is_later ? look_up(parsed) : LogicalSample(),
                             .is_unread = is_later});
    taken.bytes.insert(taken.bytes.end(), record.begin(), record.end());
  }

  // With clocks of processors, the memory of a thread that waits is read after all rings: as long
  // as it waits, nothing on its stack changes. False: this is no wait.
  bool read_later(std::span<const uint8_t> raw, const PerfRecord& record) {
    if (!rings->has_processor_clocks() || !chains || !off_cpu) return false;
    if (record.type == PerfRecord::Type::Exit) away.erase(record.tid);
    if (record.type == PerfRecord::Type::Switch) {
      Away& thread = away[record.tid];
      if (!record.is_out) thread.back = std::max(thread.back, record.time);
      if (record.is_out && record.time >= thread.left) thread.is_preempted = record.is_preempted;
      if (record.is_out && !record.is_preempted) waits++;
    }
    if (record.type != PerfRecord::Type::Sample || !rings->is_wait(raw)) return false;
    Away& thread = away[record.tid];
    if (record.time <= thread.left) return true;
    thread.left = record.time;
    thread.is_preempted = false;
    thread.number = taken.pending.size();
    // Its return may have been in another ring, read before.
    if (thread.back < record.time) to_read.push_back({record.tid, record.time, record.cpu});
    return true;
  }

  // Reads the memory of threads that wait. If records show that one has not gone on until then,
  // what was read is that of its wait. Others are not known. Those that this reader has preempted
  // are left for later: `processor`, since `begin`. False: there was none to read.
  bool read_waits(int processor, uint64_t begin) {
    constexpr size_t most = 64;  // at once
    constexpr uint64_t to_switch = 50'000;
    if (to_read.empty()) return false;
    std::vector<std::pair<WaitToRead, LogicalSample>> found;
    for (const WaitToRead& wait : std::exchange(to_read, {})) {
      const auto thread = away.find(wait.tid);
      if (!is_away(thread, wait)) continue;
      const bool is_own = thread->second.is_preempted && static_cast<int>(wait.cpu) == processor &&
                          wait.left + to_switch > begin;
      if (is_own || found.size() >= most) {
        to_read.push_back(wait);
        continue;
      }
      const Pending& kept = taken.pending[thread->second.number];
      PerfRecord parsed;
      if (parse_perf_record(std::span(taken.bytes).subspan(kept.offset, kept.size), rings->event(),
                            parsed))
        found.emplace_back(wait, logical_wait(parsed));
    }
    if (found.empty()) return false;
    drain_all();
    for (auto& [wait, logical] : found) {
      const auto thread = away.find(wait.tid);
      if (!is_away(thread, wait) || wait.left <= rings->last_crowded()) continue;
      Pending& kept = taken.pending[thread->second.number];
      if (logical.is_logical()) read_counts.in_coroutines++;
      if (logical.is_unknown()) read_counts.unknown++;
      kept.logical = std::move(logical);
      kept.is_unread = false;
    }
    return true;
  }

  // A processor's clock has sampled a process that is known to be another one. One that is not
  // known may be a new child, whose record is in the ring of another processor. Any record of a
  // process shows that it is followed, so that a lost one does no harm.
  bool is_known_foreign(std::span<const uint8_t> raw, const PerfRecord& record) {
    if (!rings->has_processor_clocks() || record.type == PerfRecord::Type::Lost) return false;
    if (record.type == PerfRecord::Type::Sample && !rings->is_wait(raw))
      return others.contains(record.pid);
    if (followed.insert(record.pid).second) others.erase(record.pid);
    return false;
  }

  // The same, of all records in the order of time, which decides.
  bool is_foreign(const PerfRecord& record) {
    if (!rings->has_processor_clocks() || record.type == PerfRecord::Type::Lost) return false;
    if (record.type != PerfRecord::Type::Sample) own.insert(record.pid);
    if (own.contains(record.pid)) return false;
    new_others.insert(record.pid);
    return true;
  }

  void drain_all() {
    for (size_t ring = 0; ring < rings->rings(); ring++)
      rings->drain(ring, [&](std::span<const uint8_t> record) { keep(record); });
  }

  void take() {
    const uint64_t begin = monotonic_ns();
    {
      const std::lock_guard lock(mutex);
      drain_all();
      constexpr int most_rounds = 4;  // reading finds new waits
      for (int round = 0; round < most_rounds && read_waits(-1, begin); round++) {
      }
      choose_wake_ups(SIZE_MAX);
      std::swap(taken, fetched);
      to_read.clear();
      constexpr size_t most_others = 1 << 16;
      if (others.size() > most_others) others.clear();
      for (const uint32_t pid : new_others)
        if (!followed.contains(pid)) others.insert(pid);
      new_others.clear();
    }
    for (const ReaderRun& run : fetched.runs) reader_runs[run.processor].push_back(run);
    fetched.runs.clear();
    rings->change_periods();
    for (Pending& one : fetched.pending) one.offset += bytes.size();
    pending.insert(pending.end(), fetched.pending.begin(), fetched.pending.end());
    bytes.insert(bytes.end(), fetched.bytes.begin(), fetched.bytes.end());
    fetched.pending.clear();
    fetched.bytes.clear();
    // All that was written before the last call began has been read by now.
    constexpr uint64_t most_ns = 100'000'000;
    use_until(std::exchange(last_take, begin), most_ns);
  }

  // A wait that wakes its reader costs 16 us, but is read even if it is shorter than the interval
  // of samples. So the first ones of each 100 ms do, as many as take 2 % of a processor; of a
  // program that waits more often, these stand for the others. With the mutex. A change takes some
  // us for each thread and processor, and is left for later if there are more than `most_events`.
  static constexpr size_t quick = 64;
  void choose_wake_ups(size_t most_events) {
    constexpr uint64_t usual = 100'000'000, most = 125;
    if (!off_cpu || !rings->has_processor_clocks()) return;
    const size_t events = std::max(rings->wait_events(), away.size() * rings->rings());
    if (events > most_events) return;
    const uint64_t now = monotonic_ns(), windows = 1 + events / quick;
    const bool is_over = now - window_begin >= usual * windows;
    const bool wanted = is_over || (wakes_at_waits && waits < most * windows);
    if (wanted != wakes_at_waits) rings->wake_at_waits(wanted);
    wakes_at_waits = wanted;
    if (!is_over) return;
    waits = 0;
    window_begin = now;
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
          const uint64_t begin = monotonic_ns();
          const std::unique_lock lock = lock_awake(mutex);
          rings->drain(ring, [&](std::span<const uint8_t> record) { keep(record); });
          read_waits(rings->processor(ring), begin);
          choose_wake_ups(quick);
          if (chains->has_work()) eventfd_write(has_work, 1);
          if (off_cpu) taken.runs.push_back({rings->processor(ring), begin, monotonic_ns()});
        }
      });
  }
  // Else a process with many threads that run leaves this one so little time that the profile ends
  // late. Without permission it does. Also for what follows: the process goes on.
  static void raise_priority() { setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) - 10); }

  void stop_readers() {
    for (std::jthread& reader : readers) reader.request_stop();
    readers.clear();
  }

  void read_symbols() {
    const uint64_t begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    chains->work(mutex);
    symbols_ns += cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
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
      read_symbols();
      setpriority(PRIO_PROCESS, 0, usual);
      const std::lock_guard lock(mutex);
      if (chains->has_work()) eventfd_write(has_work, 1);
    }
    return extra >= 0 && ready[1].revents != 0;
  }

  LogicalSample logical_sample(const PerfRecord& sample) {
    if (!chains->knows(sample.pid)) return {};
    LogicalSample found = chains->of(sample);
    found.task = tasks.of(sample);
    return found;
  }

  // Not counted: the wait may be over.
  LogicalSample logical_wait(const PerfRecord& sample) {
    if (!chains->knows(sample.pid)) return {};
    LogicalSample found = chains->of_waiting(sample);
    found.task = tasks.of(sample);
    return found;
  }

  // While the process is where the sample was taken.
  LogicalSample look_up(const PerfRecord& record) {
    if (!chains) return {};
    if (record.type == PerfRecord::Type::Sample) return logical_sample(record);
    chains->use(record);
    if (record.type == PerfRecord::Type::Exit) tasks.forget(record.tid);
    return {};
  }

  // For at most about `most_ns`, so that the profile ends when its time is over, but never with
  // more than some memory left.
  void use_until(uint64_t end, uint64_t most_ns = UINT64_MAX) {
    constexpr size_t most_bytes = size_t{256} << 20;
    std::stable_sort(pending.begin(), pending.end(),
                     [](const Pending& a, const Pending& b) { return a.time < b.time; });
    const uint64_t begin = monotonic_ns();
    size_t used = 0;
    for (; used < pending.size() && pending[used].time < end; used++) {
      if (bytes.size() < most_bytes && monotonic_ns() - begin > most_ns) break;
      use(std::span(bytes).subspan(pending[used].offset, pending[used].size), pending[used]);
    }
    if (used < pending.size()) end = std::min(end, pending[used].time);
    pending.erase(pending.begin(), pending.begin() + static_cast<ptrdiff_t>(used));
    // A wait that is longer is none of a reader's.
    for (auto& [processor, runs] : reader_runs)
      while (!runs.empty() && runs.front().end + longest_own < end) runs.pop_front();
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

  void use(std::span<const uint8_t> record, const Pending& kept) {
    const LogicalSample& logical = kept.logical;
    PerfRecord parsed;
    if (!parse_perf_record(record, rings->event(), parsed)) return writer.add(record);
    images.use(parsed);
    if (parsed.type == PerfRecord::Type::Lost) counts.lost += parsed.lost;
    if (parsed.type == PerfRecord::Type::Sample && rings->is_wait(record)) {
      if (off_cpu->is_away_since(parsed.tid, parsed.time)) return;  // the same once more
      const std::span<const uint64_t> chain = unwinder.unwind(parsed);
      unread_waits.erase(parsed.tid);
      return off_cpu->leave(parsed, chain, kept.is_unread ? unread(parsed) : logical);
    }
    if (off_cpu) end_wait(parsed);
    if (parsed.type == PerfRecord::Type::Switch && !keeps_cpu) return;
    if (is_foreign(parsed)) return;
    if (parsed.type != PerfRecord::Type::Sample) return writer.add(record);
    parsed.event = cpu_event;
    counts.samples++;
    if (parsed.pid != process) counts.in_others++;
    writer.add_sample(parsed, unwinder.unwind(parsed), logical);
  }

  // A wait that was over before it could be read, whose stack is the last one, is unknown if it is
  // one of a coroutine.
  LogicalSample unread(const PerfRecord& sample) {
    const std::lock_guard lock(mutex);
    if (!chains->is_in_coroutine(sample.pid, unwinder.last_stack())) return {};
    unread_waits.insert(sample.tid);
    return {.functions = 0, .chain = LogicalSample::unknown};
  }

  void end_wait(const PerfRecord& record) {
    if (record.type == PerfRecord::Type::Exit) off_cpu->end(record.tid, record.time, write_wait);
    if (record.type != PerfRecord::Type::Switch) return;
    if (!record.is_out)
      off_cpu->end(record.tid, record.time, write_wait);
    else if (record.is_preempted)
      off_cpu->preempt(record.tid);
  }

  // The thread was preempted by the reader of its processor, and no other ran there before or
  // after.
  bool is_own(const OffCpu::Wait& wait) const {
    const auto runs = reader_runs.find(static_cast<int>(wait.sample.cpu));
    if (!wait.is_preempted || runs == reader_runs.end()) return false;
    const uint64_t begin = wait.sample.time, end = begin + wait.sample.period;
    const auto run =
        std::lower_bound(runs->second.begin(), runs->second.end(), begin,
                         [](const ReaderRun& one, uint64_t time) { return one.begin < time; });
    if (run == runs->second.end() || run->begin >= end) return false;
    constexpr uint64_t to_switch = 50'000;
    return run->begin - begin < to_switch && end - std::min(end, run->end) < to_switch;
  }

  bool write_off_cpu(const OffCpu::Wait& wait) {
    const bool is_unread = unread_waits.erase(wait.sample.tid) != 0;
    if (is_own(wait)) {
      counts.own_ns += wait.sample.period;
      return false;
    }
    if (is_unread) counts.unread++;
    counts.waits++;
    writer.add_sample(wait.sample, wait.chain, wait.logical);
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
      const PerfRecord sample = sample_of_waiting(**target, thread, now, stack);
      off_cpu->leave(sample, unwinder.unwind(sample), {});
      if (keeps_cpu) writer.add_switch_out(pid, sample.tid, now);
    }
    waiting_process = pid;
    waiting_since = now;
  }

  static PerfRecord sample_of_waiting(const Target& target, const TargetThread& thread,
                                      uint64_t time, std::vector<uint8_t>& stack) {
    PerfRecord sample;
    const auto sp = thread.registers.get(stack_pointer_register).value_or(0);
    sample.pid = static_cast<uint32_t>(target.pid());
    sample.tid = static_cast<uint32_t>(thread.id);
    sample.time = time;
    sample.mode = 2;
    sample.address = thread.registers.get(return_address_register).value_or(0);
    sample.registers.set(return_address_register, sample.address);
    sample.registers.set(stack_pointer_register, sp);
    sample.stack = std::span(stack).first(target.read(sp, stack));
    return sample;
  }

  // The coroutines of threads that have waited all the time: none of their samples could be read.
  // As events are still on, a record shows if one has gone on until then, and set_waiting() leaves
  // it out.
  void read_waiting() {
    constexpr int most_rounds = 20;  // of reading symbols
    if (!off_cpu || !chains || waiting_process == 0) return;
    Result<std::unique_ptr<Target>> target = open_process(waiting_process);
    if (!target) return;
    std::vector<uint8_t> stack(rings->stack_bytes());
    const std::vector<TargetThread> threads = (*target)->threads();
    for (int round = 0; round < most_rounds; round++) {
      for (const TargetThread& thread : threads) {
        const std::lock_guard lock(mutex);
        const auto tid = static_cast<uint32_t>(thread.id);
        if (!thread.registers.get(return_address_register) ||
            !off_cpu->is_away_since(tid, waiting_since))
          continue;
        const PerfRecord sample = sample_of_waiting(**target, thread, waiting_since, stack);
        read_at_end[tid] = logical_wait(sample);
      }
      {
        const std::lock_guard lock(mutex);
        if (!chains->has_work()) break;
      }
      read_symbols();
      take();
    }
  }

  // After all records.
  void set_waiting() {
    for (const auto& [tid, logical] : read_at_end) {
      if (!off_cpu->is_away_since(tid, waiting_since)) continue;
      off_cpu->set_logical(tid, logical);
      if (logical.is_logical()) counts.at_end++;
      if (logical.is_unknown()) counts.unread++;
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
        note_present(process))
      chain = unwinder.unwind(sample);
    counts.samples++;
    const LogicalSample logical = chains ? logical_sample(sample) : LogicalSample();
    while (chains && chains->has_work()) read_symbols();
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
      stopping->sample([&](const PerfRecord& sample) { use_stopped(sample); });
      note_cpu_time();
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

  void note_cpu_time() { cpu_now = std::max(cpu_now, process_cpu_ns(process).value_or(0)); }

  std::optional<PerfRings> rings;  // none: threads are stopped
  PerfWriter writer;
  std::optional<StoppingSampler> stopping = {};
  std::string why_stopping = {};
  uint32_t process = 0;
  uint64_t cpu_begin = 0, cpu_now = 0;  // ns that the process has used
  uint64_t profiler_begin = 0, symbols_ns = 0;  // the same of this one
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
  OffCpu::Use write_wait = [this](const OffCpu::Wait& wait) { return write_off_cpu(wait); };
  bool keeps_cpu = true;   // RingOptions::on_cpu
  uint32_t cpu_event = 0;  // of the file; waits are the first
  Counts counts = {};
  std::vector<Pending> pending = {};
  std::vector<uint8_t> bytes = {}, spare = {};
  uint64_t last_take = 0;
  // While a reader had its processor.
  struct ReaderRun {
    int processor = 0;
    uint64_t begin = 0, end = 0;
  };
  static constexpr uint64_t longest_own = 1'000'000'000;
  std::map<int, std::deque<ReaderRun>> reader_runs = {};  // by processor
  // Processes, if processors have clocks: those that are followed, in the order of time, and those
  // found to be others since the last take().
  std::unordered_set<uint32_t> own = {}, new_others = {};
  // The same as readers know it, guarded by the mutex. A new process is in none of these.
  std::unordered_set<uint32_t> followed = {}, others = {};
  CoroutineChains::Counts read_counts = {};  // of read_waits(); guarded by the mutex
  // By thread, guarded by the mutex: when it has last left its CPU, and last got one.
  struct Away {
    uint64_t left = 0, back = 0;
    bool is_preempted = false;
    size_t number = 0;  // in taken.pending, of the wait
  };
  struct WaitToRead {
    uint32_t tid = 0;
    uint64_t left = 0;
    uint32_t cpu = 0;
  };
  using AwayThreads = std::unordered_map<uint32_t, Away>;
  bool is_away(AwayThreads::const_iterator thread, const WaitToRead& wait) const {
    return thread != away.end() && thread->second.left == wait.left &&
           thread->second.back < wait.left;
  }
  AwayThreads away = {};
  std::vector<WaitToRead> to_read = {};
  std::unordered_set<uint32_t> unread_waits = {};  // threads in one whose chain is unknown
  uint32_t waiting_process = 0;  // whose threads waited at the beginning, and when that was
  uint64_t waiting_since = 0;
  std::map<uint32_t, LogicalSample> read_at_end = {};  // by thread
  bool wakes_at_waits = true;
  uint64_t waits = 0, window_begin = monotonic_ns();
  // What readers have taken out of the rings; with `chains` and drains, guarded by the mutex.
  struct Records {
    std::vector<Pending> pending = {};
    std::vector<uint8_t> bytes = {};
    std::vector<ReaderRun> runs = {};
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

namespace {

// perf record --off-cpu writes such events.
perf_event_attr of_waits(perf_event_attr attribute) {
  attribute.type = PERF_TYPE_SOFTWARE;
  attribute.config = PERF_COUNT_SW_BPF_OUTPUT;
  attribute.sample_period = 1;
  attribute.freq = 0;
  attribute.context_switch = 1;
  return attribute;
}

}  // namespace

Result<Sampler> Sampler::begin(uint32_t pid, const std::string& path, const RingOptions& options) {
  if (threads_of(pid).empty()) return Error{.what = "no process " + std::to_string(pid)};
  if (const uint32_t process = process_of(pid); process != pid && process != 0)
    return Error{.what = std::to_string(pid) + " is a thread of process " + std::to_string(process),
                 .advice = "give " + std::to_string(process)};
  Result<PerfRings> rings = options.starts_at_exec ? PerfRings::open(std::span(&pid, 1), options)
                                                   : open_all(pid, options);
  perf_event_attr attribute = {};
  std::optional<StoppingSampler> stopping;
  if (rings) {
    attribute = rings->attribute();
  } else if (options.off_cpu) {
    return Error{.what = rings.error().what,
                 .file = rings.error().file,
                 .advice = "off-CPU time needs kernel.perf_event_paranoid at 1 or less, or CAP_PERFMON"};
  } else {
    attribute = PerfRings::software_clock(options);
    attribute.exclude_kernel = 1;
    stopping.emplace(pid, attribute.sample_period, options.stack_bytes, options.starts_at_exec);
    if (const Result<void> begun = stopping->begin(); !begun)
      return Error{.what = rings.error().what + "; and " + begun.error().what,
                   .advice = rings.error().advice};
  }
  std::vector<perf_event_attr> events;
  if (options.off_cpu) events.push_back(of_waits(attribute));
  if (options.on_cpu) events.push_back(attribute);
  Result<PerfWriter> writer = PerfWriter::create(path, events);
  if (!writer) return writer.error();
  auto state = std::make_unique<State>(rings ? std::optional(std::move(*rings)) : std::nullopt,
                                       std::move(*writer));
  state->process = pid;
  state->cpu_begin = state->cpu_now = process_cpu_ns(pid).value_or(0);
  state->profiler_begin = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
  state->keeps_cpu = options.on_cpu;
  state->cpu_event = options.off_cpu ? 1 : 0;
  if (stopping) {
    state->stopping = std::move(stopping);
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
  if (state->rings) State::raise_priority();
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
  state_->note_cpu_time();
  return is_ready;
}

Result<void> Sampler::finish() {
  state_->note_cpu_time();
  state_->counts.cpu_ns = state_->cpu_now - state_->cpu_begin;
  if (state_->stopping) {
    state_->pauses = state_->stopping->take_pauses();
    std::sort(state_->pauses.begin(), state_->pauses.end());
    state_->counts.sampled_ns = state_->stopping->sampled_ns();
  } else {
    state_->read_waiting();
    state_->stop_readers();
    state_->rings->disable();
    state_->take();
    state_->use_until(UINT64_MAX);
    state_->set_waiting();
  }
  state_->counts.profiler_ns =
      cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - state_->profiler_begin - state_->symbols_ns;
  if (state_->off_cpu) {
    state_->off_cpu->end_all(monotonic_ns(), state_->write_wait);
    state_->counts.off_cpu_ns = state_->off_cpu->total_ns();
    state_->counts.preempted_ns = state_->off_cpu->preempted_ns();
  }
  state_->counts.unwound = state_->unwinder.counts();
  if (!state_->chains) return state_->writer.finish();
  const LogicalStacks& stacks = state_->chains->finish();
  state_->counts.coroutines = state_->chains->counts();
  const CoroutineChains::Counts& read = state_->read_counts;
  state_->counts.coroutines.in_coroutines +=
      state_->counts.unread + state_->counts.at_end + read.in_coroutines + read.unknown;
  state_->counts.coroutines.unknown += state_->counts.unread + read.unknown;
  state_->counts.tasks = state_->tasks.counts();
  return state_->writer.finish(&stacks);
}

const Sampler::Counts& Sampler::counts() const { return state_->counts; }
bool Sampler::has_kernel() const { return state_->rings && state_->rings->has_kernel(); }
const std::string& Sampler::why_stopping() const { return state_->why_stopping; }
uint32_t Sampler::median_pause() const {
  return state_->pauses.empty() ? 0 : state_->pauses[state_->pauses.size() / 2];
}

const std::map<uint32_t, uint32_t>& Sampler::thread_numbers() const {
  return state_->tasks.numbers();
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
