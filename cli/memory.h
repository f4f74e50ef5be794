// The memory limit of a command: a trace that needs more ends the command with a message, not the
// machine in its swap space.
//
//   MemoryLimit(options.memory).run(command);   // "2G"; empty: half of the free memory
//                                               // (free_memory.h), none if that is unknown
//
// The kernel counts the memory (RLIMIT_DATA): heap, stacks of threads, and other private memory,
// but not files that are mapped to be read. An allocation beyond the limit fails, wherever it is;
// operator new then throws OutOfMemory, which becomes a CommandError.
//
// Rejected: a budget that each reader and analysis divides (each new container could forget it);
// RLIMIT_AS (a sparse file of 1 TB may be mapped); a counter in operator new (SQLite, zlib and the
// event columns use malloc).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <string>

namespace skein::cli {

// Thrown by operator new in this program. Does not allocate.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(uint64_t needed) : needed_(needed) {}
  const char* what() const noexcept override { return "out of memory"; }
  // The memory in use and the failed request together; 0: unknown.
  uint64_t needed() const { return needed_; }

 private:
  uint64_t needed_;
};

class MemoryLimit {
 public:
  // Limits this process to `size` (base/byte_size.h), at least least_bytes. Throws CommandError(2)
  // if the size is invalid. Has no effect with sanitizers, which reserve terabytes.
  explicit MemoryLimit(const std::string& size);
  ~MemoryLimit() { lift(); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

  // Runs a command under the limit. Throws CommandError(2) if it needs more.
  int run(const std::function<int()>& command) const;

  static constexpr uint64_t least_bytes = uint64_t{16} << 20;

  // Removes the limit, also for programs that this one executes.
  static void lift();
};

// "this command needs at least 4.1 GiB of memory, more than --memory allows (2 GiB); use ..."
// `needed` 0: unknown.
std::string memory_message(uint64_t needed);

// The private memory of this process in bytes, as RLIMIT_DATA counts it. Does not allocate.
uint64_t used_memory();

// Makes std::terminate print a message and exit with 2 if a std::bad_alloc was not caught,
// such as in a destructor.
void report_uncaught_out_of_memory();

}  // namespace skein::cli
