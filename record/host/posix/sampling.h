// Samples of the program's own threads: where each spends its CPU time, as `sample` events among
// its events, so that a sample belongs to the task that is current there.
//
//   SKEIN_TRACE=dir,sample=999      from the start of a trace
//   request `sample 999`, `sample off`   of the control socket
//
// Each thread has a timer of its CPU time whose signal interrupts it: a perf event, which counts as
// finely as wanted and fires only outside the kernel, so that no system call ends early; or, where
// perf_event_open is refused, a timer of the C library's kind, which fires at the kernel's ticks
// (250 a second) and may end a system call with EINTR, as SA_RESTART permits. The handler walks the
// stack (stack_walk.h), writes the event, and sets the next period: a random one of 3/4 to 5/4 of
// the mean, so that the samples do not follow a rhythm of the program. It allocates nothing, takes
// no lock but that of the definitions, which is limited in time and held with signals blocked, and
// restores errno.
//
// The signal is SIGURG: its default action is none, so that one that arrives after exec, or in a
// program that replaces the handler, does no harm; debuggers pass it on without a word; one that is
// pending is not queued again. If the program has an action for it when sampling starts, SIGPROF is
// used; if also for that, threads are not sampled. A handler that the program installs later is
// kept, and no more threads are sampled.
//
// Threads: one that records an event is sampled from its first one on, and unblocks the signal
// then. Others are found by a thread of the recorder that lists them ten times a second, unless
// they have blocked the signal. It exists only while threads are sampled, and not in a forked
// child, whose threads are sampled from their first events on.
//
// What has no sample: time in the kernel (perf), time with the signal blocked, and threads beyond
// the limits below. Each period without a sample is counted in missed_samples of the task table.
//
// A program that is not sampled pays one load for each new thread.
#pragma once
#include <stdint.h>

namespace skein::record {

struct Names;

// Samples all threads `rate` times per second of their CPU time, until stop_sampling. If they are
// sampled already, it changes the rate. Precondition: recording. Returns 0, or an errno value:
// EBUSY: the program uses both signals. EACCES, EAGAIN, ENOMEM, ENOSYS ...: the kernel refuses.
int start_sampling(uint32_t rate);
void stop_sampling();
uint32_t sample_rate();   // 0: threads are not sampled
bool samples_by_timer();  // perf_event_open was refused
// Whether the recorder's thread that lists the program's threads exists.
bool sampling_has_thread();

// Called when a thread gets a stream, and when it ends.
void sample_this_thread();
void end_sampling_of_this_thread();

// Called in a forked child, before it records anything, and when it has a trace. `goes_on`: the
// child is recorded too.
void forget_sampling_of_parent(bool goes_on);
void continue_sampling_in_child();

}  // namespace skein::record
