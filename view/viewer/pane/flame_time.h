// The kinds of time that the flame graph of the pane shows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace skein {

enum class FlameTime : uint8_t { Running, Suspended, Ready, All, Cpu };

struct FlameTimeText {
  std::string_view name;
  std::string_view help;
};
inline constexpr std::array<FlameTimeText, 5> flame_times = {{
    {"running", "Time on a thread, by the tasks that await each other"},
    {"suspended", "Time of waits, by the tasks that await each other and what they wait for"},
    {"ready", "Time between the end of a wait and the resumption"},
    {"all", "All three"},
    {"cpu samples", "Samples of a profiler: the functions that ran"},
}};

}  // namespace skein
