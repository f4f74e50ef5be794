// The file `metadata` of our own traces: what a reader needs of it.
//
// The text is CTF 1.8 TSDL, but event classes are not read from it: a reader of skein knows them
// from the tables that the text was made from (skein/metadata.h). What varies is in the blocks
// trace, env and clock, as `key = value;`, and only that is looked at, so that an edited text
// (docs/format.md says who may edit what) or one with unknown additions stays readable.
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
  std::string tracer;  // "skein" in ours
  uint64_t version = 0;
  std::string host;
  std::string boot_id;
  std::string program;
  uint64_t pid = 0;
  // Of a copy of a trace with several; what the lines above hold is in the first entries, too.
  std::vector<Machine> machines = {Machine{}};
  std::vector<Process> processes = {Process{}};
  std::vector<uint32_t> process_of_stream;  // no_process: none; the others belong to the first
  std::string origin;        // what it is a copy of: TraceInfo::format; empty: it was recorded so
  std::string clock_source;  // "tsc" or "monotonic"; "estimated" or "unknown": see salvage.h
  uint64_t frequency = 0;    // ticks per second; never 0 in one of ours
  int64_t offset_s = 0;      // UTC of tick 0
  uint64_t offset = 0;       // ticks
  bool utc_known = false;    // are these two?
  bool salvaged = false;     // by salvage.h

  bool is_ours() const { return tracer == "skein"; }
  bool is_complete() const { return is_ours() && frequency != 0; }

  // UTC of tick 0 in nanoseconds; what does not fit is cut off at the limits.
  int64_t utc_of_tick_0() const;
};

// Fails when the text is no TSDL, or the clock of a trace of ours has no frequency.
Result<Metadata> parse_metadata(std::string_view text, const std::string& file);

}  // namespace skein::ctf
