// Runs that last at the end of the trace and block the event loop of their thread. Nothing shows
// what they delay, as it does of a run that has ended: what is pending has not completed yet.
//
//   BlockedLoops loops(context);
//   if (loops.by(run)) warn(run);
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/ask/doctor/lint_context.h"
#include "trace/ask/doctor/runs.h"
#include "trace/ask/other_end.h"
#include "trace/ask/traffic.h"

namespace skein::detail {

class BlockedLoops {
 public:
  // A run of this length is long, even if nothing shows that something was delayed, ns.
  static constexpr uint64_t long_run_ns = 1'000'000'000;

  explicit BlockedLoops(const LintContext& context) : context_(context) {}

  // Whether the run is not over at the end of the trace.
  bool is_unfinished(const Run& run) const;

  // Of an unfinished run: whether data has come for a receive of its thread; or whether the run is
  // long, and only its thread can complete what is pending. That is so if no other thread has run a
  // task. A pool whose idle threads have not run anything in the trace looks the same.
  bool by(const Run& run);

 private:
  bool has_data_for(const Run& run);
  bool is_only_thread_of_loop(const Run& run);
  bool delays_pending(const Run& run) const;

  const LintContext& context_;
  std::optional<OtherEnds> other_ends_;          // if known
  std::optional<std::vector<Traffic>> traffic_;  // if known
};

}  // namespace skein::detail
