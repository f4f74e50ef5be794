// The control socket: a Unix socket that accepts requests to start and stop recording, to copy the
// ring, and to report the status. Enabled by SKEIN_CONTROL=path in the environment ("%p" expands to
// the process id). It has the recorder's only thread, which sleeps in poll with all signals
// blocked.
//
// Protocol: one request per connection, a line of at most 2047 bytes within 5 s; the reply is one
// line of JSON, {"ok":false,"error":".."} for an error. Requests are served in the order in which
// they are complete: a silent peer delays no other. A 17th connection replaces the oldest one that
// has not sent its request within 100 ms.
//
//   status                         {"ok":true,"on":true,"generation":1,"directory":"/x/t", ...}
//   start [dir[,size=..][,keep=..]]  as SKEIN_TRACE; without a dir, resumes the stopped trace
//   stop
//   sample [HZ|off]                samples the threads (sampling.h), or ends that
//   snapshot DIR                   copies the trace to DIR, a new directory
//
// The end of the process: after pthread_exit in main(), the C library ends the process with its last
// thread, but the control thread is one. The end of main therefore starts another thread, which
// looks for others until there are none and calls exit(0), as the C library would. Rejected: the
// control thread looks each second. A filter of system calls (seccomp) that the program has applied
// to all threads could end the program at that; now the thread makes no call before a request.
//
// The socket has mode 0600. Rejects peers with another uid, except root, before it reads from them.
#pragma once
#include <stdint.h>

namespace skein::record {

struct Options;

// Creates the socket and the thread; neither if an ancestor, from which the process has then inherited
// SKEIN_CONTROL, listens at the path. Returns null, or the step that failed; errno is then set.
const char* listen_for_control(const char* path);

// Called when a thread with a recorder's key ends, before its stream is released.
void at_end_of_thread();

// ---- trace.cc ----
int start_trace(const Options* options);  // null: resumes the stopped trace
// Samples the program's threads while the trace runs. Returns null, or why they are not sampled.
const char* sample_trace(uint32_t rate);
// The same at the rate of the trace's options, if they have one.
const char* sample_as_requested();

// ---- snapshot.cc ----
struct SnapshotResult {
  unsigned files = 0;
  unsigned retries = 0;  // packets recycled while they were copied, and copied again
  unsigned missed = 0;   // packets recycled during every attempt: not copied
};
// Copies the running trace file by file, each packet by the lock protocol of skein/format.h.
// Returns 0 or an errno value.
int take_snapshot(const char* directory, SnapshotResult& result);

}  // namespace skein::record
