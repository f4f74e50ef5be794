// The program moves, removes or hides the directory of its trace, closes its descriptors, changes
// its root or its user, or forbids itself to open files. It continues, and so does the recording,
// or each missing event is counted.
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <thread>
#include <vector>

#include "tests/recorder/check.h"
#include "tests/recorder/scratch.h"

namespace {

using namespace skein::test;
namespace fs = std::filesystem;

constexpr uint64_t kMany = 200'000;  // several files of a log

void record(uint64_t count) {
  for (uint64_t n = 1; n <= count; ++n) skein_counter_set(7, static_cast<int64_t>(n));
}

uint64_t lost_now() {
  skein_status status;
  skein_get_status(&status);
  return status.lost;
}

// Checks that the trace has `made` events, except those that the status reports as lost. Returns
// the number that is lost.
uint64_t judge(const std::string& directory, uint64_t made) {
  skein_stop();
  const Trace trace = read_good_trace(directory);
  const uint64_t lost = lost_now();
  SKEIN_CHECK(trace.lost() == lost, "%llu lost in the trace, %llu by status",
              static_cast<unsigned long long>(trace.lost()), static_cast<unsigned long long>(lost));
  SKEIN_CHECK(trace.count("counter_set") + lost == made, "%zu recorded and %llu lost of %llu",
              trace.count("counter_set"), static_cast<unsigned long long>(lost),
              static_cast<unsigned long long>(made));
  return lost;
}

// Records in log mode, calls `change` and records the rest. Returns the number of lost events.
uint64_t log_around(const std::string& directory, const std::string& later,
                    const std::function<void()>& change) {
  SKEIN_CHECK(start_trace_at(directory, {.log = true}) == 0, "start");
  record(1000);
  change();
  record(kMany);
  return judge(later, 1000 + kMany);
}

std::string directory_now() {
  errno = 4711;
  skein_status status;
  skein_get_status(&status);
  SKEIN_CHECK(errno == 4711, "errno is %d", errno);
  return status.directory;
}

void moved(const Scratch& scratch) {
  const std::string parent = scratch / "parent", directory = parent + "/trace";
  fs::create_directory(parent);
  SKEIN_CHECK(log_around(directory, parent + "/other",
                         [&] {
                           SKEIN_CHECK(directory_now() == directory, "before");
                           fs::rename(directory, parent + "/other");
                         }) == 0,
              "lost");
  SKEIN_CHECK(directory_now() == parent + "/other", "%s", directory_now().c_str());
  const std::string later = scratch / "later";
  SKEIN_CHECK(log_around(directory, later + "/trace", [&] { fs::rename(parent, later); }) == 0,
              "lost");
  SKEIN_CHECK(directory_now() == later + "/trace", "%s", directory_now().c_str());
}

// Another directory with the trace's name gets no file.
void replaced(const std::string& directory) {
  SKEIN_CHECK(log_around(directory, directory + ".moved",
                         [&] {
                           fs::rename(directory, directory + ".moved");
                           fs::create_directory(directory);
                         }) == 0,
              "lost");
  SKEIN_CHECK(fs::is_empty(directory), "it wrote to another directory");
}

void moved_ring(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.size = 64 << 10}) == 0, "start");
  record(10);
  fs::rename(directory, directory + ".moved");
  record(kMany);
  skein_stop();
  SKEIN_CHECK(read_good_trace(directory + ".moved").lost() == 0, "lost");
}

// A thread moves the trace while others record at full rate.
void moved_at_full_rate(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.log = true}) == 0, "start");
  std::atomic<unsigned> running = 2;
  const auto body = [&] {
    record(kMany);
    --running;
  };
  std::thread one(body), two(body);
  unsigned moves = 0;
  for (; running != 0 || moves % 2 != 0; ++moves) {
    const bool away = moves % 2 == 0;
    fs::rename(directory + (away ? "" : ".away"), directory + (away ? ".away" : ""));
  }
  one.join();
  two.join();
  SKEIN_CHECK(judge(directory, 2 * kMany) == 0, "lost after %u moves", moves);
}

