#include "cli/input/memory_trace.h"

#ifdef SKEIN_HAS_SYMBOLS
#include <skein/events.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "cli/output/awaited_text.h"
#include "cli/output/terminal.h"
#include "cli/utc_now.h"
#endif

namespace skein::cli {

#ifdef SKEIN_HAS_SYMBOLS

namespace {

using State = SuspendedCoroutine::State;
constexpr uint32_t no_coroutine = SuspendedCoroutine::none;

class MemoryTraceBuilder {
 public:
  MemoryTraceBuilder(Unprepared of, uint64_t most) : most_(most) {
    out_.of = std::move(of);
    out_.title = out_.of.title + ", memory";
  }

  MemoryTrace build() {
    describe_trace();
    number_tasks();
    std::vector<LiveTaskEntry>& entries = trace().live_tasks;
    for (const uint32_t i : order_) entries.push_back(entry(i));
    // A trace without events would be taken for one that recorded nothing.
    if (!entries.empty())
      trace().events.append(
          {.task = entries[0].id, .text = entries[0].label, .kind = EventKind::Label});
    for (uint32_t i = 0; i < found().objects.size(); i++)
      if (object_ids_[i] != no_task) entries.push_back(object_entry(i));
    return std::move(out_);
  }

 private:
  Trace& trace() { return out_.trace; }
  const SuspendedCoroutines& found() const { return out_.of.found; }
  StringId text(std::string_view of) { return trace().strings.intern(of); }

  void describe_trace() {
    TraceInfo& info = trace().info;
    info.format = "skein";
    info.clock = "unknown";
    info.utc_offset = out_.of.is_core ? std::optional<int64_t>() : utc_now();
    info.overwritten_packets = 1;  // as a ring that has overwritten everything until now
    trace().processes[0] = {.pid = out_.of.pid,
                            .name = out_.of.title.substr(0, out_.of.title.rfind(" ("))};
    for (const format::NamedNumber& kind : format::kKinds) {
      if (trace().kinds.size() <= kind.number) trace().kinds.resize(kind.number + 1u);
      trace().kinds[kind.number] = text(kind.name);
    }
    trace().executors.push_back({.name = text("unknown")});
    for (const TargetThread& thread : out_.of.around.threads) {
      executors_.emplace(thread.id, static_cast<uint32_t>(trace().executors.size()));
      trace().executors.push_back({.name = text(thread.name), .tid = thread.id});
    }
    for (const SuspendedCoroutines::Function& function : found().functions) {
      functions_.push_back(static_cast<uint32_t>(trace().locations.size()));
      trace().locations.push_back({.function = text(function.name)});
    }
  }

  // Chain by chain, the worst first. Coroutines that have ended are no tasks, unless another waits
  // for them.
  void number_tasks() {
    const std::vector<SuspendedCoroutine>& all = found().coroutines;
    std::vector<bool> is_awaited(all.size());
    for (const SuspendedCoroutine& one : all)
      if (one.awaits != no_coroutine) is_awaited[one.awaits] = true;
    out_.chains = judge_chains(out_.of);
    std::stable_sort(
        out_.chains.begin(), out_.chains.end(),
        [](const JudgedChain& a, const JudgedChain& b) { return a.verdict < b.verdict; });
    out_.tasks.assign(all.size(), no_task);
    depths_.assign(all.size(), 0);
    chain_of_.assign(all.size(), no_coroutine);
    TaskId next = 1;
    for (const JudgedChain& judged : out_.chains) {
      uint32_t before = no_coroutine;
      size_t shown = 0;
      for (const uint32_t i : judged.chain.members) {
        const bool is_first = before == no_coroutine || all[before].awaits != i;
        if (is_first && ++shown > most_) break;
        if (all[i].state == State::Final && !is_awaited[i]) continue;
        out_.tasks[i] = next++;
        order_.push_back(i);
        if (is_first)
          chain_of_[i] = static_cast<uint32_t>(&judged - out_.chains.data());
        else
          depths_[i] = depths_[before] + 1;
        before = i;
      }
    }
    object_ids_.assign(found().objects.size(), no_task);
    for (const uint32_t i : order_)
      if (const uint32_t object = all[i].object; object != no_coroutine)
        if (is_operation(all[i]) && object_ids_[object] == no_task) object_ids_[object] = next++;
  }

  bool is_operation(const SuspendedCoroutine& one) const {
    return !found().functions[one.function].operation.empty();
  }

