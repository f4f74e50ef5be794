#include "cli/input/callback_lines.h"

#include <algorithm>
#include <vector>

#ifdef SKEIN_HAS_SYMBOLS
#include "symbol/lambdas.h"
#endif

namespace skein::cli {

#ifdef SKEIN_HAS_SYMBOLS

void add_callback_lines(Trace& trace) {
  std::vector<Location*> left;
  for (uint32_t i = 0; i < trace.locations.size(); i++) {
    Location& at = trace.locations[i];
    const std::string_view function = trace.strings[at.function];
    if (at.line == 0 && function.find("<lambda(") != std::string_view::npos) left.push_back(&at);
  }
  for (const Module& module : trace.modules) {
    if (left.empty()) return;
    const std::string path(trace.strings[module.path]);
    // Libraries of the system have no callbacks of the program.
    if (!path.starts_with('/') || path.starts_with("/lib") || path.starts_with("/usr/lib"))
      continue;
    const auto lambdas = Lambdas::read(path, trace.strings[module.build_id]);
    if (!lambdas) continue;
    std::erase_if(left, [&](Location* at) {
      const Lambdas::Place* place = lambdas->find(trace.strings[at->function]);
      if (place == nullptr) return false;
      at->file = trace.strings.intern(place->file);
      at->line = place->line;
      at->column = place->column;
      return true;
    });
  }
}

#else

void add_callback_lines(Trace&) {}

#endif

}  // namespace skein::cli
