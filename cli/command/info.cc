// `skein info`: prints a trace's format, contents and losses, as text or JSON.
#include "report/info.h"

#include "cli/commands.h"
#include "cli/input/trace_input.h"
#include "cli/output/report_output.h"

namespace skein::cli {

int run_info(const InfoOptions& options) {
  const Trace trace = open_trace(options.trace);
  const Summary summary = summarize(trace);
  print_report(
      options.json, trace, [&] { return info_json(trace, summary); },
      [&](size_t) { return info_text(trace, summary); });
  return 0;
}

}  // namespace skein::cli
