// What the counts of a profile mean for the user, a part of a sentence each.
#pragma once

#include <cstdint>
#include <string>

namespace skein {

struct NoSamples {
  uint64_t cpu_ns = 0;     // that the process used
  uint32_t frequency = 1;  // Hz
  bool has_end = false;    // a time was given
  bool has_kernel = true;  // samples in the kernel were permitted
};
// "no samples; it used no CPU time", or what to do if it used some.
std::string no_samples_text(const NoSamples& about);

struct SamplingCost {
  uint64_t own_ns = 0;  // CPU time of the profiler
  uint64_t program_ns = 0;
  uint64_t samples = 0, waits = 0;
  bool stops = false;    // threads, at each period
  bool logical = false;  // stacks
};
// Empty: the profiler used at most half of the program's CPU time, or not for samples: reading
// files takes time once, and a program that sleeps uses less than the profiler that waits for it.
std::string cost_text(const SamplingCost& cost);

// How to copy more of each stack than `bytes`.
std::string larger_copies_text(uint32_t bytes);

}  // namespace skein
