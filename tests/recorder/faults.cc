// Each system call of the recorder fails, with each error that it can return. The program's result
// stays that of a run without the recorder, and every missing event or name is counted.
//
//     recorder_faults RUNS [SEED]     RUNS of all combinations, by chance; 0: all of them
//
// The program runs under ptrace. It notes which thread is in the recorder; the n-th system call of
// such a thread is skipped and returns an error. The program records a log or a ring, with a
// pending cancellation or without, and moves its trace or leaves it. Or it creates all files at
// start and then installs a seccomp filter that kills it if it opens or changes a file.
//
// A fault occurs once; or from then on each time, as if a filter, a full disk or an exhausted limit
// were there to stay.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "record/host/posix/control.h"
#include "record/host/posix/options.h"
#include "tests/recorder/check.h"
#include "tests/recorder/scratch.h"

namespace {

using namespace skein::test;
namespace fs = std::filesystem;

constexpr unsigned kTexts = 700;   // two files of a log
constexpr unsigned kNames = 160;   // two files of definitions
constexpr unsigned kTasks = 1200;  // more than the live task table has memory for at start
constexpr unsigned kOfThread = 20;
constexpr uint64_t kRing = 64 << 10;
constexpr int kErrno = 4711;

struct Variant {
  enum class Mode { off, ring, log, sandboxed };
  Mode mode = Mode::off;
  bool cancelled = false, moved = false;
  std::string text() const {
    constexpr const char* kModes[] = {"off", "ring", "log", "sandboxed"};
    return std::string(kModes[static_cast<int>(mode)]) + (cancelled ? ", cancelled" : "") +
           (moved ? ", moved" : "");
  }
};

struct Shared {
  std::atomic<pid_t> inside;   // thread that is in the recorder; 0: none
  std::atomic<unsigned> step;  // the calls of record() so far
  int start_error;
  uint64_t lost;
  uint64_t result;  // of the program
  int wrong;        // 0, or what the recorder changed
  bool over;
  char directory[1024];  // name.PID if the name seemed to be taken
};

// ---- the program ----

// Kills the process if it opens, creates, renames, removes or changes a file from now on. Returns
// false if such filters are not permitted here.
bool forbid_files() {
#if defined(__x86_64__)
  std::vector<sock_filter> code = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const unsigned call :
       {SYS_open,     SYS_openat,     SYS_openat2,   SYS_creat,     SYS_rename,
        SYS_renameat, SYS_renameat2,  SYS_mkdir,     SYS_mkdirat,   SYS_rmdir,
        SYS_unlink,   SYS_unlinkat,   SYS_ftruncate, SYS_fallocate, SYS_pwrite64,
        SYS_readlink, SYS_readlinkat, SYS_fcntl,     SYS_stat,      SYS_newfstatat}) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  }
  code.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program = {static_cast<uint16_t>(code.size()), code.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
#else
  return false;
#endif
}

class Program {
 public:
  Program(Variant variant, std::string directory, Shared& shared)
      : variant_(variant), directory_(std::move(directory)), shared_(shared) {}

  void run() {
    if (!variant_.cancelled) return live();
    pthread_t thread;
    pthread_create(
        &thread, nullptr,
        [](void* self) -> void* {
          pthread_cancel(pthread_self());
          static_cast<Program*>(self)->live();
          pthread_testcancel();
          return nullptr;
        },
        this);
    void* result = nullptr;
    pthread_join(thread, &result);
    if (result != PTHREAD_CANCELED) shared_.wrong = 5;
  }

 private:
  // Calls the recorder and checks that it leaves errno, the signal mask and the cancellation state.
  template <class Call>
  void record(Call call) {
    sigset_t before, after;
    int state = 0;
    pthread_sigmask(SIG_SETMASK, nullptr, &before);
    const auto thread = static_cast<pid_t>(syscall(SYS_gettid));
    errno = kErrno;
    ++shared_.step;
    shared_.inside = thread;
    call();
    shared_.inside = 0;
    if (errno != kErrno) shared_.wrong = 1;
    pthread_sigmask(SIG_SETMASK, nullptr, &after);
    for (int signal = 1; signal <= SIGRTMAX; ++signal)
      if (sigismember(&before, signal) != sigismember(&after, signal)) shared_.wrong = 2;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    pthread_setcancelstate(state, nullptr);
    if (state != PTHREAD_CANCEL_ENABLE) shared_.wrong = 3;
    shared_.result = shared_.result * 31 + 7;
  }

