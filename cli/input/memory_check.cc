#include "cli/input/memory_check.h"

#include <algorithm>

#ifdef SKEIN_HAS_SYMBOLS
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/disk_files.h"
#include "base/text.h"
#include "cli/die.h"
#include "frames/recorded_tasks.h"
#include "frames/written_parts.h"
#include "target/pausable_process.h"
#include "trace/read/ctf/directory.h"
#endif

namespace skein::cli {

const SuspendedCoroutine* MemoryCheck::find(TaskId task) const {
  const auto at = std::find(tasks.begin(), tasks.end(), task);
  if (task == no_task || at == tasks.end()) return nullptr;
  return &memory.found.coroutines[static_cast<size_t>(at - tasks.begin())];
}

#ifdef SKEIN_HAS_SYMBOLS

namespace {

using Kind = MemoryDisagreement::Kind;
using State = SuspendedCoroutine::State;

struct RecorderTable {
  Trace trace = {};
  bool has_all = false;  // all live tasks are in it

  const LiveTaskEntry* find(TaskId id) const { return trace.find_live_task(id); }
};

Result<RecorderTable> read_recorder_table(const std::string& directory) {
  DiskFiles files;
  ctf::TaskTableSnapshot table;
  auto trace = ctf::read_live_tasks(files, directory, table);
  if (!trace) return trace.error();
  return RecorderTable{.trace = *std::move(trace),
                       .has_all = table.unstable == 0 && table.lost[format::kLoss_untracked] == 0};
}

bool is_same_state(const LiveTaskEntry& a, const Trace& of_a, const LiveTaskEntry& b,
                   const Trace& of_b) {
  // Times are relative to the newest row of each table, and rounded.
  constexpr int64_t rounding = 2;
  const int64_t since_a = static_cast<int64_t>(of_a.info.start) + a.since;
  const int64_t since_b = static_cast<int64_t>(of_b.info.start) + b.since;
  return a.state == b.state && std::abs(since_a - since_b) <= rounding;
}

// One search, between two readings of the table.
class Comparison {
 public:
  // `is_whole`: all memory was read, not only a sample.
  Comparison(MemoryCheck& check, bool is_whole, std::vector<RecordedTask> recorded,
             RecorderTable before, RecorderTable after)
      : check_(check),
        is_whole_(is_whole),
        recorded_(std::move(recorded)),
        before_(std::move(before)),
        after_(std::move(after)) {}

  void run() {
    check_.is_searched = true;
    const SuspendedCoroutines& found = check_.memory.found;
    check_.tasks.assign(found.coroutines.size(), no_task);
    for (uint32_t i = 0; i < found.coroutines.size(); i++) compare(i);
    compare_places();
    if (before_.has_all && after_.has_all && is_whole_) find_gone();
  }

 private:
  struct Suspended {
    uint32_t coroutine = 0;
    const LiveTaskEntry* entry = nullptr;
    uint32_t line = 0;  // in the trace
  };

  const SuspendedCoroutine& coroutine(uint32_t i) const {
    return check_.memory.found.coroutines[i];
  }

  // Null: its state has changed, or it is none of the trace.
  const LiveTaskEntry* stable_entry(TaskId id) const {
    const LiveTaskEntry* a = before_.find(id);
    const LiveTaskEntry* b = after_.find(id);
    return a != nullptr && b != nullptr && is_same_state(*a, before_.trace, *b, after_.trace)
               ? b
               : nullptr;
  }

  void compare(uint32_t i) {
    if (recorded_[i].is_gone) return;
    const SuspendedCoroutine& one = coroutine(i);
    const uint64_t id = recorded_[i].id;
    const auto& function = check_.memory.found.functions[one.function];
    if (id != 0 && (before_.find(id) != nullptr || after_.find(id) != nullptr)) {
      check_.tasks[i] = id;
      in_memory_.insert(id);
      functions_.insert(function.name);
      if (const LiveTaskEntry* entry = stable_entry(id)) note_place(i, *entry);
      return;
    }
    const bool is_own = function.is_internal || !function.operation.empty();
    const bool is_known = id != 0 && !(before_.has_all && after_.has_all);
    if (one.state == State::Final || !one.is_certain || is_own || is_known) return;
    check_.disagreements.push_back({.kind = Kind::NotInTrace, .coroutine = i, .recorded = id});
  }

  // Collects where the recorder saw the tasks suspend that are at one co_await.
  void note_place(uint32_t i, const LiveTaskEntry& entry) {
    const SuspendedCoroutine& one = coroutine(i);
    const uint32_t line = after_.trace.locations[entry.at].line;
    if (entry.state != LiveTaskEntry::State::Suspended || one.state != State::Waits ||
        one.point == SuspendedCoroutine::unknown || line == 0)
      return;
    suspended_[{one.function, one.point}].push_back({i, &entry, line});
  }

