#include "cli/input/made_trace.h"

#include <utility>

#include "cli/input/guest_input.h"
#include "cli/input/memory_trace.h"
#include "cli/input/trace_input.h"

namespace skein::cli {

std::optional<MadeTrace> make_trace(const std::string& text) {
  if (std::optional<MadeTrace> profile = open_profile_trace(text)) return profile;
  if (guest_of(text)) {
    Trace trace = open_trace(text);
    report_losses(trace, text);
    return MadeTrace{.trace = std::move(trace), .title = trace_name(text)};
  }
  std::optional<MemoryTrace> memory = open_memory_trace(text, most_in_picture);
  if (!memory) return {};
  return MadeTrace{.trace = std::move(memory->trace),
                   .title = std::move(memory->title),
                   .note = std::string(memory_trace_note)};
}

}  // namespace skein::cli