  int start() {
    switch (variant_.mode) {
      case Variant::Mode::off:
        return 0;
      case Variant::Mode::ring:
      case Variant::Mode::log:
        return start_trace_at(directory_,
                              {.size = kRing, .log = variant_.mode == Variant::Mode::log});
      case Variant::Mode::sandboxed:
        break;
    }
    skein::record::Options options;  // skein_options has no such option
    snprintf(options.directory, sizeof options.directory, "%s", directory_.c_str());
    options.size = kRing;
    options.tasks = 4096;
    options.all_files_for = 3;
    const int error = skein::record::start_trace(&options);
    errno = kErrno;
    return error;
  }

  void live() {
    record([&] { shared_.start_error = start(); });
    if (variant_.moved) rename(directory_.c_str(), (directory_ + ".moved").c_str());
    if (variant_.mode == Variant::Mode::sandboxed && !forbid_files()) _exit(kSkipped);
    const std::string text(450, 'x');
    record([&] {
      for (unsigned i = 0; i < kTexts; ++i) skein_label_text(nullptr, text.data(), text.size());
    });
    record([&] {
      for (unsigned i = 0; i < kNames; ++i) {
        char name[480];
        memset(name, 'n', sizeof name);
        snprintf(name + 460, 20, "%u", i);
        skein_string(name);
      }
      errno = kErrno;  // snprintf may change it
    });
    static skein_task tasks[kTasks];
    record([&] {
      for (skein_task& task : tasks) skein_create(&task, SKEIN_KIND_task, "task", nullptr);
    });
    shared_.result += record_in_thread();
    record([] { skein_stop(); });
    record([] { skein_start(nullptr); });
    record([] { skein_counter_set(2, 2); });
    record([] { skein_stop(); });
    skein_status status;
    record([&] { skein_get_status(&status); });
    shared_.lost = status.lost;
    memcpy(shared_.directory, status.directory, sizeof shared_.directory);
    shared_.over = true;
  }

  uint64_t record_in_thread() {
    pthread_t thread;
    pthread_create(
        &thread, nullptr,
        [](void* self) -> void* {
          static_cast<Program*>(self)->record([] {
            for (unsigned i = 0; i < kOfThread; ++i) skein_counter_set(1, 1);
          });
          return nullptr;
        },
        this);
    int state = 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);  // join is a cancellation point
    pthread_join(thread, nullptr);
    pthread_setcancelstate(state, nullptr);
    return 3;
  }

  Variant variant_;
  std::string directory_;
  Shared& shared_;
};

// ---- the injector ----

// The recorder's calls for CPU times depend on the time, so the n-th call of all may be another one
// in the next run.
struct Fault {
  uint64_t call = UINT64_MAX;  // number of the system call
  size_t index = 0;            // among the recorder's calls with that number
  int error = 0;
  bool stays = false;  // later calls with the same number fail too
};

std::vector<int> errors_of(uint64_t call) {
  switch (call) {
#if defined(SYS_open)  // not on aarch64
    case SYS_open:
#endif
    case SYS_openat:
      return {EACCES, EDQUOT, EEXIST, EINTR,   EIO,   ELOOP, EMFILE, ENFILE,
              ENOENT, ENOMEM, ENOSPC, ENOTDIR, EPERM, EROFS, ESTALE, ENOSYS};
#if defined(SYS_open)  // not on aarch64
    case SYS_mkdir:
#endif
    case SYS_mkdirat:
      return {EACCES, EDQUOT, EEXIST, ELOOP, EMLINK, ENOENT, ENOMEM, ENOSPC, ENOTDIR, EPERM, EROFS};
#if defined(SYS_open)  // not on aarch64
    case SYS_rename:
#endif
    case SYS_renameat:
    case SYS_renameat2:
      return {EACCES, EBUSY,  EDQUOT, EEXIST, EINVAL, EIO,  ENOENT,
              ENOMEM, ENOSPC, ENOSYS, EPERM,  EROFS,  EXDEV};
    case SYS_ftruncate:
      return {EFBIG, EINTR, EINVAL, EIO, EPERM, EROFS};
    case SYS_fallocate:
      return {EFBIG, EINTR, EIO, ENODEV, ENOSPC, ENOSYS, EOPNOTSUPP, EPERM};
    case SYS_mmap:
      return {EACCES, EAGAIN, ENFILE, ENODEV, ENOMEM, EPERM};
    case SYS_munmap:
      return {EINVAL, ENOMEM};
    case SYS_madvise:
      return {EAGAIN, EFAULT, EINVAL, EIO, ENOMEM, ENOSYS, EPERM};
    case SYS_close:
      return {EDQUOT, EINTR, EIO, ENOSPC};
    case SYS_fcntl:
      return {EACCES, EINVAL, EMFILE, EPERM};
    case SYS_write:
    case SYS_pwrite64:
      return {EAGAIN, EDQUOT, EFBIG, EINTR, EIO, ENOSPC, EPERM};
#if defined(SYS_open)
    case SYS_unlink:
    case SYS_rmdir:
#endif
    case SYS_unlinkat:
      return {EACCES, EBUSY, EIO, ENOENT, EPERM, EROFS};
    case SYS_getrandom:
      return {EAGAIN, EINTR, ENOSYS};
    // These cannot fail with the recorder's arguments.
    case SYS_rt_sigprocmask:
    case SYS_gettid:
    case SYS_getpid:
    case SYS_sched_yield:
    case SYS_brk:
    case SYS_futex:
      return {};
    default:
      return {EINTR, ENOMEM, ENOSYS, EPERM};
  }
}

