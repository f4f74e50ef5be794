// What the user names as a trace that is made in memory: the commands that draw files of traces ask
// first.
//
//   if (std::optional<MadeTrace> made = make_trace(path)) draw(made->trace);
#pragma once

#include <optional>
#include <string>

#include "cli/input/profile_input.h"

namespace skein::cli {

// Of a profile, a guest (guest_input.h), a process without a recorder or a core. Throws
// CommandError(2) if it cannot be read. Nothing: it is a trace.
std::optional<MadeTrace> make_trace(const std::string& text);

}  // namespace skein::cli
