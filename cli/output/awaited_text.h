// What coroutines of a process without a recorder wait for: timers and sockets of Asio, locks,
// events and other objects, several coroutines.
#pragma once

#include <string>
#include <vector>

#include "cli/input/unprepared.h"
#include "frames/chains.h"
#include "report/json.h"

namespace skein::cli {

// "server.cc:17", escaped; empty: unknown.
std::string line_text(const SuspendedCoroutines::Place& place);

// ", expires in 1.20 s to 3.40 s", ", peer 127.0.0.1:5432 and 3 others"; empty: unknown. `objects` are
// indices into SuspendedCoroutines::objects, all of similar coroutines.
std::string objects_text(const Unprepared& of, const std::vector<uint32_t>& objects);

// The same if the name of the operation is unknown: "a timer, expires in 1.20 s", "the channel at
// 0x55e0". Precondition: there is one.
std::string unnamed_objects_text(const Unprepared& of, const std::vector<uint32_t>& objects);

// The `object` of skein.coroutines/1; null: unknown.
Json object_json(const Unprepared& of, const SuspendedCoroutine& coroutine);

// What the last coroutines of a chain wait for, with its address: "coro::mutex at 0x55e0, held by
// session (server.cc:20)". Precondition: the last step waits for such an object. Names are escaped.
std::string awaited_text(const Unprepared& of, const CoroutineChain& chain);

// Members of skein.coroutines/1.
Json awaited_address(const SuspendedCoroutines& found, const SuspendedCoroutine& coroutine);
Json frame_json(const SuspendedCoroutines& found, uint32_t coroutine);
Json awaited_objects_json(const SuspendedCoroutines& found);

}  // namespace skein::cli
