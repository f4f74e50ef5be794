#include "cli/output/coroutine_list.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/escape.h"
#include "base/text.h"

namespace skein::cli {

namespace {

using State = SuspendedCoroutine::State;

const char* name(State state) {
  switch (state) {
    case State::NotStarted:
      return "not started";
    case State::Waits:
      return "waits";
    case State::Final:
      return "has ended";
    case State::Runs:
      return "runs";
    case State::Unknown:
      break;
  }
  return "waits, or runs";
}

std::string place_text(const SuspendedCoroutines::Place& place) {
  if (place.line == 0) return "";
  // npos + 1 == 0
  return escaped(place.file.substr(place.file.rfind('/') + 1)) + ":" + std::to_string(place.line);
}

// Of similar coroutines, with those that they wait for.
using Step = std::pair<uint32_t, std::string>;  // function; state and place
using Chain = std::vector<Step>;

std::vector<std::pair<Chain, uint64_t>> chains_of(const SuspendedCoroutines& found) {
  const std::vector<SuspendedCoroutine>& all = found.coroutines;
  std::vector<bool> is_awaited(all.size());
  for (const SuspendedCoroutine& one : all)
    if (one.awaits != SuspendedCoroutine::none) is_awaited[one.awaits] = true;
  std::map<Chain, uint64_t> counts;
  std::vector<bool> is_shown(all.size());
  const auto add = [&](uint32_t at) {
    Chain chain;
    for (; at != SuspendedCoroutine::none && !is_shown[at]; at = all[at].awaits) {
      is_shown[at] = true;
      const SuspendedCoroutine& one = all[at];
      if (found.functions[one.function].is_spawn_entry) continue;
      std::string state = one.awaits == SuspendedCoroutine::none || one.state == State::Runs
                              ? name(one.state)
                              : "waits for the next";
      if (one.awaits != SuspendedCoroutine::none && !is_shown[one.awaits])
        if (const auto& operation = found.functions[all[one.awaits].function].operation;
            !operation.empty()) {
          is_shown[one.awaits] = true;
          state = "waits for " + escaped(operation);
        }
      if (!one.is_certain) state += " (uncertain)";
      chain.emplace_back(one.function,
                         std::move(state) + '\n' + place_text(found.places[one.place]));
    }
    if (!chain.empty()) counts[std::move(chain)]++;
  };
  for (uint32_t i = 0; i < all.size(); i++)
    if (!is_awaited[i]) add(i);
  for (uint32_t i = 0; i < all.size(); i++) add(i);  // cycles
  std::vector<std::pair<Chain, uint64_t>> chains(counts.begin(), counts.end());
  std::stable_sort(chains.begin(), chains.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return chains;
}

uint64_t count(const SuspendedCoroutines& found, State state) {
  return static_cast<uint64_t>(
      std::count_if(found.coroutines.begin(), found.coroutines.end(),
                    [&](const SuspendedCoroutine& one) { return one.state == state; }));
}

}  // namespace

std::string coroutines_text(const Unprepared& unprepared, size_t columns) {
  const SuspendedCoroutines& found = unprepared.found;
  std::string out;
  const auto shown = static_cast<uint64_t>(std::count_if(
      found.coroutines.begin(), found.coroutines.end(), [&](const SuspendedCoroutine& one) {
        const SuspendedCoroutines::Function& function = found.functions[one.function];
        return !function.is_spawn_entry && function.operation.empty();
      }));
  std::string summary =
      escaped(unprepared.title) + ": " + counted(shown, "coroutine") + " in its memory";
  if (const uint64_t n = count(found, State::NotStarted))
    summary += ", " + grouped(n) + " not started";
  if (const uint64_t n = count(found, State::Final)) summary += ", " + grouped(n) + " ended";
  summary += unprepared.is_core ? ". It was not recorded: what led here is unknown."
                                : ". It is not recorded: what led here is unknown.";
  append_paragraph(out, summary, 0, columns);
  for (const std::string& warning : found.warnings)
    append_paragraph(out, "Note: " + escaped(warning) + ".", 0, columns);
  if (found.coroutines.empty()) return out;
  std::vector<std::vector<std::string>> lines = {{"COUNT", "COROUTINE", "STATE", "PLACE"}};
  for (const auto& [chain, times] : chains_of(found))
    for (size_t i = 0; i < chain.size(); i++) {
      const auto& [function, text] = chain[i];
      const size_t split = text.find('\n');
      lines.push_back(
          {i == 0 ? grouped(times) : "",
           std::string(2 * std::min<size_t>(i, 20), ' ') + escaped(found.functions[function].name),
           text.substr(0, split), text.substr(split + 1)});
    }
  out += '\n';
  append_columns(out, lines, "><<<", 0);
  return out;
}

Json coroutines_json(const Unprepared& unprepared) {
  const SuspendedCoroutines& found = unprepared.found;
  Json out = json_document("skein.coroutines/1");
  out.set("title", unprepared.title);
  out.set("pid", id_or_null(unprepared.pid));
  Json all = Json::array();
  for (const SuspendedCoroutine& one : found.coroutines) {
    const SuspendedCoroutines::Function& function = found.functions[one.function];
    const std::string state = name(one.state);
    all.add(Json::object({{"frame", one.frame},
                          {"function", function.name},
                          {"full_name", function.full_name},
                          {"module", function.module},
                          {"state", one.state == State::Unknown ? Json(nullptr) : Json(state)},
                          {"certain", one.is_certain},
                          {"awaits", one.awaits == SuspendedCoroutine::none
                                         ? Json(nullptr)
                                         : Json(found.coroutines[one.awaits].frame)},
                          {"file", or_null(found.places[one.place].file)},
                          {"line", id_or_null(found.places[one.place].line)}}));
  }
  out.set("coroutines", std::move(all));
  Json warnings = Json::array();
  for (const std::string& warning : found.warnings) warnings.add(warning);
  out.set("warnings", std::move(warnings));
  return out;
}

}  // namespace skein::cli
