// The call stacks of a running process's threads, with functions and lines.
//
//   const Result<std::vector<ThreadStack>> stacks = read_thread_stacks(pid);
//   if (stacks) print(thread_stacks_text(*stacks));      // cli/output/thread_stacks_text.h
//
// The process is stopped while its registers and stacks are read: some ms for each thread. So this
// is for a program that hangs, and that is about to be killed. A core stands still anyway.
// WalkedStacks has those that a search for coroutines walks in any case.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "frames/call_stack.h"
#include "frames/mutex_waits.h"
#include "target/target.h"

namespace skein::cli {

struct StackCall {
  std::string function = {};  // "Server::run"; empty: unknown
  std::string module = {};    // the file with the function's code; empty: unknown
  std::string file = {};      // of the source, as the compiler names it; empty: unknown
  uint32_t line = 0;
  uint64_t address = 0;     // in the file, as linked; in the process, if there is no file
  bool is_program = false;  // in the program itself, not in a library
  bool operator==(const StackCall&) const = default;
};

struct ThreadStack {
  uint64_t id = 0;
  std::string name = {};
  TargetThread::State state = TargetThread::State::Unknown;  // before it was stopped
  std::string wait_channel = {};                             // also
  std::optional<MutexWait> mutex = {};  // for which it waits, if its holder is known
  bool is_in_deadlock = false;          // of threads that wait for each other's mutexes
  std::vector<StackCall> calls = {};                         // the innermost first, at most 64
  bool is_complete = false;
  int ending_signal = 0;  // which this thread caused or received, and which ends the process
};

// In ascending order of ids. Fails if the process does not exist or cannot be read. Threads beyond
// the first 1000 are left out. Without permission to stop it, the stacks are those of the threads
// that wait in the kernel, as far as they can be read.
Result<std::vector<ThreadStack>> read_thread_stacks(uint64_t pid);
// Of a core, or of a process that stands still.
std::vector<ThreadStack> read_thread_stacks(const Target& target);

// Stacks as they were when the process stood still, which get their names when it goes on.
//
//   WalkedStacks walked;
//   find_suspended(process, {.after = go_on, .on_stack = walked.adder()});
//   print(thread_stacks_text(walked.named(process, threads, waits)));
class WalkedStacks {
 public:
  void add(const TargetThread& thread, const CallStacks::Stack& stack);
  // SearchOptions::on_stack. This object must outlive it.
  std::function<void(const TargetThread&, const CallStacks::Stack&)> adder() {
    return
        [this](const TargetThread& thread, const CallStacks::Stack& stack) { add(thread, stack); };
  }
  // One for each thread, as read_thread_stacks() has them; of those that were not added, without
  // calls.
  std::vector<ThreadStack> named(const Target& target, std::span<const TargetThread> threads,
                                 const MutexWaits& waits) const;

 private:
  struct Call {
    uint64_t pc = 0;
    bool is_return = false;
  };
  struct Walked {
    std::vector<Call> calls = {};
    bool is_complete = false;
  };
  std::map<uint64_t, Walked> all_ = {};  // by thread
};

}  // namespace skein::cli
