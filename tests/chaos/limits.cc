// Scenarios of limits: descriptors, file size, memory, disk, and a filter of system calls.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/chaos/scenario.h"

namespace skein::chaos {
namespace {

// Threads that start at once, before a limit applies, and record when it does.
class Waiting {
 public:
  Waiting(unsigned count, unsigned events) {
    for (unsigned i = 0; i < count; ++i)
      threads_.emplace_back([this, events] {
        while (!go_) usleep(100);
        record(events);
      });
  }
  void go() {
    go_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> go_ = false;
  std::vector<std::thread> threads_;
};

void set_limit(__rlimit_resource resource, rlim_t limit) {
  const rlimit both = {limit, limit};
  if (setrlimit(resource, &both) != 0) print("setrlimit failed\n");
}

// No descriptor is left, while threads start, fill files and need names.
void few_descriptors() {
  record(100);
  Waiting waiting(4, 60'000);
  rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none = {0, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  const int fd = open("/dev/null", O_RDONLY);
  const int error = errno;
  waiting.go();
  record(60'000);
  setrlimit(RLIMIT_NOFILE, &before);
  print("%d %d\n", fd, error == EMFILE);
  record(60'000);
}
const Scenario registered_descriptors("few-descriptors", few_descriptors);

// SIGXFSZ would end the program. It still does if the program itself exceeds the limit.
void small_files() {
  record(100);
  set_limit(RLIMIT_FSIZE, 100 << 10);
  set_limit(RLIMIT_CORE, 0);
  record(100'000);
  std::thread(record, 60'000).join();
  print_status("its own file", in_child([] {
                 const int fd = memfd_create("own", 0);
                 for (;;)
                   if (write(fd, "0123456789", 10) != 10) _exit(1);
               }));
}
const Scenario registered_files("small-files", small_files);

size_t mapped_now() {
  size_t pages = 0;
  FILE* file = fopen("/proc/self/statm", "r");
  if (file == nullptr || fscanf(file, "%zu", &pages) != 1) not_permitted();
  fclose(file);
  return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

void no_memory() {
  record(100);
  Waiting waiting(4, 60'000);
  set_limit(RLIMIT_AS, mapped_now());
  const bool refused =
      mmap(nullptr, 64 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
  waiting.go();
  record(60'000);
  print("%d\n", refused);
}
const Scenario registered_memory("no-memory", no_memory);

// New mappings are locked in memory, of which another user may have little.
void locked_memory() {
  if (geteuid() != 0) not_permitted();
  record(100);
  Waiting waiting(4, 60'000);
  set_limit(RLIMIT_MEMLOCK, 64 << 10);
  become_nobody();
  if (mlockall(MCL_FUTURE) != 0) not_permitted();
  const bool refused =
      mmap(nullptr, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
  waiting.go();
  record(60'000);
  print("%d\n", refused);
}
const Scenario registered_locked("locked-memory", locked_memory);

// The program fills the disk of its trace, makes room, and fills it again.
void full_disk() {
  const std::string path = folder() + "/large";
  record(1000);
  const BusyThreads busy(2);
  for (int i = 0; i < 3; ++i) {
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    static const char block[4096] = {1};
    while (write(fd, block, sizeof block) > 0) {
    }
    const int error = errno;
    record(100'000);
    std::thread(record, 1000).join();
    close(fd);
    unlink(path.c_str());
    record(10'000);
    print("%d\n", error == ENOSPC);
  }
}
const Scenario registered_disk("full-disk", full_disk);

// Refuses what a service does not need after its start, with each of two errors.
bool forbid(int error) {
#if defined(__x86_64__)
  std::vector<sock_filter> code = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const unsigned call : {SYS_open, SYS_openat, SYS_rename, SYS_renameat, SYS_mkdir, SYS_unlink,
                              SYS_unlinkat, SYS_ftruncate, SYS_fallocate, SYS_madvise, SYS_fstat,
                              SYS_newfstatat, SYS_fcntl, SYS_prctl, SYS_getrlimit, SYS_prlimit64}) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)));
  }
  code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program = {static_cast<uint16_t>(code.size()), code.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
#else
  return error == 0;
#endif
}

void filtered_calls() {
  record(10);
  for (const int error : {EPERM, ENOSYS})
    print_status("filtered", in_child([&] {
                   record(100);
                   const BusyThreads busy(2);
                   Waiting waiting(4, 20'000);
                   if (!forbid(error)) not_permitted();
                   waiting.go();
                   record(60'000);
                   std::thread(record, 1000).join();
                   const int fd = open("/dev/null", O_RDONLY);
                   print("%d %d\n", fd, errno == error);
                 }));
}
const Scenario registered_filter("filtered-calls", filtered_calls);

}  // namespace
}  // namespace skein::chaos
