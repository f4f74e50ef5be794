#include "cli/signal_text.h"

#include <string.h>

namespace skein::cli {

std::string signal_text(int signal) {
  const char* const name = strsignal(signal);
  return "signal " + std::to_string(signal) +
         (name == nullptr ? "" : std::string(" (") + name + ")");
}

}  // namespace skein::cli