  void compare_places() {
    for (const auto& [point, all] : suspended_) {
      std::map<uint32_t, size_t> lines;
      for (const Suspended& one : all) lines[one.line]++;
      if (lines.size() < 2) continue;
      const auto most =
          std::max_element(lines.begin(), lines.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      if (2 * most->second <= all.size()) continue;
      for (const Suspended& one : all) {
        if (one.line == most->first) continue;
        add(Kind::OtherPlace, one.coroutine, *one.entry);
        check_.disagreements.back().other_line = most->first;
      }
    }
  }

  void add(Kind kind, uint32_t coroutine, const LiveTaskEntry& entry) {
    const Trace& trace = after_.trace;
    const Location& at = trace.locations[entry.at];
    const StringId name = entry.label != 0 ? entry.label : entry.name;
    check_.disagreements.push_back({.kind = kind,
                                    .task = entry.id,
                                    .coroutine = coroutine,
                                    .name = std::string(trace.strings[name]),
                                    .file = std::string(trace.strings[at.file]),
                                    .line = at.line});
  }

  // Only coroutines of functions of which others are in memory: those of other functions may not be
  // coroutines of the compiler.
  void find_gone() {
    const Trace& trace = after_.trace;
    for (const LiveTaskEntry& entry : trace.live_tasks) {
      const bool is_coroutine =
          entry.kind < trace.kinds.size() && trace.strings[trace.kinds[entry.kind]] == "coroutine";
      if (!is_coroutine || entry.state != LiveTaskEntry::State::Suspended ||
          in_memory_.contains(entry.id) || stable_entry(entry.id) == nullptr ||
          !functions_.contains(std::string(trace.strings[entry.name])))
        continue;
      add(Kind::NotInMemory, MemoryDisagreement::none, entry);
    }
  }

  MemoryCheck& check_;
  const bool is_whole_;
  const std::vector<RecordedTask> recorded_;
  const RecorderTable before_;
  const RecorderTable after_;
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Suspended>> suspended_ =
      {};  // function, point
  std::unordered_set<TaskId> in_memory_ = {};
  std::unordered_set<std::string> functions_ = {};
};

std::string size_of_memory(const Target& target, uint64_t& bytes) {
  bytes = size_of(written_parts(target));
  return "it has " + grouped(bytes >> 20) + " MiB";
}

MemoryCheck compare_once(const std::string& pid, const std::string& directory,
                         const MemorySearch& search) {
  MemoryCheck check;
  const Result<std::unique_ptr<PausableProcess>> opened = open_pausable_process(std::stoull(pid));
  if (!opened) {
    check.problem = opened.error();
    check.omitted = check.problem.message();
    return check;
  }
  PausableProcess& process = **opened;
  uint64_t bytes = 0;
  std::string size = size_of_memory(process, bytes);
  if (bytes > most_searched_bytes && !search.whatever_size) {
    check.omitted = std::move(size);
    return check;
  }
  std::optional<Error> stop_error;
  std::optional<RecorderTable> before;
  std::optional<RecorderTable> after;
  std::vector<RecordedTask> recorded;
  const auto table = [&]() -> std::optional<RecorderTable> {
    Result<RecorderTable> read = read_recorder_table(directory);
    return read ? std::optional(*std::move(read)) : std::nullopt;
  };
  SearchOptions options{.variables = search.locals, .most_bytes = search.most_bytes};
  options.before = [&] {
    if (search.stop) stop_error = process.pause();
    before = table();
  };
  options.after = [&](const SuspendedCoroutines& found) {
    recorded = find_recorded_tasks(process, found.coroutines);
    after = table();
    process.resume();
  };
  WalkedStacks walked;
  if (search.stacks) options.on_stack = walked.adder();
  Result<Unprepared> memory = read_memory_of(process, options);
  if (stop_error) die(2, stop_error->message());
  if (!memory) check.problem = memory.error();
  if (!memory || !before || !after) return check;  // no functions of coroutines
  check.memory = *std::move(memory);
  check.memory.paused = process.resume();
  if (search.stacks)
    check.memory.stacks =
        walked.named(process, check.memory.around.threads, check.memory.around.mutex_waits);
  const bool is_whole = check.memory.found.memory <= search.most_bytes;
  Comparison(check, is_whole, std::move(recorded), *std::move(before), *std::move(after)).run();
  return check;
}

// What must be equal in all searches.
using Key = std::tuple<Kind, TaskId, uint64_t, std::string, uint64_t, uint32_t, uint32_t>;

Key key_of(const MemoryCheck& check, const MemoryDisagreement& one) {
  if (one.coroutine == MemoryDisagreement::none) return {one.kind, one.task, 0, "", 0, 0, one.line};
  const SuspendedCoroutines& found = check.memory.found;
  const SuspendedCoroutine& coroutine = found.coroutines[one.coroutine];
  return {one.kind,        one.task,
          coroutine.frame, found.functions[coroutine.function].full_name,
          one.recorded,    found.places[coroutine.place].line,
          one.line};
}

}  // namespace

MemoryCheck check_memory(const std::string& pid, const std::string& directory,
                         const MemorySearch& search) {
  constexpr int most_searches = 5;
  MemoryCheck check = compare_once(pid, directory, search);
  // Until two searches agree: in a busy program, most disagreements are between its steps.
  for (int i = 1; i < most_searches && !check.disagreements.empty(); i++) {
    std::set<Key> before;
    for (const MemoryDisagreement& one : check.disagreements) before.insert(key_of(check, one));
    check = compare_once(pid, directory, search);
    std::erase_if(check.disagreements, [&](const MemoryDisagreement& one) {
      return !before.contains(key_of(check, one));
    });
    if (check.disagreements.size() == before.size()) break;
  }
  std::stable_sort(
      check.disagreements.begin(), check.disagreements.end(),
      [](const MemoryDisagreement& a, const MemoryDisagreement& b) { return a.kind < b.kind; });
  return check;
}

#else

MemoryCheck check_memory(const std::string&, const std::string&, const MemorySearch&) {
  return {.problem = {.what = "this skein was built without elfutils"}};
}

#endif

}  // namespace skein::cli