// The trace is removed while two threads record at full rate. Its files are gone, but the program
// continues and the status counts the events that found no file.
void removed_at_full_rate(const std::string& directory, unsigned delay) {
  SKEIN_CHECK(start_trace_at(directory, {.log = true}) == 0, "start");
  std::thread one(record, kMany), two(record, kMany);
  usleep(delay);
  std::error_code ignored;
  while (fs::exists(directory)) fs::remove_all(directory, ignored);
  one.join();
  two.join();
  record(kMany);
  SKEIN_CHECK(lost_now() > kMany / 2, "%llu lost", static_cast<unsigned long long>(lost_now()));
}

void removed_ring(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.size = 64 << 10}) == 0, "start");
  record(10);
  fs::remove_all(directory);
  record(kMany);
  SKEIN_CHECK(lost_now() == 1, "the shortened ring: %llu",
              static_cast<unsigned long long>(lost_now()));
  SKEIN_CHECK(directory_now() == directory, "%s", directory_now().c_str());
}

// A daemon closes all descriptors and opens others, which get the same numbers.
void reuse_descriptors(const std::string& other) {
  close_range(3, ~0u, 0);
  const int fd = open(other.c_str(), O_RDONLY | O_DIRECTORY);
  for (int each = fd + 1; each < 1024; ++each) dup2(fd, each);
}

void closed_descriptors(const Scratch& scratch) {
  const std::string other = scratch / "other", directory = scratch / "closed";
  fs::create_directory(other);
  SKEIN_CHECK(log_around(directory, directory, [&] { reuse_descriptors(other); }) == 0, "lost");
  SKEIN_CHECK(fs::is_empty(other), "it wrote to a directory of the program");
  SKEIN_CHECK(fcntl(1023, F_GETFD) == 0, "it closed a descriptor of the program");
}

// Neither the descriptor nor the path leads to the trace any more.
void closed_and_moved(const Scratch& scratch) {
  const std::string other = scratch / "other", directory = scratch / "gone";
  fs::create_directory(other);
  const uint64_t lost = log_around(directory, directory + ".moved", [&] {
    fs::rename(directory, directory + ".moved");
    fs::create_directory(directory);
    reuse_descriptors(other);
  });
  SKEIN_CHECK(lost > kMany / 2, "%llu lost", static_cast<unsigned long long>(lost));
  SKEIN_CHECK(fs::is_empty(other) && fs::is_empty(directory), "it wrote to another directory");
}

// The descriptor has a high number, is not inherited by programs, and is closed with the trace.
void descriptors(const Scratch& scratch) {
  const auto open_now = [] {
    unsigned count = 0;
    for (int fd = 3; fd < 2048; ++fd) count += fcntl(fd, F_GETFD) >= 0;
    return count;
  };
  const unsigned before = open_now();
  const int expected = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(expected);
  for (unsigned i = 0; i < 50; ++i) {
    SKEIN_CHECK(start_trace_at(scratch / ("many" + std::to_string(i))) == 0, "start");
    record(100);
    skein_stop();
  }
  SKEIN_CHECK(open_now() == before + 1, "%u descriptors, %u before", open_now(), before);
  const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  SKEIN_CHECK(fd == expected, "%d, not %d", fd, expected);
  close(fd);
  SKEIN_CHECK(good(in_child([&] { SKEIN_CHECK(open_now() == before, "inherited by fork"); })),
              "in a child");
}

void changed_root(const Scratch& scratch) {
  const std::string root = scratch / "root", directory = scratch / "chroot";
  fs::create_directory(root);
  const int before = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  SKEIN_CHECK(start_trace_at(directory, {.log = true}) == 0, "start");
  if (chroot(root.c_str()) != 0 || chdir("/") != 0) _exit(kSkipped);
  record(kMany);
  if (fchdir(before) != 0 || chroot(".") != 0) _exit(kSkipped);
  SKEIN_CHECK(judge(directory, kMany) == 0, "lost");
}

void changed_user(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.log = true}) == 0, "start");
  record(1000);
  if (seteuid(65534) != 0) _exit(kSkipped);
  record(kMany);
  if (seteuid(0) != 0) _exit(kSkipped);
  const uint64_t lost = judge(directory, 1000 + kMany);
  SKEIN_CHECK(lost > kMany / 2, "%llu lost", static_cast<unsigned long long>(lost));
}

