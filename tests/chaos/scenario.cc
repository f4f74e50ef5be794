#include "tests/chaos/scenario.h"

#include <fcntl.h>
#include <skein/skein.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/chaos/counts.h"

namespace skein::chaos {
namespace {

std::vector<Scenario>& registered() {
  static std::vector<Scenario> all;
  return all;
}

Counts* map_counts() {
  const char* path = getenv("CHAOS_COUNTS");
  const int fd = path != nullptr ? open(path, O_RDWR | O_CLOEXEC) : -1;
  void* memory = mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE,
                      fd >= 0 ? MAP_SHARED : MAP_SHARED | MAP_ANONYMOUS, fd, 0);
  if (fd >= 0) close(fd);
  if (memory == MAP_FAILED) _exit(99);
  return static_cast<Counts*>(memory);
}
// Mapped before main: the first use may be in a signal handler, or with no descriptor left.
Counts* const counts = map_counts();

void record_one(unsigned i) {
  static const skein_source here = {__FILE__, "record_one", __LINE__, 1};
  skein_counter_set(7, i);
  if (i % 16 == 0) {
    skein_task task = {};
    const uint64_t previous = skein_create_running(&task, SKEIN_KIND_task, "chaos", &here);
    skein_label_text(&task, "a text", 6);
    skein_resolve(&task, previous);
  }
  if (i % 64 == 0) {
    char name[] = "name 000";
    for (unsigned rest = i / 64 % 1000, at = 7; rest > 0; rest /= 10, --at)
      name[at] = static_cast<char>('0' + rest % 10);
    skein_string(name);
  }
}

}  // namespace

Scenario::Scenario(const char* its_name, void (*its_body)()) : name(its_name), body(its_body) {
  registered().push_back(*this);
}
const std::vector<Scenario>& scenarios() { return registered(); }

void record(unsigned events) {
  for (unsigned i = 0; i < events; ++i) {
    ++counts->begun;
    record_one(i);
    ++counts->done;
  }
}

void record_uncounted(unsigned events) {
  for (unsigned i = 0; i < events; ++i) record_one(i);
}

std::string folder() {
  const char* path = getenv("CHAOS_FOLDER");
  return path != nullptr ? path : "/nonexistent";
}
std::string trace_directory() { return folder() + "/t"; }

int wait_for(pid_t child) {
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

int in_child(const std::function<void()>& body) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    body();
    fflush(stdout);
    _exit(0);
  }
  return wait_for(child);
}

void print(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  fflush(stdout);
}

void print_status(const char* what, int status) {
  if (WIFSIGNALED(status))
    print("%s: signal %d\n", what, WTERMSIG(status));
  else
    print("%s: exit %d\n", what, WEXITSTATUS(status));
}

struct BusyThreads::Work {
  std::atomic<bool> over = false;
  std::vector<std::thread> threads;
};

BusyThreads::BusyThreads(unsigned count) : work_(new Work) {
  for (unsigned i = 0; i < count; ++i)
    work_->threads.emplace_back([work = work_] {
      // At a limited rate: the log's size must not depend on how long the scenario takes.
      while (!work->over) {
        record(50);
        usleep(200);
      }
    });
}
BusyThreads::~BusyThreads() {
  work_->over = true;
  for (std::thread& thread : work_->threads) thread.join();
  delete work_;
}

void become_nobody() {
  if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0) not_permitted();
}

void not_permitted() { _exit(77); }

}  // namespace skein::chaos
