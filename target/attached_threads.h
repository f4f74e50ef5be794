// Stops the threads of a process for as long as this object exists, and reads their registers.
//
//   {
//     const AttachedThreads stopped(pid);
//     Registers registers = thread.registers;
//     if (const Registers* all = stopped.registers(thread.id)) registers = *all;
//   }  // the process continues
//
// For processes that are about to be killed: a thread that computes shows nothing of its stack
// otherwise. The caller must have the permissions of process.h, and must be the only thread that
// waits for the process. If the caller is killed, the kernel lets the threads continue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "target/target.h"

namespace skein {

class AttachedThreads {
 public:
  // Waits until all threads have stopped, or `patience` is over: a thread inside the kernel may
  // take its time. A thread that does not stop, or that another debugger has attached, is left out.
  explicit AttachedThreads(uint64_t pid, int64_t patience_ns = 1'000'000'000);
  AttachedThreads(const AttachedThreads&) = delete;
  AttachedThreads& operator=(const AttachedThreads&) = delete;
  ~AttachedThreads();

  // All general registers; null: the thread did not stop, or does not exist.
  const Registers* registers(uint64_t thread) const;
  size_t count() const { return registers_.size(); }

 private:
  std::map<uint64_t, Registers> registers_ = {};
};

}  // namespace skein