void mount_disk(const std::string& mount_point) {
  fs::create_directory(mount_point);
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("skein", mount_point.c_str(), "tmpfs", 0, "size=64m") != 0)
    _exit(kSkipped);
}

void unmounted(const std::string& mount_point) {
  mount_disk(mount_point);
  const std::string directory = mount_point + "/trace";
  const int kept = open(mount_point.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  SKEIN_CHECK(log_around(directory, "/proc/self/fd/" + std::to_string(kept) + "/trace",
                         [&] { umount2(mount_point.c_str(), MNT_DETACH); }) == 0,
              "lost");
}

// Another file system hides that of the trace, under the same path.
void hidden(const std::string& mount_point) {
  mount_disk(mount_point);
  const int kept = open(mount_point.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  SKEIN_CHECK(log_around(mount_point + "/trace", "/proc/self/fd/" + std::to_string(kept) + "/trace",
                         [&] {
                           if (mount("skein", mount_point.c_str(), "tmpfs", 0, "size=1m") != 0)
                             _exit(kSkipped);
                         }) == 0,
              "lost");
  SKEIN_CHECK(fs::is_empty(mount_point), "it wrote to another file system");
}

// The file system is remounted without room for another file, and later with room again.
void remounted(const std::string& mount_point) {
  mount_disk(mount_point);
  const auto remount = [&](const std::string& options) {
    if (mount("skein", mount_point.c_str(), "tmpfs", MS_REMOUNT, options.c_str()) != 0)
      _exit(kSkipped);
  };
  const std::string directory = mount_point + "/trace";
  SKEIN_CHECK(start_trace_at(directory, {.log = true}) == 0, "start");
  record(1000);
  struct statfs space;
  statfs(mount_point.c_str(), &space);
  remount("size=" + std::to_string((space.f_blocks - space.f_bfree) *
                                   static_cast<unsigned long>(space.f_bsize)));
  record(kMany);
  const uint64_t lost = lost_now();
  SKEIN_CHECK(lost > 0 && lost < kMany, "%llu lost", static_cast<unsigned long long>(lost));
  remount("size=64m");
  usleep(1'100'000);  // the recorder tries again each second
  record(kMany);
  SKEIN_CHECK(judge(directory, 1000 + 2 * kMany) == lost, "lost with room");
}

// From now on, kills the process if this thread makes one of `calls`, or any other one. Returns
// false if such filters are not permitted here.
bool forbid(bool others, std::initializer_list<long> calls) {
#if defined(__x86_64__)
  const uint32_t matching = others ? SECCOMP_RET_ALLOW : SECCOMP_RET_KILL_PROCESS;
  const uint32_t other = others ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ALLOW;
  sock_filter code[32] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  uint16_t size = 1;
  for (const long call : calls) {
    code[size++] = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 1);
    code[size++] = BPF_STMT(BPF_RET | BPF_K, matching);
  }
  code[size++] = BPF_STMT(BPF_RET | BPF_K, other);
  const sock_fprog program = {size, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
#else
  return !others && calls.size() == 0;
#endif
}

// What docs/recording.md lists, and what the C library needs for the end of the thread (and the
// lock of its heap).
bool permit_recording_only() {
  if (kAddressSanitizer || kThreadSanitizer) return true;  // they make calls of their own
  free(malloc(1));  // maps memory at the first use in a thread, such as the end of a std::thread
  return forbid(true, {SYS_madvise, SYS_rt_sigprocmask, SYS_gettid, SYS_sched_yield,
                       SYS_clock_nanosleep, SYS_sigaltstack, SYS_exit, SYS_futex});
}

// Runs in a program of its own, because SKEIN_TRACE is read at its start: records on two threads of
// those that fit, then on one too many. No file is opened for it, and the threads make no other
// system calls than those that are documented.
constexpr unsigned kStreams = 32;
int sandboxed() {
  if (skein_enabled() == 0) return 3;
  constexpr int64_t kFits = 100'000;
  mallopt(M_ARENA_MAX, 1);  // malloc would open a file to count the processors
  if (!forbid(false, {SYS_openat, SYS_renameat})) return kSkipped;
  const auto body = [] {
    if (!permit_recording_only()) _exit(6);
    record(kFits);
    for (int i = 0; i < 200; ++i) skein_string(("name " + std::to_string(i)).c_str());
    static int object;
    if (skein_handle_keep(&object, &object) == nullptr) _exit(7);
    skein_handle_take(&object, &object);
  };
  record(1);
  std::thread(body).join();
  std::thread(body).join();  // on the stream of the first
  if (lost_now() != 0) return 4;
  std::atomic<unsigned> ready = 0;
  const auto wait_for = [&](unsigned count) {
    ++ready;
    while (ready < count) usleep(100);
  };
  const auto together = [&] {
    if (!permit_recording_only()) _exit(6);
    record(10);
    wait_for(kStreams + 1);
    record(10);
    wait_for(2 * (kStreams + 1));
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kStreams; ++i) threads.emplace_back(together);
  while (ready < kStreams) usleep(100);
  // Main has a stream, and all of them but one, which has none.
  const uint64_t lost = lost_now();
  wait_for(kStreams + 1);
  while (ready < 2 * kStreams + 1) usleep(100);
  wait_for(2 * (kStreams + 1));
  for (std::thread& thread : threads) thread.join();
  return lost == 10 && lost_now() == 20 ? 0 : 5;
}

void sandbox(const std::string& directory, const char* program) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    setenv(
        "SKEIN_TRACE",
        (directory + ",size=64k,tasks=4k,all-files-at-start=" + std::to_string(kStreams)).c_str(),
        1);
    execl(program, program, "sandboxed", nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kSkipped) _exit(kSkipped);
  SKEIN_CHECK(good(status), "the sandboxed program ended with %x", status);
  const Trace trace = read_good_trace(directory);
  SKEIN_CHECK(trace.streams.size() == kStreams, "%zu streams", trace.streams.size());
  SKEIN_CHECK(trace.lost() == 20, "%llu lost", static_cast<unsigned long long>(trace.lost()));
  SKEIN_CHECK(trace.strings.size() >= 200, "%zu strings", trace.strings.size());
  SKEIN_CHECK(trace.count("counter_set") > 1000, "%zu", trace.count("counter_set"));
  SKEIN_CHECK(!have_babeltrace() || babeltrace_reads(directory), "babeltrace2");
}

void check(const char* what, const std::function<void()>& body) {
  const int before = skipped;
  const int status = in_child(body);
  if (skipped > before) printf("skipped: %s: not permitted here\n", what);
  SKEIN_CHECK(good(status), "%s: %x", what, status);
}

}  // namespace

