// The reply of a recorder's control socket: one line, a JSON object of strings, numbers, booleans
// and nulls (record/host/posix/control.h).
#pragma once

#include <string_view>

#include "base/result.h"
#include "report/json.h"

namespace skein::cli {

// Returns the object for printing. Fails with the recorder's message if the request failed, and
// with "invalid reply" if `line` is not such an object.
Result<Json> read_control_reply(std::string_view line);

}  // namespace skein::cli
