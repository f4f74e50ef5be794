// A text whose tasks, locations and times are separate runs, so that a view can link them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace skein {

struct TextRun {
  enum class Kind : uint8_t { Text, Task, Location, Time, Duration, Number, Address };
  Kind kind = Kind::Text;
  std::string_view text = {};  // as in the trace: callers escape it
  uint64_t value = 0;          // a TaskIndex, a location, ns, a number, an address
};
using Sentence = std::vector<TextRun>;

}  // namespace skein
