// Copies a trace while its program writes to it: consistently, and without stopping it.
//
// Each chunk is copied under its lock (trace/read/ctf/chunk.h), so that no event is torn. Streams
// are copied one after another. A stream is copied again if the ring advanced or grew during the
// copy and left a gap between packets. Definitions are copied after the events that refer to them,
// the task table last. The table of a ring is also read before the events; the copy keeps only the
// tasks in both readings, which existed during the whole copy.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "cli/output/trace_directory_writer.h"
#include "trace/read/ctf/task_table.h"

namespace skein::cli {

struct CopyReport {
  uint64_t streams = 0;
  uint64_t packets = 0;
  uint64_t overtaken = 0;  // packets that were recycled before they could be copied
  std::vector<std::string> unreadable;
};

// Completes the task table after the events were copied.
using FinishTable = std::function<void(ctf::TaskTableSnapshot&)>;

// Copies the trace in directory `from`, but for its metadata, which the caller has read.
// Throws CommandError(1) if the copy cannot be written. Returns an error if `from` cannot be
// listed.
Result<CopyReport> copy_trace(Files& files, const std::string& from, TraceDirectoryWriter& to,
                              const FinishTable& finish);
// To stderr, as "skein: 2 streams, 9 packets copied".
void print_report(const CopyReport& report);

}  // namespace skein::cli
