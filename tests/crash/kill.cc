// Kills a program with SIGKILL at a random instant, thousands of times: no acknowledged event is
// lost.
//
//     crash_kill MODE THREADS KILLS [STRIDE [SEED]]     MODE: ring, log or grow (a ring)
//
// Each time, a process records numbered calls with THREADS threads, and stores the last call that
// returned in a shared page. It is killed within some milliseconds. Then, for every thread:
//   - the numbers in its stream are an unbroken run, which ends with the acknowledged number or the
//     one after it;
//   - the run begins with 1 (log, grow), or covers all chunks but one (ring);
//   - every event is complete, every file conforms to the format, no definition is missing.
// babeltrace2 must accept every STRIDE-th trace.
// In ctest: KILLS 50 for each of nine combinations. Nightly: see docs/testing.md.
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/recorder/decode.h"
#include "tests/recorder/numbered.h"
#include "tests/recorder/scratch.h"

namespace {

using namespace skein::test;

constexpr unsigned kMostThreads = 16;
constexpr uint64_t kRing = 64 << 10;  // 4 chunks of 16 KiB

struct Shared {
  struct alignas(64) Thread {
    std::atomic<uint64_t> acknowledged;
    std::atomic<uint32_t> tid;
  } threads[kMostThreads];
  std::atomic<uint32_t> running;  // threads that have made a call
  std::atomic<uint32_t> ready;    // threads that may make their second
};

struct Arguments {
  bool log;
  bool grows;
  unsigned threads;
  unsigned kills;
  unsigned stride;
  unsigned seed;
};

// std::atomic::notify_all wakes waiters of this process only.
void wake_all(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void wait_for_word(std::atomic<uint32_t>& word) {
  while (word == 0) syscall(SYS_futex, &word, FUTEX_WAIT, 0, nullptr, nullptr, 0);
}

[[noreturn]] void traced_program(const Arguments& arguments, const std::string& directory,
                                 Shared& shared) {
  skein_options options = {};
  options.directory = directory.c_str();
  options.size = kRing;
  options.log = arguments.log ? 1 : 0;
  if (arguments.grows) {  // without an end
    options.keep_ns = uint64_t{3600} * 1'000'000'000;
    options.most = uint64_t{1} << 30;
  }
  options.tasks = 4096;
  if (const int error = skein_start(&options); error != 0) {
    fprintf(stderr, "skein_start: %s\n", strerror(error));
    _exit(3);
  }
  const auto work = [&shared](unsigned index) {
    Shared::Thread& mine = shared.threads[index];
    mine.tid = static_cast<uint32_t>(gettid());
    NumberedCalls calls(index + 1);
    for (uint64_t n = 1;; ++n) {
      calls.make(n);
      mine.acknowledged.store(n, std::memory_order_release);
      if (n > 1) continue;
      // The threads start together, so that the first ones do not fill the trace.
      ++shared.running;
      wait_for_word(shared.ready);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < arguments.threads; ++i) threads.emplace_back(work, i);
  work(0);
  _exit(3);
}

class TraceChecker {
 public:
  TraceChecker(const Arguments& arguments, const Trace& trace, const Shared& shared)
      : arguments_(arguments), trace_(trace), shared_(shared) {}

  uint64_t calls = 0;  // acknowledged, in total

  bool good() {
    for (const std::string& problem : trace_.problems) say(problem);
    if (trace_.lost() != 0) say("the trace reports lost events: " + std::to_string(trace_.lost()));
    for (unsigned i = 0; i < arguments_.threads; ++i) check_thread(i);
    return good_;
  }

 private:
  void say(const std::string& problem) {
    printf("%s\n", problem.c_str());
    good_ = false;
  }

  const Stream* stream_of(uint32_t tid) {
    for (const Stream& stream : trace_.streams)
      for (const Packet& packet : stream.packets)
        if (!packet.events.empty() && packet.events[0].is("executor") && packet.events[0].a == tid)
          return &stream;
    for (const Stream& stream : trace_.streams)
      if (stream.packets.back().header.vtid == tid) return &stream;
    return nullptr;
  }

  void check_thread(unsigned index) {
    const uint64_t acknowledged = shared_.threads[index].acknowledged;
    calls += acknowledged;
    if (acknowledged == 0) return;
    const std::string who = "thread " + std::to_string(index) + ": ";
    const Stream* stream = stream_of(shared_.threads[index].tid);
    if (stream == nullptr) return say(who + "has no stream");
    const std::vector<Event> events = stream->events();
    const Run run = find_run(events, index + 1);
    if (!run.problem.empty()) say(who + run.problem);
    if (run.last < acknowledged || run.last > acknowledged + 1)
      say(who + "the newest is " + std::to_string(run.last) + ", acknowledged " +
          std::to_string(acknowledged));
    const bool keeps_all = arguments_.log || arguments_.grows;
    if (keeps_all && run.first > 1) say(who + "begins with " + std::to_string(run.first));
    if (!keeps_all) check_ring(who, *stream);
    for (const Event& event : events)
      if (event.is("create") && trace_.places.count(static_cast<uint32_t>(event.b)) == 0)
        return say(who + "a place without a definition");
  }

  void check_ring(const std::string& who, const Stream& stream) {
    const uint64_t begun = stream.packets.back().header.packet_seq_num + 1;
    size_t full = 0;
    for (const Packet& packet : stream.packets) full += packet.events.empty() ? 0 : 1;
    const uint64_t wanted = begun < 4 ? begun - 1 : 3;
    if (full < wanted) say(who + "only " + std::to_string(full) + " packets hold events");
  }

  const Arguments& arguments_;
  const Trace& trace_;
  const Shared& shared_;
  bool good_ = true;
};

bool babeltrace_reads(const std::string& directory) {
  const std::string command =
      "babeltrace2 -o dummy '" + directory + "' >/dev/null 2>'" + directory + ".errors'";
  if (system(command.c_str()) == 0) return true;
  printf("babeltrace2 fails:\n");
  fflush(stdout);
  [[maybe_unused]] const int shown = system(("head -5 '" + directory + ".errors'").c_str());
  return false;
}

}  // namespace

int main(int count, char** values) {
  if (count < 4) {
    fprintf(stderr, "usage: crash_kill ring|log|grow THREADS KILLS [STRIDE [SEED]]\n");
    return 2;
  }
  const auto number = [&](int i, unsigned otherwise) {
    return count > i ? static_cast<unsigned>(strtoul(values[i], nullptr, 10)) : otherwise;
  };
  const Arguments arguments = {strcmp(values[1], "log") == 0,
                               strcmp(values[1], "grow") == 0,
                               number(2, 1),
                               number(3, 1),
                               number(4, 1),
                               number(5, std::random_device()())};
  const bool have_babeltrace = system("command -v babeltrace2 >/dev/null") == 0;
  printf("seed %u%s\n", arguments.seed, have_babeltrace ? "" : "; without babeltrace2");
  std::mt19937 random(arguments.seed);
  Scratch scratch("kill");
  auto* shared = static_cast<Shared*>(
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  uint64_t calls = 0;
  unsigned bad = 0, read_by_babeltrace = 0;
  for (unsigned kill_number = 0; kill_number < arguments.kills; ++kill_number) {
    memset(static_cast<void*>(shared), 0, sizeof *shared);
    const std::string directory = scratch / std::to_string(kill_number);
    fflush(stdout);
    const pid_t program = fork();
    if (program == 0) traced_program(arguments, directory, *shared);
    // One in eight is killed while its threads are being created.
    const unsigned wait_for = kill_number % 8 == 0 ? 1 : arguments.threads;
    int status = 0;
    while (shared->running < wait_for && waitpid(program, &status, WNOHANG) == 0) usleep(50);
    shared->ready = 1;
    wake_all(shared->ready);
    usleep(static_cast<useconds_t>(random() % 3000));
    kill(program, SIGKILL);
    waitpid(program, &status, 0);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL) {
      printf("kill %u: the program ended by itself (%x)\n", kill_number, status);
      return 1;
    }
    const Trace trace = read_trace(directory);
    TraceChecker checker(arguments, trace, *shared);
    bool good = checker.good();
    calls += checker.calls;
    if (have_babeltrace && kill_number % arguments.stride == 0) {
      good = babeltrace_reads(directory) && good;
      ++read_by_babeltrace;
    }
    if (!good) {
      printf("kill %u is bad\n", kill_number);
      ++bad;
    }
    if (!good && getenv("SKEIN_KEEP") != nullptr) {
      printf("kept: %s\n", directory.c_str());
      fflush(stdout);
      _exit(1);
    }
    std::filesystem::remove_all(directory);
  }
  printf("%u kills, %llu calls acknowledged, %u traces read by babeltrace2, %u bad\n",
         arguments.kills, static_cast<unsigned long long>(calls), read_by_babeltrace, bad);
  return bad == 0 ? 0 : 1;
}
