#include "cli/output/unprepared_report.h"

#include <algorithm>

#ifdef SKEIN_HAS_SYMBOLS
#include "cli/die.h"
#include "cli/input/running.h"
#include "cli/input/unprepared.h"
#include "cli/output/coroutine_list.h"
#include "cli/output/coroutine_why.h"
#include "cli/output/report_output.h"
#endif

namespace skein::cli {

#ifdef SKEIN_HAS_SYMBOLS

std::optional<int> report_unprepared(const UnpreparedRequest& request) {
  const std::optional<Unprepared> read =
      read_unprepared(request.target, {.pause = request.stop,
                                       .variables = request.locals,
                                       .references = request.report == UnpreparedReport::Explanation,
                                       .most_bytes = parse_search_limit(request.search_limit)});
  if (!read && request.stop) {
    trace_directory(request.target);  // throws if the process cannot be read
    die(2, request.target + " is no process without a recorder, and --stop is for these only");
  }
  if (!read) return {};
  const std::vector<JudgedChain> chains = judge_chains(*read);
  print_report(
      request.json, [&] { return coroutines_json(*read, chains); },
      [&](size_t columns) {
        std::string text = request.report == UnpreparedReport::List
                               ? coroutines_text(*read, chains, request.group, columns)
                               : coroutine_why_text(*read, chains, columns);
        if (request.locals) text += coroutine_variables_text(*read, chains, columns);
        return text;
      });
  return request.report == UnpreparedReport::Explanation &&
         std::any_of(chains.begin(), chains.end(),
                     [](const JudgedChain& one) { return is_error(one.verdict); });
}

#else

std::optional<int> report_unprepared(const UnpreparedRequest&) { return {}; }

#endif

}  // namespace skein::cli
