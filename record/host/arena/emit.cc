// The C interface in a unikernel: finds the stream of the vCPU or of its interrupt handler.
#include "record/host/arena/arena.h"
#include "record/host/arena/executor.h"

// Needs the declarations above.
#include "record/core/calls.h"

namespace skein::record {

Writer* find_stream(Writer* writer) {
  if (writer == nullptr) return attach();
  if (writer->nested == nullptr || writer->nested->in_use != 0) {
    count_lost(state.table, format::kLoss_nested);  // an interrupt of an interrupt in an event
    return nullptr;
  }
  return writer->nested;
}

}  // namespace skein::record

extern "C" {

// All memory of a unikernel can be read.
SKEIN_CALL int skein_can_read(const void*) { return 1; }

SKEIN_CALL uint32_t skein_generation(void) { return skein_enabled() != 0 ? generation_now() : 0; }

// Handles of other libraries' objects need a table of 8 MiB.
SKEIN_CALL skein_task* skein_handle_keep(const void*, const void*) { return nullptr; }
SKEIN_CALL skein_task skein_handle_take(const void*, const void*) { return {}; }

}  // extern "C"
