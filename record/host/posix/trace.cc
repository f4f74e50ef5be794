// Starts and stops a trace: by skein_start, or from the environment before main.
//
// Start is the only operation that may be slow (at most 5 ms) and that reports why it failed.
//
//    mkdir /parent/.skein-PID  ->  table, names, streams, metadata  ->  rename to /parent/name
//                              ->  on
//
// A directory with a trace's name is therefore complete. A program killed before the rename leaves
// a hidden directory. The enable flag is set last.
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <skein/metadata.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <initializer_list>
#include <new>

#include "record/core/spin.h"
#include "record/host/posix/control.h"
#include "record/host/posix/options.h"
#include "record/host/posix/sampling.h"
#include "record/host/posix/state.h"

alignas(4096) unsigned char skein_page[4096];

namespace skein::record {

State state;

// This module's page also where the name above leads to the copy in the executable.
[[gnu::visibility("hidden"), gnu::alias("skein_page")]] extern unsigned char own_page[4096];

void set_flag(unsigned index, bool value) {
  for (unsigned char* page : {own_page, skein_page}) {
    __asm__("" : "+r"(page));  // g++ knows that they are aliases
    __atomic_store_n(&page[index], static_cast<unsigned char>(value), __ATOMIC_RELEASE);
  }
}

size_t read_text(const char* path, char* to, size_t size) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const ssize_t n = read(fd, to, size - 1);
  close(fd);
  size_t length = n > 0 ? static_cast<size_t>(n) : 0;
  while (length > 0 && to[length - 1] == '\n') --length;
  to[length] = 0;
  return length;
}