// Errors that may stay. A call that is interrupted or that should be repeated succeeds later.
bool may_stay(int error) { return error != EINTR && error != EAGAIN && error != EEXIST; }

struct Call {
  uint64_t number;
  size_t index;  // among those of this number
  unsigned step;
};
struct Outcome {
  bool traced = true;  // false: ptrace or seccomp is forbidden
  int status = 0;
  std::vector<Call> calls;  // of the recorder
};

#if defined(__x86_64__)
Outcome run(Variant variant, const std::string& directory, Shared& shared, Fault fault) {
  memset(static_cast<void*>(&shared), 0, sizeof shared);
  fflush(stdout);
  const pid_t program = fork();
  if (program == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(kSkipped);
    raise(SIGSTOP);
    Program(variant, directory, shared).run();
    _exit(0);
  }
  Outcome outcome;
  int status = 0;
  waitpid(program, &status, 0);
  if (!WIFSTOPPED(status)) return {.traced = false, .status = status, .calls = {}};
  ptrace(PTRACE_SETOPTIONS, program, nullptr,
         PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
  ptrace(PTRACE_SYSCALL, program, nullptr, nullptr);
  std::set<pid_t> in_call;
  std::map<uint64_t, size_t> made;  // by number
  pid_t failing = 0;
  for (;;) {
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0) break;
    if (!WIFSTOPPED(status)) {
      if (thread == program) outcome.status = status;
      continue;
    }
    long deliver = 0;
    if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
      user_regs_struct registers;
      ptrace(PTRACE_GETREGS, thread, nullptr, &registers);
      const bool entry = in_call.insert(thread).second;
      if (!entry) in_call.erase(thread);
      if (entry && shared.inside == thread) {
        const uint64_t number = registers.orig_rax;
        const size_t index = made[number]++;
        outcome.calls.push_back({number, index, shared.step});
        if (number == fault.call &&
            (index == fault.index || (fault.stays && index > fault.index))) {
          failing = thread;
          registers.orig_rax = ~uint64_t{0};  // no system call
          ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
        }
      } else if (!entry && failing == thread) {
        failing = 0;
        registers.rax = static_cast<uint64_t>(-int64_t{fault.error});
        ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
      }
    } else if (WSTOPSIG(status) != SIGTRAP && WSTOPSIG(status) != SIGSTOP) {
      deliver = WSTOPSIG(status);
    }
    ptrace(PTRACE_SYSCALL, thread, nullptr, deliver);
  }
  outcome.traced = !WIFEXITED(outcome.status) || WEXITSTATUS(outcome.status) != kSkipped;
  return outcome;
}
#else
Outcome run(Variant, const std::string&, Shared&, Fault) {
  Outcome outcome;
  outcome.traced = false;
  return outcome;
}
#endif

