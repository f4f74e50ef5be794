#include "cli/output/memory_report.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "cli/die.h"
#include "cli/input/running.h"
#include "cli/output/memory_section.h"

#ifdef SKEIN_HAS_SYMBOLS
#include "cli/output/coroutine_list.h"
#include "cli/output/coroutine_why.h"
#include "cli/output/thread_stacks_text.h"
#endif

namespace skein::cli {

namespace {

// The first option that only memory can answer; null: none.
const char* option_of(const UnpreparedRequest& request) {
  return request.group ? "--group" : request.locals ? "--locals" : request.stop ? "--stop" : nullptr;
}

}  // namespace

void refuse_without_memory(const UnpreparedRequest& request) {
  if (const char* const option = option_of(request); option != nullptr)
    die(2, std::string(option) + ": " + request.target +
               " is a trace, which has no memory; give the PID of the process, or a core");
}

#ifdef SKEIN_HAS_SYMBOLS

MemoryReport read_memory(const UnpreparedRequest& request, bool whatever_size) {
  const char* const option = option_of(request);
  MemoryReport report{.has_locals = request.locals};
  report.check = check_memory(request.target, trace_directory(request.target),
                              {.whatever_size = whatever_size || option != nullptr,
                               .stop = request.stop,
                               .locals = request.locals,
                               .stacks = wants_stacks(request),
                               .most_bytes = parse_search_limit(request.search_limit)});
  if (option != nullptr && !report.check.is_searched)
    die(2, std::string(option) + ": process " + request.target + ": " +
               (report.check.problem.what.empty() ? "its memory cannot be compared with its trace"
                                                  : report.check.problem.message()));
  return report;
}

namespace {

std::string pause_text(const MemoryReport& memory, size_t columns) {
  std::string out;
  const auto paused = static_cast<uint64_t>(memory.check.memory.paused);
  if (paused != 0)
    append_paragraph(out, "It stood still for " + duration_text(paused) + " to be read.", 0, columns);
  return out.empty() ? out : '\n' + out;
}

std::string locals_text(const MemoryReport& memory, size_t columns) {
  if (!memory.has_locals) return "";
  return coroutine_variables_text(memory.check.memory, judge_chains(memory.check.memory), columns);
}

Json locals_json(const MemoryReport& memory) {
  const SuspendedCoroutines& found = memory.check.memory.found;
  Json all = Json::array();
  for (size_t i = 0; i < found.variables.size(); i++) {
    if (found.variables[i].empty()) continue;
    Json variables = Json::array();
    for (const FrameVariable& one : found.variables[i])
      variables.add(Json::object(
          {{"name", one.name}, {"type", or_null(one.type)}, {"value", one.value}}));
    all.add(Json::object({{"task", id_or_null(memory.check.tasks[i])},
                          {"frame", found.coroutines[i].frame},
                          {"function", found.functions[found.coroutines[i].function].name},
                          {"locals", std::move(variables)}}));
  }
  return all;
}

}  // namespace

std::string memory_text(const MemoryReport& memory, size_t columns) {
  std::string text = memory_section_text(memory.check, columns) + locals_text(memory, columns) +
                     pause_text(memory, columns);
  return text + call_stacks_text(memory.check.memory.stacks);
}

std::string memory_why_text(const MemoryReport& memory, size_t columns) {
  const Unprepared& read = memory.check.memory;
  return held_locks_text(read, chains_to_held_locks(read), columns) + memory_text(memory, columns);
}

bool shows_deadlock(const MemoryReport& memory) {
  const std::vector<JudgedChain> waiting = chains_to_held_locks(memory.check.memory);
  return std::any_of(waiting.begin(), waiting.end(),
                     [](const JudgedChain& one) { return is_error(one.verdict); });
}

void add_memory_json(const MemoryReport& memory, Json& to) {
  Json section = memory_section_json(memory.check);
  if (memory.check.is_searched || !memory.check.omitted.empty()) {
    section.set("paused_ns", id_or_null(static_cast<uint64_t>(memory.check.memory.paused)));
    section.set("locals", memory.has_locals ? locals_json(memory) : Json(nullptr));
    section.set("stacks", call_stacks_json(memory.check.memory.stacks));
  }
  to.set("memory", std::move(section));
}

std::string grouped_tasks_text(const MemoryReport& memory, const LiveTaskList& live,
                               const LiveTaskLayout& layout, size_t columns) {
  const Unprepared& read = memory.check.memory;
  std::string text = coroutines_text(read, judge_chains(read), true, columns);
  const std::unordered_set<TaskId> shown(memory.check.tasks.begin(), memory.check.tasks.end());
  LiveTaskList others = live;
  std::erase_if(others.tasks, [&](const LiveTaskRow& row) { return shown.contains(row.id); });
  if (!others.tasks.empty()) {
    text += "\nTasks and resources of its trace that are no coroutines in memory:\n\n";
    text += live_tasks_text(others, layout);
  }
  MemoryReport rest = memory;  // the tree has what only memory has
  std::erase_if(rest.check.disagreements, [](const MemoryDisagreement& one) {
    return one.kind == MemoryDisagreement::Kind::NotInTrace;
  });
  rest.check.memory.paused = 0;  // it is in the first line
  return text + memory_text(rest, columns);
}

#else

MemoryReport read_memory(const UnpreparedRequest& request, bool) {
  if (const char* const option = option_of(request); option != nullptr)
    die(2, std::string(option) + ": this skein was built without elfutils");
  return {};
}

std::string memory_text(const MemoryReport& memory, size_t columns) {
  return memory_section_text(memory.check, columns);
}

std::string memory_why_text(const MemoryReport& memory, size_t columns) {
  return memory_text(memory, columns);
}

bool shows_deadlock(const MemoryReport&) { return false; }

void add_memory_json(const MemoryReport& memory, Json& to) {
  to.set("memory", memory_section_json(memory.check));
}

std::string grouped_tasks_text(const MemoryReport&, const LiveTaskList&, const LiveTaskLayout&,
                               size_t) {
  return "";
}

#endif

}  // namespace skein::cli