namespace {

constexpr uint64_t kDefaultSize = uint64_t{1} << 20;
constexpr uint32_t kDefaultTasks = 262'144;
constexpr size_t kSmallestChunk = size_t{16} << 10;
constexpr uint32_t kRowsReserved = 1024;  // rows with memory from the start: 64 KiB

void set_on(bool on) {
  set_flag(0, on);
  if (state.table != nullptr && state.table->header != nullptr)
    __atomic_store_n(&state.table->header->enabled, uint64_t{on ? 1u : 0u}, __ATOMIC_RELAXED);
  if (!on) close_streams();
}

uint64_t take_ids() { return __atomic_fetch_add(&state.next_id, kIdBlock, __ATOMIC_RELAXED); }

// A preempted holder may wait some milliseconds for its processor. Yielding is not enough, because
// the holder may run on another processor; so this sleeps, 30 ms in total at most.
void yield(uint32_t turn) {
  constexpr timespec kMoment = {0, 50'000};
  if (turn < 16) {
    sched_yield();
  } else {
    const DisableCancellation disable;
    nanosleep(&kMoment, nullptr);
  }
}

void call_with_signals_blocked(void (*body)(void*), void* argument) {
  BlockSignals block;
  body(argument);
}

// Converts the requested directory to an absolute path. Returns 0 or an errno value.
int expand(const char* wanted, Text& path) {
  if (wanted == nullptr || wanted[0] == 0) wanted = "skein-%p";
  if (wanted[0] != '/') {
    char here[1024];
    if (getcwd(here, sizeof here) == nullptr) return errno;
    path.add(here).add("/");
  }
  for (const char* at = wanted; *at != 0; ++at) {
    if (at[0] == '%' && at[1] == 'p') {
      path.add(static_cast<uint64_t>(getpid()));
      ++at;
    } else {
      const char one[2] = {*at, 0};
      path.add(one);
    }
  }
  while (path.size > 1 && path.data[path.size - 1] == '/') path.data[--path.size] = 0;
  return path.size + 40 > sizeof TraceFiles::directory ? ENAMETOOLONG : 0;
}

constexpr unsigned kAttempts = 1000;  // to find an unused name

// Creates the hidden directory for the files, in the same parent. Returns 0 or an errno value.
int make_hidden_directory(const Text& wanted, TraceFiles& files) {
  Text base;
  base.add(wanted.data);
  while (base.size > 0 && base.data[base.size - 1] != '/') base.data[--base.size] = 0;
  base.add(".skein-").add(static_cast<uint64_t>(getpid()));
  for (unsigned attempt = 0; attempt < kAttempts; ++attempt) {
    Text path = base;
    if (attempt > 0) path.add(".").add(attempt);
    if (path.size >= sizeof files.directory) return ENAMETOOLONG;
    if (mkdir(path.data, 0700) == 0) {
      memcpy(files.directory, path.data, path.size + 1);
      return 0;
    }
    if (errno != EEXIST) return errno;
  }
  return EEXIST;
}

bool move_directory(const char* from, const char* to) {
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  // The file system does not support RENAME_NOREPLACE (NFS): an empty directory created between
  // these two calls is replaced; nothing else can be.
  struct stat facts;
  if (lstat(to, &facts) == 0) errno = EEXIST;
  return errno == ENOENT && rename(from, to) == 0;
}

// Renames the directory to its final name, or if that exists to name.PID, name.PID.2 ... A child
// begins with name.PID. Returns 0 or an errno value.
int rename_to_final_name(const Text& wanted, bool is_child, TraceFiles& files) {
  for (unsigned attempt = is_child ? 1 : 0; attempt < kAttempts; ++attempt) {
    Text path = wanted;
    if (attempt > 0) path.add(".").add(static_cast<uint64_t>(getpid()));
    if (attempt > 1) path.add(".").add(attempt);
    if (move_directory(files.directory, path.data)) {
      memcpy(files.directory, path.data, path.size + 1);
      return 0;
    }
    if (errno != EEXIST && errno != ENOTEMPTY) return errno;
  }
  return EEXIST;
}

void make_uuid(const ClockInfo& clock, uint8_t (&uuid)[16]) {
  if (getrandom(uuid, sizeof uuid, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof uuid)) {
    // Unavailable early at boot, or forbidden. The uuid must be unique, not secret.
    const uint64_t parts[2] = {clock.realtime_ns, clock.ticks ^ static_cast<uint64_t>(getpid())
                                                                    << 48};
    memcpy(uuid, parts, sizeof parts);
  }
  uuid[6] = static_cast<uint8_t>((uuid[6] & 0x0f) | 0x40);  // RFC 4122, version 4
  uuid[8] = static_cast<uint8_t>((uuid[8] & 0x3f) | 0x80);
}

int write_the_metadata() {
  char boot_id[64] = {};
  char process[64] = {};
  utsname host_names;
  if (uname(&host_names) != 0) host_names.nodename[0] = 0;
  read_text("/proc/sys/kernel/random/boot_id", boot_id, sizeof boot_id);
  read_text("/proc/self/comm", process, sizeof process);

  const ClockInfo& clock = state.files->clock;
  constexpr uint64_t kSecond = 1'000'000'000;
  // UTC of tick 0, in seconds and ticks.
  __extension__ using Wide = __int128;  // no warning with -pedantic
  const auto rate = static_cast<Wide>(clock.ticks_per_second);
  const Wide utc =
      static_cast<Wide>(clock.realtime_ns) * rate / kSecond - static_cast<Wide>(clock.ticks);
  Wide seconds = utc / rate;
  Wide rest = utc % rate;
  if (rest < 0) {
    rest += rate;
    --seconds;
  }
  format::MetadataInfo info = {};
  memcpy(info.uuid, state.files->uuid, sizeof info.uuid);
  info.clock = clock.counter == nullptr ? "tsc" : "monotonic";
  info.frequency = clock.ticks_per_second;
  info.offset_s = static_cast<int64_t>(seconds);
  info.offset = static_cast<uint64_t>(rest);
  info.precision = clock.bracket_ns * clock.ticks_per_second / kSecond + 1;
  info.hostname = host_names.nodename;
  info.boot_id = boot_id;
  info.procname = process;
  info.pid = static_cast<uint64_t>(getpid());
  info.mode = state.files->log ? "log" : "ring";

  constexpr size_t kRoom = size_t{64} << 10;
  void* memory = mmap(nullptr, kRoom, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return errno;
  char* text = static_cast<char*>(memory);
  size_t size = 0;
  format::write_metadata(info, [&](const char* piece, size_t length) {
    if (length > kRoom - size) length = kRoom - size;
    memcpy(text + size, piece, length);
    size += length;
  });
  const bool written = write_file(*state.files, "metadata", text, size);
  const int reason = errno;
  munmap(memory, kRoom);
  return written ? 0 : reason;
}

uint32_t reserve_rows(TaskTable& table, uint32_t rows) {
  uint32_t end = (rows + kRowsReserved - 1) / kRowsReserved * kRowsReserved;
  if (end > table.capacity) end = table.capacity;
  const size_t from = format::kTableHeaderSize + size_t{table.reserved} * sizeof(TaskRow);
  const size_t to = format::kTableHeaderSize + size_t{end} * sizeof(TaskRow);
  ErrnoGuard errno_guard;
  constexpr size_t kPage = 4096;
  char* base = reinterpret_cast<char*>(table.header);
  const size_t first_page = from / kPage * kPage;
  const auto& files = *static_cast<const TraceFiles*>(table.trace);
  const bool allocated = files.all_at_start || allocate(files, ".tasks", from, to - from);
  if (!allocated || !touch(base + first_page, to - first_page)) {
    count_lost(&table, format::kLoss_disk_full);
    return table.reserved;
  }
  return end;
}

struct NewTable {
  uint32_t rows;
};

// The time since the process started, in ns; 0: unknown. The kernel counts it in ticks of 10 ms.
uint64_t process_age() {
  char text[1024];
  if (read_text("/proc/self/stat", text, sizeof text) == 0) return 0;
  const char* at = strrchr(text, ')');  // the end of the name, which may contain anything
  constexpr int kStartTime = 20;        // fields after the name
  for (int field = 0; at != nullptr && field < kStartTime; ++field) at = strchr(at + 1, ' ');
  timespec now;
  const long rate = sysconf(_SC_CLK_TCK);
  if (at == nullptr || rate <= 0 || syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &now) != 0)
    return 0;  // the vDSO would read the counter, which the program may have disabled
  uint64_t ticks = 0;
  for (++at; *at >= '0' && *at <= '9'; ++at) ticks = ticks * 10 + static_cast<uint64_t>(*at - '0');
  constexpr uint64_t kSecond = 1'000'000'000;
  const uint64_t started = ticks * (kSecond / static_cast<uint64_t>(rate));
  const uint64_t uptime =
      static_cast<uint64_t>(now.tv_sec) * kSecond + static_cast<uint64_t>(now.tv_nsec);
  return ticks != 0 && uptime > started ? uptime - started : 0;
}

// Not constexpr: it is read from outside.
const format::CurrentTasks current_tasks = {
    .magic = format::kCurrentTasksMagic,
    .streams = reinterpret_cast<uintptr_t>(&state.streams),
    .blocks = reinterpret_cast<uintptr_t>(state.blocks),
    .per_block = kWritersPerBlock,
    .size = sizeof(Writer),
    .task = offsetof(Writer, current),
    .thread = offsetof(Writer, tid),
    .flags = offsetof(Writer, flags),
    .reserved = 0,
};

void fill_table(char* base, void* argument) {
  auto& header = *reinterpret_cast<format::TaskTableHeader*>(base);
  header.magic = format::kTableMagic;
  header.version = format::kVersion;
  header.row_size = sizeof(TaskRow);
  header.rows = static_cast<NewTable*>(argument)->rows;
  header.rows_used = 1;
  header.pid = static_cast<uint64_t>(getpid());
  header.start_ticks = state.files->clock.ticks;
  header.current_tasks = reinterpret_cast<uintptr_t>(&current_tasks);
  header.late_ns = state.files->options.at_load ? 0 : process_age();
  header.ring_bytes = state.files->log ? 0 : state.files->chunk_size * state.files->ring_chunks;
}

void* zeroed(size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

int make_table(uint32_t rows) {
  auto* memory = zeroed(sizeof(TaskTable));
  if (memory == nullptr) return ENOMEM;
  auto* table = new (memory) TaskTable;
  NewTable fresh = {rows};
  const size_t size = format::kTableHeaderSize + size_t{rows} * sizeof(TaskRow);
  const size_t allocated = state.files->all_at_start ? size : format::kTableHeaderSize;
  char* base = make_file(*state.files, ".tasks", size, allocated, format::kTableHeaderSize,
                         fill_table, &fresh);
  if (base == nullptr) return errno;
  table->header = reinterpret_cast<format::TaskTableHeader*>(base);
  table->rows = reinterpret_cast<TaskRow*>(base + format::kTableHeaderSize);
  table->capacity = rows;
  table->links = static_cast<uint32_t*>(zeroed(size_t{rows} * sizeof(uint32_t)));
  table->reserved = 0;
  table->reserve = reserve_rows;
  table->trace = state.files;
  table->reserved = reserve_rows(*table, 1);
  publish(state.table, table);
  end_own_mapping();
  return 0;
}

int make_names() {
  auto* names = static_cast<Names*>(zeroed(sizeof(Names)));
  auto* writer_memory = zeroed(sizeof(Writer));
  if (names == nullptr || writer_memory == nullptr) return ENOMEM;
  // The files of an older trace are kept: a thread may be writing an event of it.
  madvise(writer_memory, sizeof(Writer), MADV_WIPEONFORK);
  auto* writer = new (writer_memory) Writer;
  writer->stream = format::kNamesStream;
  writer->flags = format::kFlagNames;
  writer->counter = state.files->clock.counter;
  writer->generation = state.generation;
  writer->table = state.table;
  writer->trace = state.files;
  if (!open_stream(*writer)) return errno != 0 ? errno : ENOSPC;
  names->stream = writer;
  publish(state.names, names);
  publish(state.names_writer, writer);
  return 0;
}

void size_the_ring(TraceFiles& files, uint64_t size) {
  if (size == 0) size = kDefaultSize;
  files.ring_chunks = size >= (512u << 10) ? 8 : 4;
  files.chunk_size = (size / files.ring_chunks + 4095) & ~size_t{4095};
  if (files.chunk_size < kSmallestChunk) files.chunk_size = kSmallestChunk;
}

// Removes what start created before it failed.
void remove_files() {
  const TraceFiles& files = *state.files;
  {
    const DirectoryUse directory(files.handle);
    const auto remove = [&](const char* name) {
      if (directory.fd() >= 0) unlinkat(directory.fd(), name, 0);
    };
    for (const char* name : {".tasks", ".metadata", "metadata", "names-0"}) remove(name);
    for (uint32_t stream = 0; stream < state.streams; ++stream)
      for (unsigned chunk = 0; chunk < (files.all_at_start ? files.ring_chunks : 1); ++chunk)
        remove(Text().add("s").add(stream, 5).add("-").add(chunk).data);
  }
  close_directory(files.handle);
  rmdir(files.directory);
}

int make_files(const Options& options, bool is_child) {
  const uint32_t rows = options.tasks != 0 ? options.tasks : kDefaultTasks;
  if (const int error = make_table(rows); error != 0) return error;
  if (const int error = make_names(); error != 0) return error;
  if (options.all_files_for != 0) {
    if (!create_streams(options.all_files_for)) return errno != 0 ? errno : ENOSPC;
    make_handles();
  }
  prepare_streams(options.all_files_for != 0 ? 0 : kPreparedStreams);
  define_clock_pair(*state.names, state.files->clock.ticks, state.files->clock.monotonic_ns,
                    state.files->clock.realtime_ns, state.files->clock.bracket_ns);
  define_modules(is_child);
  finish_clock(state.files->clock);
  state.files->keep =
      state.files->growth.keep_ns / 1'000'000 * state.files->clock.ticks_per_second / 1000;
  return write_the_metadata();
}

// `parent`: of a followed child, else null. Of a child of a program with threads only functions
// that a signal handler may call are called here.
int start_files(const Options& options, const Text& wanted, const TraceFiles* parent) {
  void* memory = zeroed(sizeof(TraceFiles));
  if (memory == nullptr) return ENOMEM;
  auto* files = new (memory) TraceFiles;
  if (const int error = make_hidden_directory(wanted, *files); error != 0) return error;
  memcpy(files->wanted, wanted.data, wanted.size + 1);
  files->options = options;
  files->log = options.log;
  files->all_at_start = options.all_files_for != 0;
  size_the_ring(*files, options.size);
  if (may_grow(options)) files->growth = growth_of(options, room_for(files->directory));
  files->handle.path = files->directory;
  if (const int error = open_directory(files->handle); error != 0) {
    rmdir(files->directory);
    return error;
  }
  files->clock = choose_clock(options);
  if (files->clock.ticks_per_second == 0 && parent != nullptr)
    files->clock.ticks_per_second = parent->clock.ticks_per_second;
  make_uuid(files->clock, files->uuid);

  if (!begin_generation(*files)) {
    close_directory(files->handle);
    rmdir(files->directory);
    return EBUSY;
  }
  if (state.files != nullptr && state.pid == getpid()) close_directory(state.files->handle);
  state.pid = getpid();
  publish(state.files, files);
  publish(state.shown, static_cast<const TraceFiles*>(nullptr));
  __atomic_store_n(&state.bytes, 0, __ATOMIC_RELAXED);

  int error = make_files(options, parent != nullptr);
  if (error == 0) error = rename_to_final_name(wanted, parent != nullptr, *files);
  if (error != 0) {
    remove_files();
    return error;
  }
  files->sealed = files->all_at_start;
  if (files->sealed) close_directory(files->handle);
  publish(state.shown, static_cast<const TraceFiles*>(files));
  return 0;
}

int start(const Options& options) {
  if (state.generation == 0) {
    host = {.make_room = make_room,
            .take_ids = take_ids,
            .read_cpu_time = read_cpu_time,
            .protect = call_with_signals_blocked};
    relax = yield;
  }
  if (madvise(skein_page, sizeof skein_page, MADV_WIPEONFORK) != 0) return errno;
  madvise(own_page, sizeof own_page, MADV_WIPEONFORK);  // if it fails, children look at skein_page
  if (!make_thread_key()) return EAGAIN;
  Text wanted;
  if (const int error = expand(options.directory, wanted); error != 0) return error;
  if (const int error = start_files(options, wanted, nullptr); error != 0) return error;
  pin_module();
  watch_bus_errors();
  watch_forks();
  set_on(true);
  return 0;
}

bool recording() { return __atomic_load_n(skein_page, __ATOMIC_ACQUIRE) != 0; }

// A followed child records nothing until it starts a trace itself.
void stop_awaiting() {
  set_on(false);
  __atomic_store_n(&state.awaits_first_event, false, __ATOMIC_RELEASE);
}

}  // namespace

int start_trace(const Options* options) {
  BlockSignals block;
  SpinLock lock(start_lock());
  if (!lock) return EBUSY;
  if (awaits_first_event() && options != nullptr) stop_awaiting();  // the program's choice is first
  if (recording()) return EALREADY;
  if (options != nullptr) return start(*options);
  if (state.shown == nullptr || state.pid != getpid()) return EINVAL;  // no trace to resume
  set_on(true);
  return 0;
}

const char* sample_trace(uint32_t rate) {
  BlockSignals block;
  SpinLock lock(start_lock());
  if (!lock) return strerror(EBUSY);
  if (awaits_first_event() || !recording()) return "no trace is being recorded";
  const int error = start_sampling(rate);
  if (error == EBUSY) return "threads are not sampled: the program uses SIGURG and SIGPROF itself";
  return error == 0 ? nullptr : strerror(error);
}

const char* sample_as_requested() {
  const TraceFiles* files = now_of(state.shown);
  const uint32_t rate = files != nullptr ? files->options.sample_rate : 0;
  return rate != 0 ? sample_trace(rate) : nullptr;
}

bool start_in_child() {
  BlockSignals block;
  SpinLock lock(start_lock());
  if (!lock) return false;
  if (!awaits_first_event()) return recording();  // another thread was faster
  const TraceFiles& parent = *state.shown;
  Text wanted;
  wanted.add(parent.wanted);
  if (start_files(parent.options, wanted, &parent) != 0) {
    stop_awaiting();
    return false;
  }
  continue_sampling_in_child();
  set_on(true);
  __atomic_store_n(&state.awaits_first_event, false, __ATOMIC_RELEASE);
  return true;
}

Names* names_for_lookup() {
  if (awaits_first_event() && !start_in_child()) return nullptr;
  return now_of(state.names);
}

namespace {

// error: an errno value, or 0 if `what` is the whole problem.
void report_start_failure(const char* what, int error) {
  Text line;
  line.add("skein: cannot record: ").add(what);
  if (error != 0) line.add(": ").add(strerror(error));
  line.add("\n");
  [[maybe_unused]] const ssize_t written = write(2, line.data, line.size);
}

// Starts recording and the control socket if the environment requests them. If that fails, the
// program runs unrecorded: one message on stderr is the only effect.
__attribute__((constructor)) void start_by_environment() {
  ErrnoGuard errno_guard;
  const DisableCancellation disable;   // the thread may be one that calls dlopen
  if (another_copy_is_used()) return;  // which is started by its own constructor
  // secure_getenv: ignored if the program has more privileges than its caller.
  const char* control = secure_getenv("SKEIN_CONTROL");
  if (control != nullptr && control[0] != 0) {
    if (const char* wrong = listen_for_control(control); wrong != nullptr)
      report_start_failure(wrong, errno);
  }
  const char* text = secure_getenv("SKEIN_TRACE");
  if (text == nullptr || text[0] == 0) return;
  Options options;
  const char* wrong = parse_options(text, options);
  if (wrong != nullptr) {
    report_start_failure(wrong, 0);
    return;
  }
  options.at_load = true;
  if (const int error = start_trace(&options); error != 0)
    report_start_failure(options.directory, error);
  else if (const char* wrong_samples = sample_as_requested(); wrong_samples != nullptr)
    report_start_failure(wrong_samples, 0);
}

}  // namespace
}  // namespace skein::record

using namespace skein::record;

extern "C" {

int skein_start(const skein_options* given) {
  ErrnoGuard errno_guard;
  Options options;
  if (given != nullptr && given->directory != nullptr) {
    const size_t size = strlen(given->directory);
    if (size >= sizeof options.directory) return ENAMETOOLONG;
    memcpy(options.directory, given->directory, size + 1);
  }
  if (given != nullptr) {
    options.size = given->size;
    options.log = given->log != 0;
    options.tasks = given->tasks;
    options.keep_ns = given->keep_ns;
    options.most = given->most;
    options.sample_rate =
        given->sample_rate < kMostSampleRate ? given->sample_rate : kMostSampleRate;
  }
  const int error = start_trace(given != nullptr ? &options : nullptr);
  if (error == 0) sample_as_requested();
  return error;
}

void skein_stop(void) {
  BlockSignals block;
  SpinLock lock(start_lock());
  stop_sampling();
  if (awaits_first_event()) return stop_awaiting();
  if (recording()) set_on(false);
}

void skein_get_status(skein_status* status) {
  memset(status, 0, sizeof *status);
  status->on = recording() ? 1 : 0;
  if (state.pid != getpid()) return;
  status->generation = generation_now();
  status->streams = __atomic_load_n(&state.streams, __ATOMIC_ACQUIRE);

  status->bytes = __atomic_load_n(&state.bytes, __ATOMIC_RELAXED);
  if (const TaskTable* table = now_of(state.table); table != nullptr && table->header != nullptr)
    for (const uint64_t& lost : table->header->lost)
      status->lost += __atomic_load_n(&lost, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < status->streams; ++i)
    if (const Writer* block = now_of(state.blocks[i / kWritersPerBlock]))
      status->lost += __atomic_load_n(&block[i % kWritersPerBlock].discarded, __ATOMIC_RELAXED);
  const TraceFiles* files = now_of(state.shown);
  if (files == nullptr) return;
  status->clock_is_tsc = files->clock.counter == nullptr ? 1 : 0;
  copy_path(files->handle, status->directory, sizeof status->directory);
}

uint32_t skein_generation(void) { return skein_enabled() != 0 ? generation_now() : 0; }

}  // extern "C"
