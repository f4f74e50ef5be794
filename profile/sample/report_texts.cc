#include "profile/sample/report_texts.h"

#include <algorithm>

#include "base/text.h"

namespace skein {

std::string no_samples_text(const NoSamples& about) {
  constexpr uint64_t second = 1'000'000'000, few = 10;
  if (about.cpu_ns == 0) return "no samples; it used no CPU time";
  const std::string text =
      "no samples, but it used " + duration_text(about.cpu_ns) + " of CPU time";
  // Chance does not miss so many.
  if (!about.has_kernel && about.cpu_ns / few >= second / about.frequency)
    return text +
           ", in the kernel: its functions need kernel.perf_event_paranoid at 1 or less, or "
           "CAP_PERFMON";
  return text + "; use a higher -F" + (about.has_end ? " or a longer -T" : "");
}

std::string cost_text(const SamplingCost& cost) {
  constexpr uint64_t least = 100'000'000, most_of_each = 250'000;
  if (cost.own_ns < least || cost.own_ns <= cost.program_ns / 2) return {};
  const bool is_of_samples = cost.own_ns / most_of_each <= cost.samples + cost.waits;
  if (!cost.stops && !is_of_samples) return {};
  const std::string text = "skein used " + duration_text(cost.own_ns) + " of CPU time for " +
                           duration_text(cost.program_ns) + " of the program";
  if (cost.waits <= cost.samples) return text + ": use a lower -F";
  return text + (cost.logical ? ": use --stacks physical" : ": it waits often");
}

std::string larger_copies_text(uint32_t bytes) {
  constexpr uint32_t most = 65528;  // that perf_event_open(2) permits
  if (bytes >= most) return "no larger --stack-size is possible";
  return "use --stack-size " + std::to_string(std::min(4 * bytes, most));
}

}  // namespace skein
