// The machines and processes that a trace is of: machine -> process -> executor (executor.h).
#pragma once

#include <cstdint>
#include <string>

namespace skein {

struct Machine {
  std::string name;     // host name; empty: unknown
  std::string boot_id;  // of the boot during which the trace was made; empty: unknown
  bool operator==(const Machine&) const = default;
};

struct Process {
  uint64_t pid = 0;      // 0: unknown
  std::string name;      // of the program; empty: unknown
  uint32_t machine = 0;  // index into Trace::machines
  bool operator==(const Process&) const = default;
};

}  // namespace skein