int main(int count, char** values) {
  if (count > 1) _exit(sandboxed());  // a sanitizer's search for leaks would open files
  Scratch scratch("moved");
  check("moved", [&] { moved(scratch); });
  check("replaced", [&] { replaced(scratch / "replaced"); });
  check("a moved ring", [&] { moved_ring(scratch / "ring"); });
  check("moved at full rate", [&] { moved_at_full_rate(scratch / "rate"); });
  for (unsigned i = 0; i < 10; ++i)
    check("removed at full rate",
          [&] { removed_at_full_rate(scratch / ("removed" + std::to_string(i)), i * 700); });
  check("a removed ring", [&] { removed_ring(scratch / "removed-ring"); });
  check("closed descriptors", [&] { closed_descriptors(scratch); });
  check("closed and moved", [&] { closed_and_moved(scratch); });
  check("descriptors", [&] { descriptors(scratch); });
  // In another root qemu-user finds no file of its own, and it has no seccomp.
  const bool emulated = !fork_wipes_pages();
  if (emulated) {
    printf("skipped: another root, a sandbox: not with qemu-user\n");
    ++skipped;
  }
  if (!emulated) check("another root", [&] { changed_root(scratch); });
  check("another user", [&] { changed_user(scratch / "user"); });
  check("unmounted", [&] { unmounted(scratch / "disk"); });
  check("hidden", [&] { hidden(scratch / "hidden"); });
  check("remounted", [&] { remounted(scratch / "remounted"); });
  if (!emulated) check("a sandbox", [&] { sandbox(scratch / "sandbox", values[0]); });
  return verdict();
}
