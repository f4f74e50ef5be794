// The report of `skein why` about a process or core without a recorder.
#pragma once

#include <string>
#include <vector>

#include "cli/output/coroutine_chain.h"

namespace skein::cli {

// First the chains that may be wrong, each with what is known of it; then the others, and what each
// thread does. Names are escaped.
std::string coroutine_why_text(const Unprepared& of, const std::vector<JudgedChain>& chains,
                               size_t columns);

}  // namespace skein::cli
