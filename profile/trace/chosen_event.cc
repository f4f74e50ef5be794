#include "profile/trace/chosen_event.h"

#include <vector>

namespace skein {

namespace {

bool is_of_waits(const PerfEvent& event) {
  constexpr uint64_t context_switches = 3;  // PERF_COUNT_SW_
  return event.is_off_cpu() || (event.type == 1 && event.config == context_switches);
}

}  // namespace

Result<ShownEvents> shown_events(const PerfFile& file, const std::string& name,
                                 const std::string& path) {
  const Result<PerfFile::Chosen> chosen = file.choose_event(name, path);
  if (!chosen) return chosen.error();
  bool has_switches = false;
  file.for_each(
      [&](const PerfRecord& record) { has_switches |= record.type == PerfRecord::Type::Switch; });
  ShownEvents shown;
  for (uint32_t i = 0; i < file.events().size(); i++) {
    if (chosen->samples[i] == 0 || (!name.empty() && i != chosen->event)) continue;
    const PerfEvent& event = file.events()[i];
    if (!is_of_waits(event)) {
      if (!shown.cpu_time) shown.cpu_time = i;
    } else if (!shown.waits && event.is_off_cpu() && has_switches) {
      shown.waits = i;
    }
  }
  if (shown == ShownEvents())
    return Error{.what = "waits of threads (--off-cpu), not samples of CPU time",
                 .file = path,
                 .advice = "draw them with skein flame"};
  return shown;
}

}  // namespace skein
