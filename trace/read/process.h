// The machines and processes of a trace: machine -> process -> executor (executor.h).
#pragma once

#include <cstdint>
#include <string>

namespace skein {

struct Machine {
  std::string name;     // host name; empty: unknown
  std::string boot_id;  // of the boot in which the trace was recorded; empty: unknown
  bool operator==(const Machine&) const = default;
};

struct Process {
  uint64_t pid = 0;      // 0: unknown
  std::string name;      // program name; empty: unknown
  uint32_t machine = 0;  // index into Trace::machines
  bool operator==(const Process&) const = default;
};

}  // namespace skein
