// Any bytes as a mirage-profile trace: never a crash, and what comes out keeps the promises of
// trace/read/events.h.
#include <cstdlib>
#include <span>

#include "trace/read/mirage/mirage.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace skein;
  const std::span<const uint8_t> file(data, size);
  const Trace trace = mirage::read(file);
  const Events& events = trace.events;
  require(events.size() * 17 <= size);
  uint64_t counted = 0;
  for (const auto& kind : trace.facts.wire_kinds) counted += kind.second;
  require(counted == events.size());
  for (size_t i = 0; i < events.size(); i++) {
    require(i == 0 || events.time[i - 1] <= events.time[i]);
    require(events.text[i] < trace.strings.size());
    require(events.executor[i] < trace.executors.size());
    require(events.location[i] < trace.locations.size());
    require(static_cast<size_t>(events.kind[i]) < event_kinds);
    if (events.kind[i] == EventKind::Create) require(events.value[i] < trace.kinds.size());
  }
  for (const Loss& loss : trace.losses) require(loss.offset <= size && !loss.what.empty());
  return 0;
}
