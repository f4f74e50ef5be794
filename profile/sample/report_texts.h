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

// How to copy more of each stack than `bytes`.
std::string larger_copies_text(uint32_t bytes);

}  // namespace skein
