// SKEIN_TRACE=dir[,size=1M][,keep=5s][,most=256M][,mode=ring|log][,tasks=262144]
//             [,clock=tsc|monotonic|syscall][,all-files-at-start[=16]][,follow=fork]
//             [,sample[=999]]
#pragma once
#include <stddef.h>
#include <stdint.h>

namespace skein::record {

inline constexpr uint32_t kDefaultSampleRate = 999;
inline constexpr uint32_t kMostSampleRate = 10'000;

struct Options {
  char directory[900] = {};  // "%p" expands to the process id; empty: skein-PID
  uint64_t size = 0;         // bytes of a ring; 0: default
  uint64_t keep_ns = 0;      // a ring grows while it reaches back less; 0: see growth_of
  uint64_t most = 0;         // bytes of all rings, beyond which none grows; 0: see growth_of
  bool log = false;
  uint32_t tasks = 0;  // rows of the task table; 0: default
  bool monotonic = false;      // not the time stamp counter
  bool clock_by_call = false;  // nor the vDSO, which reads it: by a system call each time
  bool follow_forks = false;   // a forked child gets a trace at its first event
  uint32_t sample_rate = 0;    // samples per second of CPU time; 0: none
  bool at_load = false;        // the trace starts when the recorder is loaded
  uint32_t all_files_for = 0;  // threads whose files are created at start; 0: created as needed
};

// Parses the text into options. Returns null, or a message that names the problem and the next
// step.
const char* parse_options(const char* text, Options& options);

// Parses the samples per second of CPU time, 1 to kMostSampleRate. Returns null or a message.
const char* parse_sample_rate(const char* text, uint32_t& rate);

}  // namespace skein::record
