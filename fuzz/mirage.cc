// Reads any bytes as a mirage-profile trace: must not crash, and the result must satisfy the
// contract in trace/read/events.h.
//
// The input ends at the start of an inaccessible page: this detects reads past the end even in a
// build without address sanitizer, which runs ten times faster.
#include "trace/read/mirage/mirage.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <span>

#include "fuzz/model.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// Returns `size` bytes that end at an inaccessible page.
uint8_t* guarded(size_t size) {
  constexpr size_t room = size_t{1} << 20;
  static uint8_t* const end = [] {
    void* memory =
        mmap(nullptr, room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(memory != MAP_FAILED);
    auto* guard = static_cast<uint8_t*>(memory) + room;
    require(mprotect(guard, 4096, PROT_NONE) == 0);
    return guard;
  }();
  require(size <= room);
  return end - size;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace skein;
  uint8_t* const copy = guarded(size);
  std::copy_n(data, size, copy);
  const std::span<const uint8_t> file(copy, size);
  const Trace trace = mirage::read(file);
  const Events& events = trace.events;
  require(events.size() * 17 <= size);
  uint64_t counted = 0;
  for (const auto& kind : trace.info.wire_kinds) counted += kind.second;
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
  check_model(trace);
  return 0;
}