  LiveTaskEntry entry(uint32_t i) {
    const SuspendedCoroutine& one = found().coroutines[i];
    const SuspendedCoroutines::Function& function = found().functions[one.function];
    LiveTaskEntry made{.id = out_.tasks[i]};
    made.since = -1;
    if (const auto thread = executors_.find(one.thread); thread != executors_.end())
      made.executor = thread->second;
    if (is_operation(one)) {
      const bool has_object = one.object != no_coroutine;
      const AsioObject* object = has_object ? &found().objects[one.object] : nullptr;
      const bool is_timer = object != nullptr && object->kind == AsioObject::Kind::Timer;
      made.kind = is_timer ? format::kKind_timer : format::kKind_io;
      made.name = text(function.operation);
      if (has_object) made.on = object_ids_[one.object];
      if (is_timer && never_expires(*object)) made.expires = INT64_MAX;
      made.label = text(indented(i) + function.operation +
                        (has_object ? objects_text(out_.of, {one.object}) : ""));
      return made;
    }
    const SuspendedCoroutines::Place& place = found().places[one.place];
    made.kind = format::kKind_coroutine;
    made.name = text(function.name);
    made.location = functions_[one.function];
    made.at = place_of(one);
    made.label = text(indented(i) + label_of(one, function, place) + verdict_of(i));
    if (one.state == State::NotStarted) return made;
    made.state =
        one.state == State::Runs ? LiveTaskEntry::State::Running : LiveTaskEntry::State::Suspended;
    if (one.awaits != no_coroutine) made.on = out_.tasks[one.awaits];
    return made;
  }

  // Of the chains that begin with this coroutine.
  std::string verdict_of(uint32_t coroutine) const {
    if (chain_of_[coroutine] == no_coroutine) return "";
    const JudgedChain& judged = out_.chains[chain_of_[coroutine]];
    std::string text;
    if (!is_usual(judged.verdict) && judged.verdict != ChainVerdict::NotStarted)
      text = ": " + std::string(name(judged.verdict));
    if (judged.chain.count > most_)
      text += "; " + grouped(judged.chain.count) + " such chains, " + grouped(most_) + " shown";
    return text;
  }

  // As a tree. Spaces at the beginning would be lost in a page.
  std::string indented(uint32_t coroutine) const {
    constexpr uint32_t deepest = 20;
    std::string text;
    for (uint32_t i = 1; i < std::min(depths_[coroutine], deepest); i++) text += "\u2007\u2007";
    return depths_[coroutine] == 0 ? text : text + "\u2514 ";
  }

  uint32_t place_of(const SuspendedCoroutine& one) {
    const SuspendedCoroutines::Place& place = found().places[one.place];
    if (place.line == 0) return 0;
    const auto [at, is_new] = places_.try_emplace({one.function, one.place}, 0);
    if (is_new) {
      at->second = static_cast<uint32_t>(trace().locations.size());
      trace().locations.push_back({.file = text(place.file),
                                   .function = text(found().functions[one.function].name),
                                   .line = place.line});
    }
    return at->second;
  }

  // "fetch, client.cc:42, waits for rt::Event"
  static std::string label_of(const SuspendedCoroutine& one,
                              const SuspendedCoroutines::Function& function,
                              const SuspendedCoroutines::Place& place) {
    std::string label = function.name;
    if (place.line != 0)
      label += ", " + place.file.substr(place.file.rfind('/') + 1) + ":" +
               std::to_string(place.line);  // npos + 1 == 0
    if (one.state == State::NotStarted) label += ", not started";
    if (one.state == State::Runs) label += ", runs";
    if (one.state == State::Final) label += ", has ended";
    if (one.state == State::Waits && one.awaits == no_coroutine && is_program_type(place.awaiter))
      label += ", waits for " + place.awaiter;
    if (!one.is_certain) label += " (uncertain)";
    return label;
  }

  LiveTaskEntry object_entry(uint32_t i) {
    const AsioObject& object = found().objects[i];
    constexpr uint32_t kinds[] = {format::kKind_alarm, format::kKind_socket,
                                  format::kKind_descriptor, format::kKind_signals,
                                  format::kKind_resolver};
    LiveTaskEntry made{.id = object_ids_[i]};
    made.since = -1;
    made.kind = kinds[static_cast<size_t>(object.kind)];
    made.state = LiveTaskEntry::State::Resource;
    if (object.descriptor >= 0) made.descriptor = static_cast<uint32_t>(object.descriptor);
    if (const SocketState* socket = socket_of(object, out_.of.around))
      made.connection = text(" > " + socket->peer + " (tcp)");
    return made;
  }

  const uint64_t most_;  // similar chains
  MemoryTrace out_ = {};
  std::vector<uint32_t> order_ = {};     // indices of coroutines, by id
  std::vector<uint32_t> depths_ = {};    // by coroutine: how many wait for it, each for the next
  std::vector<uint32_t> chain_of_ = {};  // by coroutine: the group whose chains begin with it
  std::vector<TaskId> object_ids_ = {};  // of SuspendedCoroutines::objects
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> places_ = {};  // locations, by function, place
  std::vector<uint32_t> functions_ = {};                           // locations
  std::unordered_map<uint64_t, uint32_t> executors_ = {};          // by thread
};

}  // namespace

MemoryTrace memory_trace(Unprepared of, uint64_t most) {
  return MemoryTraceBuilder(std::move(of), most).build();
}

std::optional<MemoryTrace> open_memory_trace(const std::string& text, uint64_t most) {
  std::optional<Unprepared> read = read_unprepared(text);
  if (!read) return {};
  for (const std::string& warning : read->found.warnings)
    report_message(read->title + ": " + warning);
  return memory_trace(*std::move(read), most);
}

#else

std::optional<MemoryTrace> open_memory_trace(const std::string&, uint64_t) { return {}; }

#endif

}  // namespace skein::cli
