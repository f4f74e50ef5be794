#include "target/waiting_calls.h"

namespace skein {

// arch/x86/entry/syscalls/syscall_64.tbl
std::string_view name_of_waiting_call(uint64_t number) {
  switch (number) {
    case 0:
      return "read";
    case 7:
      return "poll";
    case 23:
      return "select";
    case 34:
      return "pause";
    case 35:
      return "nanosleep";
    case 42:
      return "connect";
    case 43:
      return "accept";
    case 45:
      return "recvfrom";
    case 47:
      return "recvmsg";
    case 61:
      return "do_wait";
    case 72:
      return "fcntl";
    case 73:
      return "flock";
    case 128:
      return "sigtimedwait";
    case 130:
      return "sigsuspend";
    case 202:
      return "futex";
    case 230:
      return "clock_nanosleep";
    case 232:
      return "epoll_wait";
    case 270:
      return "pselect6";
    case 271:
      return "ppoll";
    case 281:
      return "epoll_pwait";
    case 288:
      return "accept4";
    case 426:
      return "io_uring_enter";
    case 441:
      return "epoll_pwait2";
    default:
      return "";
  }
}

std::string waits_in(std::string_view wait_channel, const std::optional<KernelCall>& call) {
  const bool is_any_call = wait_channel.empty() || wait_channel == "0" ||
                           wait_channel == "do_syscall_64" || wait_channel == "x64_sys_call" ||
                           wait_channel == "entry_SYSCALL_64_after_hwframe";
  if (!is_any_call) return std::string(wait_channel);
  const std::string_view name = call ? name_of_waiting_call(call->number) : "";
  return std::string(name.empty() && wait_channel != "0" ? wait_channel : name);
}

std::array<uint64_t, 6> call_arguments(const Registers& registers) {
  std::array<uint64_t, 6> arguments = {};
  constexpr size_t order[] = {5, 4, 1, 10, 8, 9};  // rdi, rsi, rdx, r10, r8, r9
  for (size_t i = 0; i < arguments.size(); i++) arguments[i] = registers.get(order[i]).value_or(0);
  return arguments;
}

bool was_interrupted(uint64_t result) {
  const auto error = -static_cast<int64_t>(result);
  constexpr int64_t interrupted = 4;  // EINTR, of those that are not restarted
  // ERESTARTSYS, _NOINTR, _NOHAND and _RESTARTBLOCK: include/linux/errno.h
  return error == interrupted || (error >= 512 && error <= 514) || error == 516;
}

}  // namespace skein
