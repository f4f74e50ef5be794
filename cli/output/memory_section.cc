#include "cli/output/memory_section.h"

#ifdef SKEIN_HAS_SYMBOLS
#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/escape.h"
#include "base/text.h"
#include "cli/output/coroutine_chain.h"
#endif

namespace skein::cli {

#ifdef SKEIN_HAS_SYMBOLS

namespace {

using Kind = MemoryDisagreement::Kind;

std::string short_place(const std::string& file, uint32_t line) {
  return escaped(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(line);  // npos + 1 == 0
}

Json place_json(const std::string& file, uint32_t line, const std::string& function) {
  if (line == 0) return nullptr;
  return Json::object({{"file", file}, {"line", line}, {"function", function}});
}

const SuspendedCoroutine& coroutine_of(const MemoryCheck& check, const MemoryDisagreement& one) {
  return check.memory.found.coroutines[one.coroutine];
}

const SuspendedCoroutines::Place& place_of(const MemoryCheck& check,
                                           const SuspendedCoroutine& one) {
  return check.memory.found.places[one.place];
}

// The memory with only the coroutines that are not in the trace, and the operations of Asio that
// they wait for.
Unprepared unseen_only(const MemoryCheck& check) {
  const SuspendedCoroutines& found = check.memory.found;
  std::vector<bool> is_unseen(found.coroutines.size());
  for (const MemoryDisagreement& one : check.disagreements)
    if (one.kind == Kind::NotInTrace) is_unseen[one.coroutine] = true;
  for (size_t i = 0; i < found.coroutines.size(); i++)
    if (const uint32_t awaits = found.coroutines[i].awaits;
        is_unseen[i] && awaits != SuspendedCoroutine::none &&
        !found.functions[found.coroutines[awaits].function].operation.empty())
      is_unseen[awaits] = true;
  std::vector<uint32_t> number(found.coroutines.size(), SuspendedCoroutine::none);
  Unprepared only = {.around = check.memory.around};
  only.found.functions = found.functions;
  only.found.places = found.places;
  only.found.objects = found.objects;
  for (size_t i = 0; i < found.coroutines.size(); i++) {
    if (!is_unseen[i]) continue;
    number[i] = static_cast<uint32_t>(only.found.coroutines.size());
    only.found.coroutines.push_back(found.coroutines[i]);
  }
  only.found.awaited = found.awaited;
  for (WaitObject& one : only.found.awaited) {
    one.waiters.clear();
    one.holders.clear();
    one.joined.clear();
  }
  for (SuspendedCoroutine& one : only.found.coroutines) {
    if (one.awaits != SuspendedCoroutine::none) one.awaits = number[one.awaits];
    if (one.joined_by != SuspendedCoroutine::none) one.joined_by = number[one.joined_by];
  }
  return only;
}

void add_unseen(std::string& out, const MemoryCheck& check, size_t columns) {
  const auto count = static_cast<uint64_t>(
      std::count_if(check.disagreements.begin(), check.disagreements.end(),
                    [](const MemoryDisagreement& one) { return one.kind == Kind::NotInTrace; }));
  if (count == 0) return;
  out += '\n';
  append_paragraph(out,
                   "In memory, but not in the trace: " + counted(count, "coroutine") +
                       ". Their code is built without skein, or they have not run since the "
                       "recording began.",
                   0, columns);
  out += '\n';
  const Unprepared unseen = unseen_only(check);
  std::vector<std::vector<std::string>> lines;
  for (const JudgedChain& one : judge_chains(unseen)) add_chain_lines(unseen, one.chain, 0, lines);
  append_columns(out, lines, "><<<", 2);
}

std::string headline(Kind kind) {
  switch (kind) {
    case Kind::NotInMemory:
      return "In the trace, but not in memory: their frames were freed without being destroyed.";
    case Kind::OtherPlace:
      return "At another co_await in memory than in the trace:";
    case Kind::NotInTrace:
      break;
  }
  return "";
}

std::vector<std::string> line_of(const MemoryDisagreement& one) {
  const std::string title = escaped(one.name) + " (#" + std::to_string(one.task) + ")";
  const std::string in_trace = one.line == 0 ? "" : short_place(one.file, one.line);
  if (one.kind == Kind::NotInMemory) return {title, in_trace, ""};
  return {title, in_trace + " in the trace", short_place(one.file, one.other_line) + " in memory"};
}

// Locks with known holders, and tasks that wait for them.
Json held_locks_json(const MemoryCheck& check) {
  const SuspendedCoroutines& found = check.memory.found;
  const auto task_of = [&](uint32_t coroutine) {
    const TaskId task = check.is_searched ? check.tasks[coroutine] : no_task;
    return task == no_task ? Json(nullptr) : Json(task);
  };
  Json all = Json::array();
  for (const WaitObject& one : found.awaited) {
    if (one.holders.empty()) continue;
    Json waiters = Json::array();
    for (const uint32_t waiter : one.waiters)
      waiters.add(
          Json::object({{"task", task_of(waiter)}, {"frame", found.coroutines[waiter].frame}}));
    Json holders = Json::array();
    for (const WaitObject::Holder& holder : one.holders)
      holders.add(Json::object({{"task", task_of(holder.coroutine)},
                                {"frame", found.coroutines[holder.coroutine].frame},
                                {"certain", holder.is_certain()},
                                {"probable", holder.certainty != WaitObject::Certainty::Perhaps}}));
    all.add(Json::object({{"address", one.address},
                          {"type", or_null(one.type)},
                          {"waiters", std::move(waiters)},
                          {"holders", std::move(holders)}}));
  }
  return all;
}

}  // namespace

std::string memory_section_text(const MemoryCheck& check, size_t columns) {
  constexpr size_t most = 10;
  std::string out;
  if (!check.omitted.empty()) {
    out += '\n';
    append_paragraph(out,
                     "The memory of the process was not searched: " + escaped(check.omitted) + ".",
                     0, columns);
  }
  add_unseen(out, check, columns);
  for (const Kind kind : {Kind::NotInMemory, Kind::OtherPlace}) {
    std::vector<std::vector<std::string>> lines;
    size_t count = 0;
    for (const MemoryDisagreement& one : check.disagreements)
      if (one.kind == kind && count++ < most) lines.push_back(line_of(one));
    if (count == 0) continue;
    out += '\n';
    append_paragraph(out, headline(kind), 0, columns);
    append_columns(out, lines, "<<<", 2);
    if (count > most) out += "  and " + grouped(count - most) + " more\n";
  }
  return out;
}

Json memory_section_json(const MemoryCheck& check) {
  if (!check.is_searched && check.omitted.empty()) return nullptr;
  const SuspendedCoroutines& found = check.memory.found;
  Json unseen = Json::array();
  Json gone = Json::array();
  Json elsewhere = Json::array();
  for (const MemoryDisagreement& one : check.disagreements) {
    const Json task = Json::object({{"id", one.task}, {"name", one.name}});
    if (one.kind == Kind::NotInMemory) {
      gone.add(Json::object({{"task", task}, {"location", place_json(one.file, one.line, "")}}));
      continue;
    }
    const SuspendedCoroutine& coroutine = coroutine_of(check, one);
    const std::string& function = found.functions[coroutine.function].name;
    const SuspendedCoroutines::Place& place = place_of(check, coroutine);
    const Json in_memory = place_json(place.file, place.line, function);
    if (one.kind == Kind::NotInTrace)
      unseen.add(Json::object({{"frame", coroutine.frame},
                               {"function", function},
                               {"state", coroutine.state == SuspendedCoroutine::State::Unknown
                                             ? Json(nullptr)
                                             : Json(std::string(state_name(coroutine.state)))},
                               {"location", in_memory}}));
    else
      elsewhere.add(Json::object({{"task", task},
                                  {"in_trace", place_json(one.file, one.line, function)},
                                  {"in_memory", place_json(one.file, one.other_line, function)}}));
  }
  return Json::object({{"searched", check.is_searched},
                       {"omitted", or_null(check.omitted)},
                       {"coroutines", static_cast<uint64_t>(found.coroutines.size())},
                       {"not_in_trace", std::move(unseen)},
                       {"not_in_memory", std::move(gone)},
                       {"other_place", std::move(elsewhere)},
                       {"held_locks", held_locks_json(check)}});
}

void add_places(const MemoryCheck& check, LiveTaskList& list) {
  std::unordered_map<TaskId, uint32_t> coroutines;
  for (uint32_t i = 0; i < check.tasks.size(); i++)
    if (check.tasks[i] != no_task) coroutines.emplace(check.tasks[i], i);
  for (LiveTaskRow& row : list.tasks) {
    if (row.state != "suspended" || !row.location.text.empty()) continue;
    const auto found = coroutines.find(row.id);
    if (found == coroutines.end()) continue;
    const SuspendedCoroutine& one = check.memory.found.coroutines[found->second];
    const SuspendedCoroutines::Place& place = place_of(check, one);
    if (place.line == 0 || one.state != SuspendedCoroutine::State::Waits) continue;
    const std::string& function = check.memory.found.functions[one.function].name;
    row.location.text = function + " " + place.file.substr(place.file.rfind('/') + 1) + ":" +
                        std::to_string(place.line);  // npos + 1 == 0
    row.location.json = place_json(place.file, place.line, function);
  }
}

#else

std::string memory_section_text(const MemoryCheck&, size_t) { return {}; }
Json memory_section_json(const MemoryCheck&) { return nullptr; }
void add_places(const MemoryCheck&, LiveTaskList&) {}

#endif

}  // namespace skein::cli
