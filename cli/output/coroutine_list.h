// The report of `skein ps` about a process or core without a recorder: its suspended coroutines.
#pragma once

#include <string>
#include <vector>

#include "cli/input/unprepared.h"
#include "cli/output/coroutine_chain.h"
#include "report/json.h"

namespace skein::cli {

// Chains of coroutines that wait for each other, the outermost first. Similar ones are one,
// with their number; in groups, all are one tree. Names are escaped.
std::string coroutines_text(const Unprepared& unprepared, const std::vector<JudgedChain>& chains,
                            bool in_groups, size_t columns);

// Each coroutine: docs/json.md, skein.coroutines/1.
Json coroutines_json(const Unprepared& unprepared, const std::vector<JudgedChain>& chains);

// What `--locals` adds: of the first coroutine of each line.
std::string coroutine_variables_text(const Unprepared& of, const std::vector<JudgedChain>& chains,
                                     size_t columns);

}  // namespace skein::cli
