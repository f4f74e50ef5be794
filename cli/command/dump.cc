// `skein dump`: prints every event, one per line.
#include "report/dump.h"

#include "base/text.h"
#include "cli/commands.h"
#include "cli/input/trace_input.h"
#include "cli/output/report_output.h"

namespace skein::cli {

int run_dump(const DumpOptions& options) {
  const Trace trace = open_trace(options.trace);
  const DumpReport report(trace);
  Output out = report_output(options.json);
  for (size_t i = 0; i < trace.events.size(); i++) {
    if (options.json)
      report.append_json(out.text(), i);
    else
      report.append_text(out.text(), i);
    out.line_done();
  }
  out.finish();
  report_losses(trace, options.trace);
  return 0;
}

}  // namespace skein::cli
