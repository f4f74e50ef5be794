#include "cli/output/report_output.h"

namespace skein::cli {

Output report_output(bool json) {
  return Output(stdout, json ? Output::Content::Data : Output::Content::Text);
}

}  // namespace skein::cli
