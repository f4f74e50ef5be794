#include "target/stopped_threads.h"

#include <elf.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

#include "target/thread_ids.h"
#include "target/waiting_calls.h"

namespace skein {

namespace {

int64_t now_ns() {
  timespec time = {};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

#if defined(__x86_64__)
Registers registers_of(const user_regs_struct& from) {
  Registers to;
  const uint64_t in_order[] = {from.rax, from.rdx, from.rcx, from.rbx, from.rsi, from.rdi,
                               from.rbp, from.rsp, from.r8,  from.r9,  from.r10, from.r11,
                               from.r12, from.r13, from.r14, from.r15, from.rip};
  for (size_t number = 0; number < std::size(in_order); number++) to.set(number, in_order[number]);
  return to;
}

// orig_rax is -1 of a thread that is not in a call.
std::optional<KernelCall> interrupted_call(const user_regs_struct& from) {
  if (static_cast<int64_t>(from.orig_rax) < 0 || !was_interrupted(from.rax)) return {};
  return KernelCall{.number = from.orig_rax, .arguments = call_arguments(registers_of(from))};
}
#elif defined(__aarch64__)
Registers registers_of(const user_regs_struct& from) {
  Registers to;
  for (size_t number = 0; number < std::size(from.regs); number++)
    to.set(number, from.regs[number]);
  to.set(Registers::sp_of(Architecture::Aarch64), from.sp);
  to.set(Registers::pc_of(Architecture::Aarch64), from.pc);
  return to;
}

std::optional<KernelCall> interrupted_call(const user_regs_struct&) { return {}; }
#endif

}  // namespace

Result<StoppedThreads> StoppedThreads::stop(uint64_t pid) {
  StoppedThreads stopped(now_ns());
  // A thread that is not stopped yet may create others.
  int error = 0;
  while (stopped.attach_new(pid, error)) stopped.wait_for_stops();
  if (!stopped.threads_.empty()) return stopped;
  return Error{.what = error == EPERM
                           ? "it cannot be stopped: no permission, or another program "
                             "such as a debugger traces it"
                           : std::string("it cannot be stopped: ") + std::strerror(error),
               .file = "process " + std::to_string(pid),
               .advice = "leave out --stop"};
}

// Whether there were any.
bool StoppedThreads::attach_new(uint64_t pid, int& error) {
  const size_t count = threads_.size();
  for (const uint64_t id : thread_ids("/proc/" + std::to_string(pid) + "/task")) {
    const auto thread = static_cast<pid_t>(id);
    const auto end = threads_.begin() + static_cast<std::ptrdiff_t>(count);
    if (std::binary_search(threads_.begin(), end, Thread{.id = thread}, has_lower_id)) continue;
    if (ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0) {
      error = errno;
      continue;
    }
    threads_.push_back({.id = thread});
    ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr);
  }
  std::sort(threads_.begin(), threads_.end(), has_lower_id);
  return threads_.size() != count;
}

// They stop at the same time: one sleep is for all of them.
void StoppedThreads::wait_for_stops() {
  constexpr int64_t longest = 1'000'000'000;
  const int64_t end = now_ns() + longest;
  std::vector<Thread*> waiting;
  for (Thread& thread : threads_)
    if (!thread.is_stopped) waiting.push_back(&thread);
  for (;;) {
    std::erase_if(waiting, [](Thread* thread) { return has_changed(*thread); });
    if (waiting.empty() || now_ns() > end) return;
    const timespec pause{.tv_sec = 0, .tv_nsec = 20'000};
    nanosleep(&pause, nullptr);
  }
}

// Whether it has stopped or ended.
bool StoppedThreads::has_changed(Thread& thread) {
  int status = 0;
  const pid_t changed = waitpid(thread.id, &status, __WALL | WNOHANG);
  if (changed == 0) return false;
  if (changed < 0 || !WIFSTOPPED(status)) return true;
  thread.is_stopped = true;
  // ptrace(2), "PTRACE_EVENT_STOP".
  if (status >> 16 != PTRACE_EVENT_STOP)
    thread.signal = WSTOPSIG(status);
  else
    thread.is_by_signal = WSTOPSIG(status) != SIGTRAP;
  return true;
}

std::vector<uint64_t> StoppedThreads::ids() const {
  std::vector<uint64_t> ids;
  for (const Thread& thread : threads_) ids.push_back(static_cast<uint64_t>(thread.id));
  return ids;
}

StoppedThreads::Stop StoppedThreads::at(uint64_t id) const {
  const Thread wanted{.id = static_cast<pid_t>(id)};
  auto thread = std::lower_bound(threads_.begin(), threads_.end(), wanted, has_lower_id);
  if (thread != threads_.end() && static_cast<uint64_t>(thread->id) != id) thread = threads_.end();
  user_regs_struct values = {};
  iovec to{&values, sizeof values};
  if (thread == threads_.end() || !thread->is_stopped || pause_ != 0 ||
      ptrace(PTRACE_GETREGSET, thread->id, NT_PRSTATUS, &to) != 0 || to.iov_len != sizeof values)
    return {};
  return {.registers = registers_of(values),
          .call = interrupted_call(values),
          .is_by_signal = thread->is_by_signal};
}

int64_t StoppedThreads::resume() {
  if (pause_ != 0 || threads_.empty()) return pause_;
  for (const Thread& thread : threads_) {
    const auto signal = static_cast<uintptr_t>(thread.signal);
    ptrace(PTRACE_DETACH, thread.id, nullptr, reinterpret_cast<void*>(signal));  // NOLINT
  }
  pause_ = std::max<int64_t>(1, now_ns() - began_);
  return pause_;
}

}  // namespace skein
