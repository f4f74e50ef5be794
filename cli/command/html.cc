// `skein html`: writes traces as one self-contained page.

#include "cli/commands.h"
#include "cli/output/page.h"

namespace skein::cli {

int run_html(const HtmlOptions& options) {
  write_page({.traces = options.traces,
              .output = options.output,
              .title = options.title,
              .align_by_start = options.align == "start",
              .critical = options.critical});
  return 0;
}

}  // namespace skein::cli
