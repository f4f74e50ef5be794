// What the flame graph of the pane shows: time of tasks by the tasks that await each other, or
// samples by logical or physical stack.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace skein {

enum class FlameTime : uint8_t { Running, Suspended, Ready, All, Cpu, Physical, OffCpu };

struct FlameTimeText {
  std::string_view name;
  std::string_view choice;  // in a list of all
  std::string_view help;
};
inline constexpr std::array<FlameTimeText, 7> flame_times = {{
    {"running", "await: running", "Time on a thread, by the tasks that await each other"},
    {"suspended", "await: suspended",
     "Time of waits, by the tasks that await each other and what they wait for"},
    {"ready", "await: ready", "Time between the end of a wait and the resumption"},
    {"all", "await: all", "Running, ready and suspended time, by the tasks that await each other"},
    {"samples", "samples: logical",
     "Samples: the tasks that await each other, then the functions that the innermost one called"},
    {"samples", "samples: physical",
     "Samples: the functions that called each other, from the beginning of the thread"},
    {"off-cpu", "off-cpu", "Time in which threads had no CPU, by the functions that waited"},
}};

constexpr bool counts_samples(FlameTime time) {
  return time == FlameTime::Cpu || time == FlameTime::Physical;
}

}  // namespace skein
