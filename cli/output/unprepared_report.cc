#include "cli/output/unprepared_report.h"

#include <algorithm>

#ifdef SKEIN_HAS_SYMBOLS
#include "cli/die.h"
#include "cli/input/unprepared.h"
#include "cli/output/coroutine_list.h"
#include "cli/output/coroutine_why.h"
#include "cli/output/report_output.h"
#include "cli/output/thread_stacks_text.h"
#endif

namespace skein::cli {

#ifdef SKEIN_HAS_SYMBOLS

std::optional<int> report_unprepared(const UnpreparedRequest& request) {
  const std::optional<Unprepared> read = read_unprepared(
      request.target, {.pause = request.stop,
                       .variables = request.locals,
                       .references = request.report == UnpreparedReport::Explanation,
                       .stacks = wants_stacks(request),
                       .accepts_none = request.report == UnpreparedReport::Explanation,
                       .program = request.program,
                       .most_bytes = parse_search_limit(request.search_limit)});
  if (!read && !request.program.empty()) die(2, "--exe: " + request.target + " is no core file");
  if (!read) return {};
  const std::vector<JudgedChain> chains = judge_chains(*read);
  print_report(
      request.json,
      [&] {
        Json json = coroutines_json(*read, chains);
        json.set("stacks", call_stacks_json(read->stacks));
        return json;
      },
      [&](size_t columns) {
        std::string text = request.report == UnpreparedReport::List
                               ? coroutines_text(*read, chains, request.group, columns)
                               : coroutine_why_text(*read, chains, columns);
        if (request.locals) text += coroutine_variables_text(*read, chains, columns);
        return text + call_stacks_text(read->stacks);
      });
  const bool is_hung = !read->around.mutex_waits.cycles().empty() ||
                       std::any_of(chains.begin(), chains.end(),
                                   [](const JudgedChain& one) { return is_error(one.verdict); });
  if (request.report != UnpreparedReport::Explanation) return 0;
  return is_hung ? 1 : read->is_core && read->found.lacks_files ? 2 : 0;
}

#else

std::optional<int> report_unprepared(const UnpreparedRequest&) { return {}; }

#endif

}  // namespace skein::cli
