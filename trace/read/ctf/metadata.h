// The file `metadata` of skein's own traces: the parts that a reader needs.
//
// The text is CTF 1.8 TSDL, but the reader does not parse event classes: it has them in the tables
// from which the text is generated (skein/metadata.h). The variable parts are in the blocks trace,
// env and clock, as `key = value;`. Only these are parsed, so an edited text (docs/format.md
// defines which edits are allowed) and one with unknown additions stay readable.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "trace/read/executor.h"
#include "trace/read/process.h"

namespace skein::ctf {

using Uuid = std::array<uint8_t, 16>;

struct Metadata {
  std::optional<Uuid> uuid;
  std::string tracer;  // "skein" for skein's own traces
  uint64_t version = 0;
  std::string host;
  std::string boot_id;
  std::string program;
  uint64_t pid = 0;
  // For a copy of a trace with several; the first entries also contain the values above.
  std::vector<Machine> machines = {Machine{}};
  std::vector<Process> processes = {Process{}};
  std::vector<uint32_t> process_of_stream;  // no_process: none; absent: the first
  std::string origin;                       // TraceInfo::format of the original; empty: not a copy
  std::string clock_source;  // "tsc" or "monotonic"; "estimated" or "unknown": see salvage.h
  uint64_t frequency = 0;    // ticks per second; never 0 in skein's own traces
  int64_t offset_s = 0;      // UTC of tick 0
  uint64_t offset = 0;       // ticks
  bool utc_known = false;    // whether offset_s and offset are known
  bool salvaged = false;     // reconstructed by salvage.h

  bool is_ours() const { return tracer == "skein"; }
  bool is_complete() const { return is_ours() && frequency != 0; }

  // UTC of tick 0 in nanoseconds; saturates.
  int64_t utc_of_tick_0() const;
};

inline constexpr std::string_view metadata_begin = "/* CTF 1.8";

// Fails if the text is not TSDL, or if a skein trace has no clock frequency.
Result<Metadata> parse_metadata(std::string_view text, const std::string& file);

}  // namespace skein::ctf
