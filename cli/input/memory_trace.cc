#include "cli/input/memory_trace.h"

#ifdef SKEIN_HAS_SYMBOLS
#include <skein/events.h>

#include <algorithm>
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
  explicit MemoryTraceBuilder(Unprepared of) {
    out_.of = std::move(of);
    out_.title = out_.of.title + ", memory";
  }

  MemoryTrace build() {
    describe_trace();
    number_tasks();
    std::vector<LiveTaskEntry>& entries = trace().live_tasks;
    for (const uint32_t i : order_) entries.push_back(entry(i));
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
    // As a ring that has overwritten everything before it was read.
    info.overwritten_packets = 1;
    info.complete_from = 1;
    trace().processes[0] = {.pid = out_.of.pid, .name = out_.of.title};
    for (const format::NamedNumber& kind : format::kKinds) {
      if (trace().kinds.size() <= kind.number) trace().kinds.resize(kind.number + 1u);
      trace().kinds[kind.number] = text(kind.name);
    }
    for (const TargetThread& thread : out_.of.around.threads) {
      executors_.emplace(thread.id, static_cast<uint32_t>(trace().executors.size()));
      trace().executors.push_back({.name = text(thread.name), .tid = thread.id});
    }
    if (trace().executors.empty()) trace().executors.push_back({});
    for (const SuspendedCoroutines::Place& place : found().places) {
      places_.push_back(static_cast<uint32_t>(trace().locations.size()));
      trace().locations.push_back({.file = text(place.file), .line = place.line});
    }
    for (const SuspendedCoroutines::Function& function : found().functions) {
      functions_.push_back(static_cast<uint32_t>(trace().locations.size()));
      trace().locations.push_back({.function = text(function.name)});
    }
  }

  // Each coroutine before the one that it waits for. Those that have ended are no tasks, unless
  // another waits for them.
  void number_tasks() {
    const std::vector<SuspendedCoroutine>& all = found().coroutines;
    std::vector<bool> is_awaited(all.size());
    for (const SuspendedCoroutine& one : all)
      if (one.awaits != no_coroutine) is_awaited[one.awaits] = true;
    out_.tasks.assign(all.size(), no_task);
    TaskId next = 1;
    const auto add_chain = [&](uint32_t at) {
      for (; at != no_coroutine && out_.tasks[at] == no_task; at = all[at].awaits) {
        const bool is_gone = all[at].state == State::Final && !is_awaited[at];
        if (is_gone || found().functions[all[at].function].is_spawn_entry) continue;
        out_.tasks[at] = next++;
        order_.push_back(at);
      }
    };
    for (uint32_t i = 0; i < all.size(); i++)
      if (!is_awaited[i]) add_chain(i);
    for (uint32_t i = 0; i < all.size(); i++) add_chain(i);  // cycles
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
      made.label = text(function.operation + (has_object ? objects_text(out_.of, {one.object}) : ""));
      return made;
    }
    const SuspendedCoroutines::Place& place = found().places[one.place];
    made.kind = format::kKind_coroutine;
    made.name = text(function.name);
    made.location = functions_[one.function];
    made.at = places_[one.place];
    made.label = text(label_of(one, function, place));
    if (one.state == State::NotStarted) return made;
    made.state = one.state == State::Runs ? LiveTaskEntry::State::Running
                                          : LiveTaskEntry::State::Suspended;
    if (one.awaits != no_coroutine) made.on = out_.tasks[one.awaits];
    return made;
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

  MemoryTrace out_ = {};
  std::vector<uint32_t> order_ = {};             // indices of coroutines, by id
  std::vector<TaskId> object_ids_ = {};          // of SuspendedCoroutines::objects
  std::vector<uint32_t> places_ = {};            // locations
  std::vector<uint32_t> functions_ = {};         // locations
  std::unordered_map<uint64_t, uint32_t> executors_ = {};  // by thread
};

}  // namespace

MemoryTrace memory_trace(Unprepared of) { return MemoryTraceBuilder(std::move(of)).build(); }

std::optional<MemoryTrace> open_memory_trace(const std::string& text) {
  std::optional<Unprepared> read = read_unprepared(text);
  if (!read) return {};
  for (const std::string& warning : read->found.warnings)
    report_message(read->title + ": " + warning);
  return memory_trace(*std::move(read));
}

#else

std::optional<MemoryTrace> open_memory_trace(const std::string&) { return {}; }

#endif

}  // namespace skein::cli
