// A process that has not ended, and the thread by which the kernel shows it.
//
//   if (const std::optional<LivingProcess> process = living_process(4711)) read(process->thread);
//
// The main thread may leave by pthread_exit(3) while others go on. Then it is a zombie, and
// /proc/PID has neither memory nor files of the process: /proc/TID of another thread has them, and
// process_vm_readv(2) reads by that number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace skein {

struct LivingProcess {
  uint64_t start = 0;   // when it was started, in the kernel's unit: numbers are used again
  uint64_t thread = 0;  // the main one, unless it has left
  bool operator==(const LivingProcess&) const = default;
};

// Nothing: there is no such process, or it has ended, or ends. What is equal to an earlier answer
// has kept its memory in between. Reads one file, or with a main thread that has left, some.
std::optional<LivingProcess> living_process(uint64_t pid);

// "/proc/4711", or of the thread that shows the process; of one that has ended, its own.
std::string process_folder(const std::string& pid);

// From the line of /proc/PID/stat: whether the process has ended, with all of its threads.
bool has_ended(std::string_view stat);

}  // namespace skein
