// `skein info`: what a trace is and what is in it, for people or as JSON.
#include "report/info.h"

#include "cli/commands.h"
#include "cli/print.h"
#include "cli/terminal.h"
#include "cli/trace_input.h"

namespace skein::cli {

int run_info(const InfoOptions& options) {
  const Trace trace = open_trace(options.trace);
  const Summary summary = summarize(trace);
  Output out(stdout, options.json ? Output::Content::Data : Output::Content::Text);
  out.text() += options.json ? info_json(trace, summary).text()
                             : for_terminal(info_text(trace, summary), trace);
  out.finish();
  return 0;
}

}  // namespace skein::cli
