// What is wrong with coroutines of a process without a recorder, as far as its memory, its threads
// and its sockets show. Since when a coroutine waits, and which one should resume it, is unknown.
//
//   for (const CoroutineChain& chain : find_chains(found, surroundings))
//     print(name(judge(found, chain, surroundings)));
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "frames/chains.h"
#include "frames/lock_cycle.h"
#include "frames/mutex_waits.h"
#include "frames/wait_shapes.h"
#include "target/sockets.h"
#include "target/target.h"

namespace skein {

// What is known in addition to the memory; of a core only its threads.
struct Surroundings {
  std::optional<int64_t> steady_now = {};  // ns of the clock, before the memory was read
  std::optional<int64_t> system_now = {};
  int64_t reading_ns = 0;  // how long it took to read the memory of a process that was not stopped
  std::vector<SocketState> sockets = {};  // by descriptor
  std::vector<TargetThread> threads = {};
  MutexWaits mutex_waits = {};  // of the threads
};

// From the worst; only Usual is what it looks like in most programs that are correct.
enum class ChainVerdict : uint8_t {
  Deadlock,        // the coroutines of a cycle wait for each other, or for locks that they hold, or
                   // their threads do
  BehindDeadlock,  // it waits for a coroutine that is in a deadlock, or behind one
  PerhapsDeadlock,  // it is one if those hold the locks that probably do, and no thread runs one
  BlocksThread,     // it runs, and its thread sleeps in a call
  Overdue,          // its timer expired a second ago or more, and it was not resumed
  NeverExpires,     // it waits for a timer that never expires
  NoAnswer,         // the process connected a socket and spoke last
  NothingSent,      // coroutines wait to receive at both ends of a connection, and nothing was sent
  Unread,           // what it waits for has arrived
  NotReceived,      // it waits to send, and nothing shows that its peer reads
  Unreferenced,     // nothing in memory refers to it, so that nothing can resume it
  Unknown,          // it waits for an object of the program or a library, or for what is not known
  NotStarted,
  UnknownTimer,  // it waits for a timer, and how soon that expires is unknown: a core has no clock
  Slow,          // it waits for one of few timers that take ten seconds or more
  Runs,          // a thread runs it, and does not sleep
  Usual,
};
std::string_view name(ChainVerdict verdict);  // "deadlock"; stable, for JSON
inline bool is_error(ChainVerdict verdict) {
  return verdict == ChainVerdict::Deadlock || verdict == ChainVerdict::BehindDeadlock;
}
inline bool is_usual(ChainVerdict verdict) { return verdict == ChainVerdict::Usual; }

// Those of find_chains(), but similar ones of which only some are wrong are not one.
// O(coroutines * (log groups + log sockets)), and the lengths of cycles.
std::vector<CoroutineChain> find_chains(const SuspendedCoroutines& found,
                                        const Surroundings& around);

// `chain` must be of find_chains(found). O(steps + objects * log sockets).
ChainVerdict judge(const SuspendedCoroutines& found, const CoroutineChain& chain,
                   const Surroundings& around);

// ns until the timer expires, negative if it has; nothing: unknown, or never.
std::optional<int64_t> left_of(const AsioObject& timer, const Surroundings& around);
bool never_expires(const AsioObject& timer);
// Whether it is a timer, and nothing is known of how soon it expires: a core has no clock.
bool is_unknown_timer(const AsioObject& object, const Surroundings& around);
// Null: it is none, or unknown. O(log sockets).
const SocketState* socket_of(const AsioObject& object, const Surroundings& around);
// A frame that was used before may have the socket of an earlier operation: one that a coroutine
// accepts connections with is none that is connected. Removes those from the coroutines.
// O(coroutines * log sockets).
void remove_earlier_sockets(SuspendedCoroutines& found, const Surroundings& around);
bool sleeps(const TargetThread& thread);
// Null: no thread runs it, or it is not known which.
const TargetThread* thread_of(const SuspendedCoroutine& coroutine, const Surroundings& around);

}  // namespace skein