// Compares a run with the one without faults, and counts what its trace has.
void judge(Variant variant, const std::string& directory, const Shared& shared,
           const Outcome& outcome, uint64_t result, const std::string& what) {
  SKEIN_CHECK(good(outcome.status), "%s: ended with %x", what.c_str(), outcome.status);
  SKEIN_CHECK(shared.over && shared.wrong == 0, "%s: changed %d", what.c_str(), shared.wrong);
  SKEIN_CHECK(shared.result == result, "%s: another result", what.c_str());
  if (shared.start_error != 0 || variant.mode == Variant::Mode::off) return;  // the program knows
  const std::string moved = directory + ".moved";
  const std::string place = variant.moved && fs::exists(moved) ? moved : shared.directory;
  const Trace trace = read_trace(place);
  for (const std::string& problem : trace.problems) {
    // A ring whose oldest chunk cannot be recycled recycles the next one. Readers report the gap.
    if (variant.mode != Variant::Mode::log &&
        problem.find("a packet is missing between them") != std::string::npos)
      continue;
    SKEIN_CHECK(problem.empty(), "%s: %s", what.c_str(), problem.c_str());
  }
  const uint64_t names = static_cast<uint64_t>(
      std::count_if(trace.strings.begin(), trace.strings.end(),
                    [](const auto& each) { return each.second.rfind("nnnnnn", 0) == 0; }));
  uint64_t missing = kNames - names;
  if (variant.mode == Variant::Mode::log) {  // a ring has the newest events only
    const uint64_t events = trace.count("label_text") + trace.count("create") +
                            trace.count("create_under") + trace.count("counter_set");
    const uint64_t made = kTexts + kTasks + kOfThread + 1;
    SKEIN_CHECK(events <= made, "%s: more events than calls", what.c_str());
    missing += made - std::min(events, made);
  }
  SKEIN_CHECK(missing <= shared.lost, "%s: %llu missing, %llu counted", what.c_str(),
              static_cast<unsigned long long>(missing),
              static_cast<unsigned long long>(shared.lost));
}

std::vector<Variant> all_variants() {
  std::vector<Variant> variants = {{}};  // first: without recording
  for (const auto mode : {Variant::Mode::ring, Variant::Mode::log, Variant::Mode::sandboxed})
    for (const bool cancelled : {false, true})
      for (const bool moved : {false, true}) variants.push_back({mode, cancelled, moved});
  return variants;
}

struct Run {
  Variant variant;
  Fault fault;
  std::string text() const {
    return variant.text() + ": call " + std::to_string(fault.index) + " of number " +
           std::to_string(fault.call) + " fails with " + strerrorname_np(fault.error) +
           (fault.stays ? " from now on" : "");
  }
};

// Runs each variant without a fault, and lists the faults of its system calls. Sets the result of
// the program without recording. Returns nothing if something is not permitted here.
std::vector<Run> list_runs(const Scratch& scratch, Shared& shared, uint64_t& result) {
  std::vector<Run> runs;
  for (const Variant& variant : all_variants()) {
    const std::string directory = scratch / variant.text();
    const Outcome outcome = run(variant, directory, shared, {});
    if (!outcome.traced) {
      printf("skipped: %s: not permitted here\n", variant.text().c_str());
      return {};
    }
    if (variant.mode == Variant::Mode::off) result = shared.result;
    SKEIN_CHECK(shared.start_error == 0 && shared.lost == 0, "%s: start %d, %llu lost",
                variant.text().c_str(), shared.start_error,
                static_cast<unsigned long long>(shared.lost));
    judge(variant, directory, shared, outcome, result, variant.text());
    std::set<std::pair<uint64_t, unsigned>> seen;  // number and step
    for (const Call& call : outcome.calls) {
      const bool is_first = seen.insert({call.number, call.step}).second;
      for (const int error : errors_of(call.number)) {
        runs.push_back({variant, {call.number, call.index, error, false}});
        if (is_first && may_stay(error))
          runs.push_back({variant, {call.number, call.index, error, true}});
      }
    }
  }
  return runs;
}

}  // namespace

int main(int count, char** values) {
  if (count < 2) {
    fprintf(stderr, "usage: recorder_faults RUNS [SEED]\n");
    return 2;
  }
  const size_t wanted = strtoull(values[1], nullptr, 10);
  const auto seed =
      count > 2 ? static_cast<unsigned>(strtoul(values[2], nullptr, 10)) : std::random_device()();
  printf("seed %u\n", seed);
  auto& shared = *static_cast<Shared*>(
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  Scratch scratch("faults");
  uint64_t result = 0;
  std::vector<Run> runs = list_runs(scratch, shared, result);
  if (runs.empty()) return failures == 0 ? kSkipped : 1;
  const size_t all = runs.size();
  std::mt19937_64 random(seed);
  std::shuffle(runs.begin(), runs.end(), random);
  if (wanted != 0 && wanted < runs.size()) runs.resize(wanted);
  unsigned refused = 0;
  for (size_t i = 0; i < runs.size() && failures < 20; ++i) {
    const Run& each = runs[i];
    const std::string directory = scratch / std::to_string(i);
    const Outcome outcome = run(each.variant, directory, shared, each.fault);
    refused += shared.start_error != 0;
    judge(each.variant, directory, shared, outcome, result, each.text());
    std::error_code ignored;
    fs::remove_all(directory, ignored);
    fs::remove_all(directory + ".moved", ignored);
  }
  printf("%zu of %zu faults; %u of them at start, which reported them\n", runs.size(), all,
         refused);
  return verdict();
}
