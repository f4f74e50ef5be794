// The reply of a recorder's control socket: one line, a JSON object of strings, numbers, booleans
// and nulls (record/host/posix/control.h).
#pragma once

#include <string_view>

#include "base/result.h"
#include "report/json.h"

namespace skein::cli {

// Returns the object as it is printed. Fails with the recorder's own message if the request failed,
// and with "invalid reply" for anything but such an object.
Result<Json> read_control_reply(std::string_view line);

}  // namespace skein::cli
