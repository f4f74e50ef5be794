// The threads of a process without a recorder, as lines of text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "cli/input/unprepared.h"

namespace skein::cli {

// The coroutine of the program that each thread runs, the innermost one, with its line; escaped.
using RunningCoroutines = std::map<uint64_t, std::string>;
RunningCoroutines running_coroutines(const SuspendedCoroutines& found);

// The rest of a sentence that begins with the thread: "waits for a mutex that thread 12 holds
// (futex_do_wait)". Escaped. Empty: it is not known.
std::string thread_text(const Unprepared& of, const TargetThread& thread);
// `wait` is that of the thread; null: it waits for no mutex whose holder is known.
std::string thread_text(const MutexWait* wait, char state, std::string_view wait_channel);

// "Threads 11 and 12 wait for each other's mutexes: a deadlock." Empty: the thread is in none.
std::string deadlock_text(const Unprepared& of, uint64_t thread);

// A section with a line for each thread; many that differ in their numbers only share one, with the
// number of the first, except those in a deadlock. Nothing if none is known. Then the deadlocks of
// the threads.
void append_threads(std::string& out, const Unprepared& of, const RunningCoroutines& running,
                    size_t columns);

}  // namespace skein::cli
