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
    for (const auto& [lock, id] : lock_ids_) entries.push_back(lock_entry(lock, id));
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
    for (const uint32_t i : order_)
      if (lock_of(all[i]) != nullptr && lock_ids_.try_emplace(all[i].awaited, next).second) next++;
  }

  // What it waits for, if that is a lock with a known holder.
  const WaitObject* lock_of(const SuspendedCoroutine& one) const {
    if (one.state == State::Final || one.awaits != no_coroutine || one.awaited == no_coroutine)
      return nullptr;
    const WaitObject& object = found().awaited[one.awaited];
    const bool is_known = object.holders.size() == 1 &&
                          object.holders.front().certainty != WaitObject::Certainty::Perhaps &&
                          out_.tasks[object.holders.front().coroutine] != no_task;
    return is_known ? &object : nullptr;
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
    if (lock_of(one) != nullptr) made.on = lock_ids_.at(one.awaited);
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

  // "rt::Mutex, held by store"; empty: nothing is known, or it is a coroutine.
  std::string awaited_by(const SuspendedCoroutine& one, const std::string& awaiter) const {
    if (one.state != State::Waits || one.awaits != no_coroutine) return "";
    const std::string type = is_program_type(awaiter) ? awaiter : "";
    if (one.awaited == no_coroutine) return type;
    const WaitObject& object = found().awaited[one.awaited];
    if (object.kind == WaitObject::Kind::WhenAll && !object.joined.empty())
      return counted(object.joined.size(), "coroutine");
    const WaitObject* lock = lock_of(one);
    if (lock == nullptr) return object.type.empty() ? type : object.type;
    const WaitObject::Holder& holder = lock->holders.front();
    return (lock->type.empty() ? "a lock" : lock->type) +
           (holder.is_certain() ? ", held by " : ", probably held by ") +
           found().functions[found().coroutines[holder.coroutine].function].name;
  }

  // "fetch, client.cc:42, waits for rt::Event"
  std::string label_of(const SuspendedCoroutine& one, const SuspendedCoroutines::Function& function,
                       const SuspendedCoroutines::Place& place) const {
    std::string label = function.name;
    if (place.line != 0)
      label += ", " + place.file.substr(place.file.rfind('/') + 1) + ":" +
               std::to_string(place.line);  // npos + 1 == 0
    if (one.state == State::NotStarted) label += ", not started";
    if (one.state == State::Runs) label += ", runs";
    if (one.state == State::Final) label += ", has ended";
    if (const std::string awaited = awaited_by(one, place.awaiter); !awaited.empty())
      label += ", waits for " + awaited;
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

  LiveTaskEntry lock_entry(uint32_t i, TaskId id) {
    const WaitObject& lock = found().awaited[i];
    const WaitObject::Holder& holder = lock.holders.front();
    LiveTaskEntry made{.id = id};
    made.since = -1;
    made.kind = format::kKind_mutex;
    made.state = LiveTaskEntry::State::Resource;
    made.on = out_.tasks[holder.coroutine];
    made.label = text((lock.type.empty() ? "lock" : lock.type) +
                      (holder.is_certain() ? "" : ", probably held"));
    return made;
  }

  const uint64_t most_;  // similar chains
  MemoryTrace out_ = {};
  std::vector<uint32_t> order_ = {};     // indices of coroutines, by id
  std::vector<uint32_t> depths_ = {};    // by coroutine: how many wait for it, each for the next
  std::vector<uint32_t> chain_of_ = {};  // by coroutine: the group whose chains begin with it
  std::vector<TaskId> object_ids_ = {};  // of SuspendedCoroutines::objects
  std::map<uint32_t, TaskId> lock_ids_ = {};  // of SuspendedCoroutines::awaited
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
