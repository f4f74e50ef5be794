#include "profile/sample/stopping_sampler.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "profile/sample/monotonic_clock.h"
#include "profile/sample/process_facts.h"
#include "target/thread_ids.h"

namespace skein {

namespace {

std::string task_path(uint32_t pid, uint64_t thread, const char* name) {
  return "/proc/" + std::to_string(pid) + "/task/" + std::to_string(thread) + "/" + name;
}

std::string_view read_text(const std::string& path, std::span<char> to) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t size = read(file, to.data(), to.size());
  close(file);
  return {to.data(), size < 0 ? 0 : static_cast<size_t>(size)};
}

bool is_running(uint32_t pid, uint64_t thread) {
  char text[512];
  const std::string_view stat = read_text(task_path(pid, thread, "stat"), text);
  const size_t name_end = stat.rfind(')');
  return name_end != stat.npos && name_end + 2 < stat.size() && stat[name_end + 2] == 'R';
}

// The CPU time of a thread up to now, in ns; 0: the kernel does not count it.
uint64_t cpu_time(uint32_t pid, uint64_t thread) {
  char text[128];
  const std::string_view times = read_text(task_path(pid, thread, "schedstat"), text);
  uint64_t ns = 0;
  std::from_chars(times.data(), times.data() + times.size(), ns);
  return ns;
}

// Whether a signal waits to be delivered, which may be the reason of an EINTR.
bool has_pending_signal(uint32_t pid, pid_t thread) {
  char text[4096];
  std::string_view status =
      read_text(task_path(pid, static_cast<uint64_t>(thread), "status"), text);
  const auto mask = [&](std::string_view name) {
    const size_t at = status.find(name);
    if (at == status.npos) return ~uint64_t{0};
    const std::string_view digits = status.substr(at + name.size());
    uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    return value;
  };
  const uint64_t pending = mask("SigPnd:\t") | mask("ShdPnd:\t");
  return (pending & ~mask("SigBlk:\t")) != 0;
}

#if defined(__x86_64__)

void set_registers(const user_regs_struct& from, UnwindRegisters& to) {
  const uint64_t in_order[] = {from.rax, from.rdx, from.rcx, from.rbx, from.rsi, from.rdi,
                               from.rbp, from.rsp, from.r8,  from.r9,  from.r10, from.r11,
                               from.r12, from.r13, from.r14, from.r15, from.rip};
  for (size_t number = 0; number < std::size(in_order); number++) to.set(number, in_order[number]);
}

uint64_t stack_pointer(const user_regs_struct& registers) { return registers.rsp; }
uint64_t instruction(const user_regs_struct& registers) { return registers.rip; }

// The calls that the kernel does not make again after a stop (signal(7)) and that threads wait in.
bool ends_by_stop(uint64_t call) {
  return call == SYS_epoll_wait || call == SYS_epoll_pwait || call == SYS_epoll_pwait2 ||
         call == SYS_semtimedop || call == SYS_semop || call == SYS_io_getevents ||
         call == SYS_rt_sigtimedwait || call == SYS_io_uring_enter;
}

// Makes a call again that this stop has ended.
void repeat_call(uint32_t pid, pid_t thread, user_regs_struct registers) {
  constexpr uint64_t call_size = 2;  // of the instruction `syscall`
  if (registers.rax != static_cast<uint64_t>(-EINTR) || !ends_by_stop(registers.orig_rax) ||
      has_pending_signal(pid, thread))
    return;
  registers.rax = registers.orig_rax;
  registers.rip -= call_size;
  registers.orig_rax = ~uint64_t{0};  // it is no call that the kernel has to finish
  iovec from{&registers, sizeof registers};
  ptrace(PTRACE_SETREGSET, thread, NT_PRSTATUS, &from);
}

#endif

// Waits until a thread has stopped, and returns its status; nothing: it has ended. A child of this
// process is not reaped then: its exit code belongs to others.
std::optional<int> wait_for_stop(pid_t thread, bool is_child) {
  siginfo_t info = {};
  int failed = 0;
  do
    failed = waitid(P_PID, static_cast<id_t>(thread), &info, WEXITED | WSTOPPED | WNOWAIT | __WALL);
  while (failed != 0 && errno == EINTR);
  const bool has_stopped = info.si_code == CLD_STOPPED || info.si_code == CLD_TRAPPED;
  if (failed != 0 || (!has_stopped && is_child)) return {};
  int status = 0;
  if (waitpid(thread, &status, __WALL | WNOHANG) != thread || !WIFSTOPPED(status)) return {};
  return status;
}

int pending_signal(int status) { return status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status); }

}  // namespace

