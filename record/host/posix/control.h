// The control port: a unix socket by which a running program is told to start, stop, copy its ring,
// or say how it is. Off unless the environment asks for it: SKEIN_CONTROL=path ("%p" becomes the
// process id). This is the only thing of skein's that runs in the program by itself: one thread
// that sleeps in accept, with all signals blocked.
//
// One request a connection, one line of at most 2047 bytes, said within 5 s; one line of JSON in
// answer, {"ok":false,"error":".."} to whatever else comes. One peer at a time: the others wait.
//
//   status                         {"ok":true,"on":true,"generation":1,"directory":"/x/t", ...}
//   start [dir[,size=..][,mode=..]]  as SKEIN_TRACE; without a dir, goes on with a stopped trace
//   stop
//   snapshot DIR                   copies the trace to DIR, a new directory
//
// The socket is 0600; a peer of another user is told no, root is not.
#pragma once

namespace skein::record {

struct Options;

// Makes the socket and the thread. Returns null or what went wrong (errno says more).
const char* listen_for_control(const char* path);

// ---- trace.cc: what a request does ----
int start_trace(const Options* options);  // null: goes on with the one that was stopped

// ---- snapshot.cc ----
struct SnapshotResult {
  unsigned files = 0;
  unsigned retries = 0;  // packets that were recycled under the copy, and copied again
  unsigned missed = 0;   // ... so often that they were left out
};
// Copies the running trace file by file, each packet by the lock protocol of skein/format.h.
// Returns 0 or an errno value.
int take_snapshot(const char* directory, SnapshotResult& result);

}  // namespace skein::record
