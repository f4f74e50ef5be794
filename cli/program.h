// The program that a command runs. It receives the signals that other processes send to the
// command, as if it had been started without it.
//
//   fork_program(command, [&] { setenv(...); });    // it waits
//   sample(program_pid());
//   execute_program(command);                       // dies if there is no such program
//   const siginfo_t end = wait_for_program();
//   const ProgramEnd end = reap_program();
//
// One program in a process, as signal handlers know only one.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace skein::cli {

// Starts a child that calls `in_child` and waits for execute_program(). From now on no signal that
// can be handled ends this process. Throws CommandError(1) if there can be no child.
void fork_program(const std::vector<std::string>& command, const std::function<void()>& in_child);

// Lets the child execute the program. Throws CommandError(127) if there is none, or (126).
void execute_program(const std::vector<std::string>& command);

// Ends a child that has not executed the program.
void abandon_program();

// Until reap_program(); then 0.
pid_t program_pid();

// True if Ctrl-C, or a signal that stands for it, was received.
bool was_interrupted();

struct ProgramEnd {
  int code = 0;    // as a shell reports it: its exit code, or 128 + the signal
  int signal = 0;  // 0: it exited
};

// Waits for its end, without reaping it: its number stays its own, and a signal that is forwarded
// cannot reach another process.
void wait_for_program();

// Reaps the program, which must have ended, and reports on stderr the signal that killed it.
ProgramEnd reap_program();

}  // namespace skein::cli
