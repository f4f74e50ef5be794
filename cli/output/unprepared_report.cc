#include "cli/output/unprepared_report.h"

#include <algorithm>
#include <functional>

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

namespace {

bool wants_stacks(const UnpreparedRequest& request) {
  return request.report == UnpreparedReport::Explanation && request.stop;
}

// Nothing: they cannot be read. The process is paused once more.
std::optional<std::vector<ThreadStack>> stacks_of(const Unprepared& read) {
  Result<std::vector<ThreadStack>> stacks = read_thread_stacks(read.pid);
  if (!stacks) return {};
  return *std::move(stacks);
}

}  // namespace

std::optional<int> report_unprepared(const UnpreparedRequest& request) {
  std::optional<std::vector<ThreadStack>> stacks;
  const auto read_stacks = [&](const Target& core) { stacks = read_thread_stacks(core); };
  const std::optional<Unprepared> read =
      read_unprepared(request.target, {.pause = request.stop,
                                       .variables = request.locals,
                                       .references = request.report == UnpreparedReport::Explanation,
                                       .on_core = wants_stacks(request) ? read_stacks
                                                                        : std::function<void(const Target&)>(),
                                       .program = request.program,
                                       .most_bytes = parse_search_limit(request.search_limit)});
  if (!read && !request.program.empty()) die(2, "--exe: " + request.target + " is no core file");
  if (!read) return {};
  const std::vector<JudgedChain> chains = judge_chains(*read);
  if (wants_stacks(request) && !read->is_core) stacks = stacks_of(*read);
  print_report(
      request.json,
      [&] {
        Json json = coroutines_json(*read, chains);
        json.set("stacks", stacks ? thread_stacks_json(*stacks) : Json(nullptr));
        return json;
      },
      [&](size_t columns) {
        std::string text = request.report == UnpreparedReport::List
                               ? coroutines_text(*read, chains, request.group, columns)
                               : coroutine_why_text(*read, chains, columns);
        if (request.locals) text += coroutine_variables_text(*read, chains, columns);
        if (stacks) text += (read->is_core ? "\nCall stacks:\n\n" : "\nCall stacks, a moment later:\n\n") + thread_stacks_text(*stacks);
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
