// What /proc has of a process that is sampled: the state that it was in before there were records.
//
//   for (const uint32_t tid : threads_of(pid)) writer.add_name(pid, tid, thread_name(pid, tid), 0);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profile/perf/perf_record.h"

namespace skein {

// Ascending; none: it has ended.
std::vector<uint32_t> threads_of(uint32_t pid);
// Empty: the thread has ended.
std::string thread_name(uint32_t pid, uint32_t tid);

// Of a thread, or of a process itself; 0: there is none.
uint32_t process_of(uint32_t tid);
// The CPU time that a process has used, also in threads that have ended, in ns. Nothing: it has
// ended, and its parent knows.
std::optional<uint64_t> process_cpu_ns(uint32_t pid);

// A mapping with code.
struct CodeMapping {
  uint64_t begin = 0;
  uint64_t size = 0;
  uint64_t offset = 0;    // in the file
  std::string file = {};  // "//anon": none, as perf writes it
  std::vector<uint8_t> build_id = {};
  // As the kernel records a new one. Valid as long as this object.
  PerfRecord record(uint32_t pid) const;
};
// None: it has ended, or may not be read. 1 ms for each thousand mappings, and opens their files.
std::vector<CodeMapping> code_mappings_of(uint32_t pid);

// Where the kernel has _text; 0: it does not show it. 10 ms.
uint64_t kernel_text();

}  // namespace skein
