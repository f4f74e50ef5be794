// Child processes of a traced process, created in any way, do not corrupt its trace. A child that
// starts a trace gets a separate one.
#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>
#include <csignal>
#include <thread>

#include "tests/recorder/check.h"
#include "tests/recorder/numbered.h"
#include "tests/recorder/scratch.h"

namespace {

using namespace skein::test;

Run run_in(const std::string& directory, uint64_t executor) {
  const Trace trace = read_good_trace(directory);
  Run best;
  for (const Stream& stream : trace.streams) {
    const std::vector<Event> events = stream.events();
    bool ours = false;
    for (const Event& event : events)
      ours = ours || (event.is("send") && event.a >> 40 == executor);
    if (ours) best = find_run(events, executor);
  }
  SKEIN_CHECK(best.problem.empty(), "%s", best.problem.c_str());
  return best;
}

// Children that continue like their parent, and children that start their own trace.
void children(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.log = true}) == 0, "start");
  NumberedCalls calls(1);
  uint64_t n = 0;
  for (; n < 500;) calls.make(++n);
  for (unsigned kind = 0; kind < 3; ++kind) {
    const std::string own = directory + "-child" + std::to_string(kind);
    fflush(stdout);
    const pid_t child =
        kind == 2 ? static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0))
                  : fork();
    if (child == 0) {
      int wrong = skein_enabled() != 0 ? 1 : 0;
      for (uint64_t i = 1; i < 2000; ++i) calls.make(n + i);
      if (kind > 0) {
        wrong |= start_trace_at(own, {.log = true}) == 0 ? 0 : 2;
        NumberedCalls of_child(2);
        for (uint64_t i = 1; i <= 700; ++i) of_child.make(i);
        std::thread([] { skein_counter_set(1, 1); }).join();
      }
      _exit(wrong);
    }
    for (unsigned i = 0; i < 500; ++i) calls.make(++n);
    int status = 0;
    waitpid(child, &status, 0);
    SKEIN_CHECK(good(status), "child of kind %u: %x", kind, status);
    if (kind > 0) {
      const Run of_child = run_in(own, 2);
      SKEIN_CHECK(of_child.first == 1 && of_child.last == 700, "child %llu to %llu",
                  static_cast<unsigned long long>(of_child.first),
                  static_cast<unsigned long long>(of_child.last));
    }
  }
  // vfork: the child shares the parent's memory and suspends its thread until exec.
  const pid_t child = vfork();
  if (child == 0) {
    execl("/bin/true", "true", nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  SKEIN_CHECK(good(status), "vfork: %x", status);
  for (unsigned i = 0; i < 500; ++i) calls.make(++n);
  skein_stop();
  const Run run = run_in(directory, 1);
  SKEIN_CHECK(run.first == 1 && run.last == n, "%llu to %llu of %llu",
              static_cast<unsigned long long>(run.first), static_cast<unsigned long long>(run.last),
              static_cast<unsigned long long>(n));
}

// Records an event in a destructor, at the end of the program or of a thread.
struct AtEnd {
  int64_t number;
  ~AtEnd() { skein_counter_set(5, number); }
};
pthread_key_t key;

void at_exit(const std::string& directory) {
  fflush(stdout);
  const pid_t program = fork();
  if (program == 0) {
    start_trace_at(directory, {.log = true});  // the endless thread would overwrite a ring
    skein_counter_set(5, 1);
    static AtEnd static_object{2};
    thread_local AtEnd of_main{3};
    of_main.number = 3;
    atexit([] { skein_counter_set(5, 4); });
    pthread_key_create(&key, [](void*) { skein_counter_set(5, 5); });
    std::thread([] {
      thread_local AtEnd of_thread{6};
      of_thread.number = 6;
      pthread_setspecific(key, &key);
      skein_counter_set(5, 7);
    }).join();
    std::thread([] {
      for (;;) skein_counter_set(9, 1);  // outlives main
    }).detach();
    skein_counter_set(5, 8);
    exit(0);
  }
  int status = 0;
  waitpid(program, &status, 0);
  SKEIN_CHECK(good(status), "the program ended with %x", status);
  const Trace trace = read_good_trace(directory);
  unsigned seen = 0;
  for (const Stream& stream : trace.streams)
    for (const Event& event : stream.events())
      if (event.is("counter_set") && event.a == 5) seen |= 1u << event.b;
  SKEIN_CHECK(seen == 0x1fe, "seen: %x", seen);
}

// At the file size limit, SIGXFSZ does not kill the program.
void small_files(const std::string& directory) {
  const rlimit limit = {100 << 10, 100 << 10};
  setrlimit(RLIMIT_FSIZE, &limit);
  const int error = start_trace_at(directory, {.log = true, .tasks = 0});
  SKEIN_CHECK(error == EFBIG, "%d", error);
  skein_counter_set(1, 1);
}

// Without address space the program continues, and the recorder counts the loss.
void no_memory(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.log = true}) == 0, "start");
  long pages = 0;
  if (FILE* statm = fopen("/proc/self/statm", "r"); statm != nullptr) {
    if (fscanf(statm, "%ld", &pages) != 1) pages = 0;
    fclose(statm);
  }
  const auto now = static_cast<rlim_t>(pages) * 4096;
  const rlimit limit = {now + (64 << 10), now + (64 << 10)};
  setrlimit(RLIMIT_AS, &limit);
  if (mmap(nullptr, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
    return skip("RLIMIT_AS has no effect here");
  NumberedCalls calls(1);
  for (uint64_t n = 1; n <= 100'000; ++n) calls.make(n);
  skein_status status;
  skein_get_status(&status);
  SKEIN_CHECK(status.lost > 0, "nothing is lost");
}

// A daemon may close all descriptors: the recorder keeps none open.
void no_descriptors(const std::string& directory) {
  SKEIN_CHECK(start_trace_at(directory, {.log = true}) == 0, "start");
  close_range(3, ~0u, 0);
  NumberedCalls calls(1);
  for (uint64_t n = 1; n <= 50'000; ++n) calls.make(n);
  skein_stop();
  const Run run = run_in(directory, 1);
  SKEIN_CHECK(run.first == 1 && run.last == 50'000, "%llu",
              static_cast<unsigned long long>(run.last));
}

}  // namespace

int main() {
  Scratch scratch("processes");
  if (fork_wipes_pages())
    SKEIN_CHECK(good(in_child([&] { children(scratch / "parent"); })), "children");
  else
    skip("fork does not clear pages here");
  at_exit(scratch / "exit");
  SKEIN_CHECK(good(in_child([&] { small_files(scratch / "small"); })), "small files");
  if (!kAddressSanitizer && !kThreadSanitizer)  // they need address space, too
    SKEIN_CHECK(good(in_child([&] { no_memory(scratch / "memory"); })), "no memory");
  SKEIN_CHECK(good(in_child([&] { no_descriptors(scratch / "closed"); })), "no descriptors");
  return verdict();
}
