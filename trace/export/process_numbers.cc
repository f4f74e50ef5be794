#include "trace/export/process_numbers.h"

#include <set>

namespace skein {

ProcessNumbers::ProcessNumbers(const Trace& trace) {
  std::set<uint64_t> taken = {0};
  for (const Process& process : trace.processes) taken.insert(process.pid);
  std::set<uint64_t> used = {0};
  uint64_t next = 1;
  for (const Process& process : trace.processes) {
    uint64_t number = process.pid;
    if (!used.insert(number).second) {  // unknown, or equal to that of a process on another machine
      while (taken.contains(next)) next++;
      number = next++;
      used.insert(number);
    }
    numbers_.push_back(number);
  }
  for (const Executor& executor : trace.executors) of_executor_.push_back(executor.process);
}

}  // namespace skein
