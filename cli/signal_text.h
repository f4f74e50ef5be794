// The name of a signal for users.
#pragma once

#include <string>

namespace skein::cli {

// "signal 11 (Segmentation fault)"
std::string signal_text(int signal);

}  // namespace skein::cli
