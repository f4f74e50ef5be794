// Tasks from samples: of which coroutines waited for the one that ran, each time a sample was
// taken.
//
//    samples of a thread    .     .     .              .     .
//    innermost coroutine    leaf  leaf  parse          -     leaf
//    awaited by             parse parse serve          -     parse
//
//    serve                 [------------------------------------]   awaits parse
//    parse                 [-----------=====]
//    leaf                  [===========]                  [=====]   another one
//
//   std::vector<TimedSample> samples = ...;               // by time
//   append_sampled_tasks(samples, period, trace);
//
// A coroutine is a task from its first sample to its last: when it began and ended is not known. It
// is the same one as long as its frame has the same address, function and awaiter, and its awaiter
// was not seen to go on: a frame's memory is used again. Samples of one thread that are at most two
// periods apart are a stretch in which it had a CPU. A task runs from a period before the first
// sample of a stretch, or the previous sample, to the last; its time is about a period for each
// sample. Between its stretches it is suspended as far as is known, and the thread is idle.
//
// Waits of a thread are known from when to when: a task in which it waits runs until then, and a
// thread that waits outside of any task is idle.
//
// What an awaiter does after the last sample of the task that it awaits is not known either: from
// then on it waits for nothing, at no line. It is in no sample that it runs, so that run takes 0
// ns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/read/trace.h"

namespace skein {

struct SampledCoroutine {
  uint64_t frame = 0;     // its address
  uint32_t function = 0;  // index into Trace::locations, a function
  uint32_t place = 0;     // the same: where it awaits the one before it; of the innermost: unused
};

struct TimedSample {
  uint64_t time = 0;                              // ns of the trace
  uint32_t executor = 0;                          // its thread: index into Trace::executors
  uint32_t stack = 0;                             // index into Trace::stacks
  std::vector<SampledCoroutine> coroutines = {};  // the innermost first; empty: none, or unknown
  // Not 0: the thread was on no CPU from `time` on for so long, and `stack` is not used: no event.
  uint64_t wait = 0;
  bool is_preempted = false;  // of a wait: the thread could have gone on
};

// Appends events to a trace that has none. Preconditions: the samples are in the order of their
// times, the first at least a period after 0; the executors have their processes: frames of
// different processes are different. Any chain is accepted, also of a damaged file. O(n log n) for
// the sum n of the lengths of the chains.
void append_sampled_tasks(std::span<const TimedSample> samples, uint64_t period, Trace& trace);

}  // namespace skein
