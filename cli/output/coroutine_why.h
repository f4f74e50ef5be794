// The report of `skein why` about a process or core without a recorder, and what it adds to that
// about one that records.
#pragma once

#include <string>
#include <vector>

#include "cli/output/coroutine_chain.h"

namespace skein::cli {

// First the chains that may be wrong, each with what is known of it; then the others, and what each
// thread does. Names are escaped.
std::string coroutine_why_text(const Unprepared& of, const std::vector<JudgedChain>& chains,
                               size_t columns);

// Of a process that records: the chains that end at a lock with a known holder, which its trace
// does not show; without skein's own locks, of which the trace knows more.
std::vector<JudgedChain> chains_to_held_locks(const Unprepared& of);
// Empty: there are none.
std::string held_locks_text(const Unprepared& of, const std::vector<JudgedChain>& waiting, size_t columns);

}  // namespace skein::cli
