#include "profile/sample/report_texts.h"

#include <algorithm>

namespace skein {

std::string larger_copies_text(uint32_t bytes) {
  constexpr uint32_t most = 65528;  // that perf_event_open(2) permits
  if (bytes >= most) return "no larger --stack-size is possible";
  return "use --stack-size " + std::to_string(std::min(4 * bytes, most));
}

}  // namespace skein
