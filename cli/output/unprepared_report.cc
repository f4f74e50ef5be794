#include "cli/output/unprepared_report.h"

#include <algorithm>

#ifdef SKEIN_HAS_SYMBOLS
#include "cli/input/unprepared.h"
#include "cli/output/coroutine_list.h"
#include "cli/output/coroutine_why.h"
#include "cli/output/report_output.h"
#endif

namespace skein::cli {

#ifdef SKEIN_HAS_SYMBOLS

std::optional<int> report_unprepared(const std::string& target, UnpreparedReport report,
                                     bool json) {
  const std::optional<Unprepared> read = read_unprepared(target);
  if (!read) return {};
  const std::vector<JudgedChain> chains = judge_chains(*read);
  print_report(
      json, [&] { return coroutines_json(*read, chains); },
      [&](size_t columns) {
        return report == UnpreparedReport::List ? coroutines_text(*read, chains, columns)
                                                : coroutine_why_text(*read, chains, columns);
      });
  return report == UnpreparedReport::Explanation &&
         std::any_of(chains.begin(), chains.end(),
                     [](const JudgedChain& one) { return is_error(one.verdict); });
}

#else

std::optional<int> report_unprepared(const std::string&, UnpreparedReport, bool) { return {}; }

#endif

}  // namespace skein::cli
