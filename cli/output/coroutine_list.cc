#include "cli/output/coroutine_list.h"

#include <algorithm>
#include <vector>

#include "base/escape.h"
#include "base/text.h"
#include "cli/output/awaited_text.h"

namespace skein::cli {

namespace {

using State = SuspendedCoroutine::State;

uint64_t count(const SuspendedCoroutines& found, State state) {
  return static_cast<uint64_t>(
      std::count_if(found.coroutines.begin(), found.coroutines.end(),
                    [&](const SuspendedCoroutine& one) { return one.state == state; }));
}

// Of the coroutines of the first chain of each group.
void add_variables(std::string& out, const Unprepared& of, const std::vector<JudgedChain>& chains,
                   size_t columns) {
  for (const JudgedChain& one : chains) {
    for (const uint32_t step : one.chain.steps) {
      if (step >= of.found.variables.size() || of.found.variables[step].empty()) continue;
      const SuspendedCoroutine& coroutine = of.found.coroutines[step];
      append_paragraph(out,
                       escaped(of.found.functions[coroutine.function].name) + ", frame " +
                           address_text(coroutine.frame) + ':',
                       0, columns);
      for (const FrameVariable& variable : of.found.variables[step])
        append_paragraph(out, variable.name + " = " + variable.value, 2, columns);
    }
  }
}

}  // namespace

std::string coroutine_variables_text(const Unprepared& of, const std::vector<JudgedChain>& chains,
                                     size_t columns) {
  std::string out;
  add_variables(out, of, chains, columns);
  if (out.empty()) return "\nNo variables: no debug information about the frames.\n";
  return "\nParameters and local variables, of the first coroutine of each line; one that does not "
         "exist\nyet, or no longer, has any value:\n\n" +
         out;
}

std::string coroutines_text(const Unprepared& unprepared, const std::vector<JudgedChain>& chains,
                            bool in_groups, size_t columns) {
  const SuspendedCoroutines& found = unprepared.found;
  std::string out;
  const uint64_t shown = own_coroutines(found);
  std::string summary =
      escaped(unprepared.title) + ": " + counted(shown, "coroutine") + " in its memory";
  if (const uint64_t n = count(found, State::NotStarted))
    summary += ", " + grouped(n) + " not started";
  if (const uint64_t n = count(found, State::Final)) summary += ", " + grouped(n) + " ended";
  summary += ". It " + recording_text(unprepared.trace, unprepared.is_core) +
             (unprepared.trace.directory.empty() ? ": what led here is unknown." : ".");
  if (unprepared.paused != 0)
    summary += " It stood still for " + duration_text(static_cast<uint64_t>(unprepared.paused)) + '.';
  append_paragraph(out, summary, 0, columns);
  for (const std::string& warning : found.warnings)
    append_paragraph(out, "Note: " + escaped(warning) + ".", 0, columns);
  if (found.coroutines.empty()) return out;
  std::vector<std::vector<std::string>> lines = {{"COUNT", "COROUTINE", "STATE", "PLACE"}};
  if (in_groups) add_tree_lines(unprepared, chains, lines);
  for (const JudgedChain& one : chains)
    if (!in_groups) add_chain_lines(unprepared, one.chain, one.depth, lines);
  out += '\n';
  append_columns(out, lines, "><<<", 0);
  return out;
}

namespace {

// Null: they were not read.
Json variables_json(const SuspendedCoroutines& found, ptrdiff_t coroutine) {
  if (static_cast<size_t>(coroutine) >= found.variables.size()) return nullptr;
  Json all = Json::array();
  for (const FrameVariable& one : found.variables[static_cast<size_t>(coroutine)])
    all.add(Json::object({{"name", one.name}, {"type", or_null(one.type)}, {"value", one.value}}));
  return all;
}

Json caller_json(const SuspendedCoroutines& found, const SuspendedCoroutine& one) {
  if (one.caller == SuspendedCoroutine::none) return nullptr;
  const SuspendedCoroutines::Caller& caller = found.callers[one.caller];
  return Json::object({{"function", caller.function}, {"thread", id_or_null(caller.thread)}});
}

}  // namespace

Json coroutines_json(const Unprepared& unprepared, const std::vector<JudgedChain>& chains) {
  const SuspendedCoroutines& found = unprepared.found;
  Json out = json_document("skein.coroutines/1");
  out.set("title", unprepared.title);
  out.set("pid", id_or_null(unprepared.pid));
  out.set("trace", or_null(unprepared.trace.directory));
  out.set("paused_ns", id_or_null(static_cast<uint64_t>(unprepared.paused)));
  Json all = Json::array();
  for (const SuspendedCoroutine& one : found.coroutines) {
    const SuspendedCoroutines::Function& function = found.functions[one.function];
    const std::string state(state_name(one.state));
    all.add(Json::object({{"frame", one.frame},
                          {"function", function.name},
                          {"full_name", function.full_name},
                          {"module", function.module},
                          {"state", one.state == State::Unknown ? Json(nullptr) : Json(state)},
                          {"certain", one.is_certain},
                          {"elided", one.is_elided},
                          {"caller", caller_json(found, one)},
                          {"thread", id_or_null(one.thread)},
                          {"locals", variables_json(found, &one - found.coroutines.data())},
                          {"awaiter", or_null(found.places[one.place].awaiter)},
                          {"operation", or_null(function.operation)},
                          {"object", object_json(unprepared, one)},
                          {"awaited_object", awaited_address(found, one)},
                          {"joined_by", frame_json(found, one.joined_by)},
                          {"unreferenced", one.is_unreferenced},
                          {"awaits", one.awaits == SuspendedCoroutine::none
                                         ? Json(nullptr)
                                         : Json(found.coroutines[one.awaits].frame)},
                          {"file", or_null(found.places[one.place].file)},
                          {"line", id_or_null(found.places[one.place].line)}}));
  }
  out.set("coroutines", std::move(all));
  out.set("awaited_objects", awaited_objects_json(found));
  Json groups = Json::array();
  for (const JudgedChain& one : chains) {
    Json frames = Json::array();
    for (const uint32_t step : one.chain.steps) frames.add(found.coroutines[step].frame);
    groups.add(Json::object({{"count", one.chain.count},
                             {"verdict", name(one.verdict)},
                             {"error", is_error(one.verdict)},
                             {"usual", is_usual(one.verdict)},
                             {"frames", std::move(frames)}}));
  }
  out.set("chains", std::move(groups));
  Json warnings = Json::array();
  for (const std::string& warning : found.warnings) warnings.add(warning);
  out.set("warnings", std::move(warnings));
  return out;
}

}  // namespace skein::cli
