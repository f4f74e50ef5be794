#include "target/attached_threads.h"

#include <dirent.h>
#include <elf.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

#include <charconv>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace skein {

namespace {

int64_t monotonic_ns() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void pause_briefly() {
  const timespec time = {.tv_sec = 0, .tv_nsec = 200'000};
  nanosleep(&time, nullptr);
}

std::set<pid_t> threads_of(uint64_t pid) {
  std::set<pid_t> ids;
  const auto close = [](DIR* folder) { closedir(folder); };
  const std::unique_ptr<DIR, decltype(close)> folder(
      opendir(("/proc/" + std::to_string(pid) + "/task").c_str()), close);
  if (folder == nullptr) return ids;
  while (const dirent* entry = readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    pid_t id = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), id).ec == std::errc())
      ids.insert(id);
  }
  return ids;
}

void detach(pid_t thread) { ptrace(PTRACE_DETACH, thread, nullptr, nullptr); }

#if defined(__x86_64__) || defined(__aarch64__)

// user_regs_struct of the kernel: on x86-64 r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi
// rdi orig_rax rip cs eflags rsp; on AArch64 x0 to x30, sp, pc.
Registers read_registers(pid_t thread) {
  uint64_t words[64] = {};
  iovec place = {.iov_base = words, .iov_len = sizeof words};
  Registers registers;
  if (ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &place) != 0) return registers;
#ifdef __x86_64__
  constexpr size_t order[] = {10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16};
  constexpr size_t needed = 20;
#else
  constexpr size_t order[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                              17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
  constexpr size_t needed = 33;
#endif
  if (place.iov_len < needed * sizeof(uint64_t)) return registers;  // of 32 bits
  for (size_t number = 0; number < std::size(order); number++)
    registers.set(number, words[order[number]]);
  return registers;
}

#else

Registers read_registers(pid_t) { return {}; }

#endif

}  // namespace

AttachedThreads::AttachedThreads(uint64_t pid, int64_t patience_ns) {
  const int64_t end = monotonic_ns() + patience_ns;
  std::set<pid_t> waiting;  // attached, but not stopped yet
  std::set<pid_t> tried;
  // A thread that runs may start others until it has stopped.
  for (bool has_new = true; has_new;) {
    has_new = false;
    for (const pid_t id : threads_of(pid)) {
      if (!tried.insert(id).second) continue;
      if (ptrace(PTRACE_SEIZE, id, nullptr, nullptr) != 0) continue;
      if (ptrace(PTRACE_INTERRUPT, id, nullptr, nullptr) != 0) continue;
      waiting.insert(id);
      has_new = true;
    }
    while (!waiting.empty() && monotonic_ns() < end) {
      for (auto at = waiting.begin(); at != waiting.end();) {
        const pid_t id = *at;
        int status = 0;
        const pid_t found = waitpid(id, &status, WNOHANG | __WALL);
        if (found == 0) {
          ++at;
          continue;
        }
        // A signal that arrived first is delivered, not lost.
        if (found == id && WIFSTOPPED(status) && status >> 16 == 0) {
          ptrace(PTRACE_CONT, id, nullptr, static_cast<intptr_t>(WSTOPSIG(status)));
          ++at;
          continue;
        }
        at = waiting.erase(at);
        if (found != id || !WIFSTOPPED(status)) continue;  // it has ended
        registers_.emplace(static_cast<uint64_t>(id), read_registers(id));
      }
      if (!waiting.empty()) pause_briefly();
    }
  }
  // Only a stopped thread can be detached. The others are when they stop, or this process ends.
  for (const pid_t id : waiting) detach(id);
}

AttachedThreads::~AttachedThreads() {
  for (const auto& [id, registers] : registers_) detach(static_cast<pid_t>(id));
}

const Registers* AttachedThreads::registers(uint64_t thread) const {
  const auto at = registers_.find(thread);
  return at == registers_.end() ? nullptr : &at->second;
}

}  // namespace skein
