#include "profile/trace/chosen_event.h"

namespace skein {

Result<uint32_t> event_of_cpu_time(const PerfFile& file, const std::string& name,
                                   const std::string& path) {
  const Result<PerfFile::Chosen> chosen = file.choose_event(name, path);
  if (!chosen) return chosen.error();
  constexpr uint64_t context_switches = 3;  // PERF_COUNT_SW_
  const PerfEvent& event = file.events()[chosen->event];
  if (event.is_off_cpu() || (event.type == 1 && event.config == context_switches))
    return Error{.what = "waits of threads (--off-cpu), not samples of CPU time",
                 .file = path,
                 .advice = "draw them with skein flame"};
  return chosen->event;
}

}  // namespace skein
