// The system calls of x86-64 in which threads wait.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "target/target.h"

namespace skein {

// "futex"; empty: it is none of them.
std::string_view name_of_waiting_call(uint64_t number);

// Where a thread waits that is in `call`: `wait_channel`, the kernel's function; or, if that shows
// only that it is in a system call, as after a stop, the name of the call. Empty: unknown.
std::string waits_in(std::string_view wait_channel, const std::optional<KernelCall>& call);

// Of a thread that is in a system call.
std::array<uint64_t, 6> call_arguments(const Registers& registers);

// From what a system call is about to return (rax) while its thread is stopped: whether it waited,
// and the stop has interrupted it.
bool was_interrupted(uint64_t result);

// The kernel's own: it goes on with a call that a stop has interrupted.
constexpr uint64_t restart_call = 219;

}  // namespace skein
