// What coroutines of a process without a recorder wait for: timers and sockets of Asio.
#pragma once

#include <string>
#include <vector>

#include "cli/input/unprepared.h"
#include "report/json.h"

namespace skein::cli {

// ", expires in 1.20 s to 3.40 s", ", peer 127.0.0.1:5432 and 3 others"; empty: unknown. `objects` are
// indices into SuspendedCoroutines::objects, all of similar coroutines.
std::string objects_text(const Unprepared& of, const std::vector<uint32_t>& objects);

// The `object` of skein.coroutines/1; null: unknown.
Json object_json(const Unprepared& of, const SuspendedCoroutine& coroutine);

}  // namespace skein::cli