Result<void> StoppingSampler::begin() {
  const auto thread = static_cast<pid_t>(pid_);
  if (ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0) {
    const int reason = errno;
    return Error{.what = reason == ESRCH
                             ? "no process " + std::to_string(pid_)
                             : "it cannot be traced: " + std::string(std::strerror(reason))};
  }
  ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr);
  if (const std::optional<int> status = wait_for_stop(thread, is_child_))
    ptrace(PTRACE_DETACH, thread, nullptr, static_cast<intptr_t>(pending_signal(*status)));
  for (const uint64_t present : thread_ids("/proc/" + std::to_string(pid_) + "/task"))
    threads_[present].used = cpu_time(pid_, present);
  last_ = monotonic_ns();
  return {};
}

uint64_t StoppingSampler::look_at(uint64_t thread, uint64_t passed) {
  const uint64_t used = cpu_time(pid_, thread);
  Thread& known = threads_[thread];
  // The kernel does not count it: it counts if the thread runs now.
  if (used == 0) return is_running(pid_, thread) ? passed : 0;
  // A smaller time is that of another thread with the same number.
  const uint64_t since = used < known.used ? used : used - known.used;
  known.used = used;
  return since;
}

void StoppingSampler::sample(const std::function<void(const PerfRecord&)>& use) {
  const uint64_t now = monotonic_ns();
  const uint64_t passed = now - std::exchange(last_, now);
  for (const uint64_t thread : thread_ids("/proc/" + std::to_string(pid_) + "/task")) {
    const uint64_t since = look_at(thread, passed);
    uint64_t& unsampled = threads_[thread].unsampled;
    unsampled += since;
    // One that can run but waits for a processor has used none.
    if (since == 0 || !is_running(pid_, thread)) continue;
    // After a delay, such as that of reading symbols, one sample must not stand for all of it.
    constexpr uint64_t most_intervals = 8;
    const uint64_t most = 2 * interval_ + std::min(since, most_intervals * interval_);
    PerfRecord sample;
    sample.type = PerfRecord::Type::Sample;
    sample.pid = pid_;
    sample.tid = static_cast<uint32_t>(thread);
    sample.period = std::min(unsampled, most);
    sample.mode = 2;
    if (!copy(static_cast<pid_t>(thread), sample)) continue;
    unsampled -= sample.period;
    sampled_ += sample.period;
    use(sample);
  }
}

bool StoppingSampler::copy(pid_t thread, PerfRecord& sample) {
#if defined(__x86_64__)
  if (ptrace(PTRACE_SEIZE, thread, nullptr, nullptr) != 0) return false;
  ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr);
  const std::optional<int> status =
      wait_for_stop(thread, is_child_ && thread == static_cast<pid_t>(pid_));
  if (!status) return false;
  const uint64_t stopped = monotonic_ns();
  user_regs_struct registers = {};
  iovec to{&registers, sizeof registers};
  const bool is_read = ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &to) == 0;
  ssize_t size = 0;
  if (is_read) {
    // A part for each page, as the stack may end before the copy: only whole parts are read.
    constexpr size_t page = 4096;
    std::array<iovec, UINT16_MAX / page + 2> parts = {};
    const uint64_t sp = stack_pointer(registers);
    size_t count = 0;
    for (size_t at = 0; at < stack_.size() && count < parts.size(); count++) {
      const size_t part = std::min(page - (sp + at) % page, stack_.size() - at);
      parts[count] = {.iov_base = reinterpret_cast<void*>(sp + at), .iov_len = part};  // NOLINT
      at += part;
    }
    const iovec local{.iov_base = stack_.data(), .iov_len = stack_.size()};
    size = process_vm_readv(static_cast<pid_t>(pid_), &local, 1, parts.data(), count, 0);
  }
  // A signal that was about to be delivered is delivered when the thread goes on.
  const int signal = pending_signal(*status);
  if (is_read && signal == 0) repeat_call(pid_, thread, registers);
  ptrace(PTRACE_DETACH, thread, nullptr, static_cast<intptr_t>(signal));
  const uint64_t end = monotonic_ns();
  pauses_.push_back(static_cast<uint32_t>(std::min<uint64_t>(end - stopped, UINT32_MAX)));
  if (!is_read || size <= 0) return false;
  sample.time = stopped;
  sample.address = instruction(registers);
  set_registers(registers, sample.registers);
  sample.stack = std::span(stack_).first(static_cast<size_t>(size));
  return true;
#else
  (void)thread, (void)sample;
  return false;
#endif
}

}  // namespace skein
