#include "trace/export/ctf.h"

#include <skein/metadata.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "trace/export/ctf_clock.h"
#include "trace/export/ctf_events.h"
#include "trace/export/ctf_names.h"
#include "trace/read/ctf/task_table.h"

namespace skein {

namespace {

using ctf::StreamWriter;
constexpr size_t chunk_size = size_t{1} << 20;
constexpr size_t no_stream = SIZE_MAX;

// Task 0 of skein's format is no task: if the trace has a task 0, all ids are increased by one.
bool has_task_0(const Trace& trace) {
  const Events& events = trace.events;
  for (size_t i = 0; i < events.size(); i++)
    if (events.task[i] == 0 || (events.other[i] == 0 && events.kind[i] == EventKind::Create))
      return true;
  return std::any_of(trace.live_tasks.begin(), trace.live_tasks.end(),
                     [](const LiveTaskEntry& entry) { return entry.id == 0; });
}

// Readings beside the events, by time.
template <class Reading>
class Readings {
 public:
  explicit Readings(const std::vector<Reading>& all) : all_(all) {
    std::stable_sort(all_.begin(), all_.end(),
                     [](const auto& a, const auto& b) { return a.time < b.time; });
  }
  void put_until(uint64_t time, CtfEvents& to) {
    for (; next_ < all_.size() && all_[next_].time <= time; next_++) to.put(all_[next_]);
  }

 private:
  std::vector<Reading> all_;
  size_t next_ = 0;
};

class Exporter {
 public:
  Exporter(const Trace& trace, const ctf::Uuid& uuid)
      : trace_(trace),
        uuid_(uuid),
        shift_(has_task_0(trace)),
        clock_(trace, omissions_),
        names_(trace, omissions_,
               {.uuid = uuid_,
                .stream = format::kNamesStream,
                .chunk_size = chunk_size,
                .flags = format::kFlagNames | format::kFlagLog,
                .is_padded = false}),
        events_(trace, names_, clock_, shift_) {
    for (const LiveTaskEntry& entry : trace.live_tasks)
      if (entry.state == LiveTaskEntry::State::Resource) events_.add_resource(entry.id);
    add_streams();
  }

  Omissions take_omissions() { return std::move(omissions_); }
  bool ids_are_shifted() const { return shift_; }

  std::vector<CtfFile> files() {
    add_events();
    add_tasks();
    names_.add_texts_and_modules();
    names_.add_stacks();
    add_metadata();
    omissions_.add("clock pairs", definitions("clock_pair"));
    add("names-", names_.stream());
    for (size_t i = 0; i < events_.streams().size(); i++) {
      char prefix[32];
      std::snprintf(prefix, sizeof prefix, "s%05zu-", i);
      add(prefix, events_.streams()[i]);
    }
    add_thread_states();
    return std::move(files_);
  }

 private:
  void add_events() {
    Readings cpu_times(trace_.cpu_times);
    Readings socket_bytes(trace_.socket_bytes);
    for (size_t i = 0; i < trace_.events.size(); i++) {
      cpu_times.put_until(trace_.events.time[i], events_);
      socket_bytes.put_until(trace_.events.time[i], events_);
      events_.put(i);
    }
    cpu_times.put_until(UINT64_MAX, events_);
    socket_bytes.put_until(UINT64_MAX, events_);
  }

  void add_thread_states() {
    StreamWriter stream({.uuid = uuid_,
                         .stream = format::kSchedStream,
                         .chunk_size = chunk_size,
                         .flags = format::kFlagLog,
                         .is_padded = false});
    for (const ThreadStateChange& change : trace_.thread_states) {
      uint64_t other = change.other;
      if (change.state == ThreadState::Stack) other = trace_.stacks.number(other);
      if (other > UINT32_MAX) continue;
      stream.fixed(format::k_thread_state, clock_.base() + clock_.ticks(change.time))
          .u32(change.tid)
          .u32(static_cast<uint32_t>(change.state))
          .u32(static_cast<uint32_t>(other))
          .u32(change.cpu)
          .text(change.text == 0 ? "-" : trace_.strings[change.text])
          .done();
    }
    if (!trace_.thread_states.empty()) add("sched-", stream);
  }

  void add_streams() {
    std::vector<StreamWriter>& streams = events_.streams();
    const size_t ring = find_ring();
    for (size_t i = 0; i < std::max<size_t>(trace_.executors.size(), 1); i++) {
      const uint64_t overwritten = i == ring ? trace_.info.overwritten_packets : 0;
      streams.emplace_back(StreamWriter({.uuid = uuid_,
                                         .stream = i,
                                         .chunk_size = chunk_size,
                                         .flags = overwritten != 0 ? 0 : uint32_t{format::kFlagLog},
                                         .first_sequence = overwritten,
                                         .is_padded = false}));
    }
    for (size_t i = 0; i < trace_.executors.size(); i++) {
      const Executor& executor = trace_.executors[i];
      streams[i].tid = static_cast<uint32_t>(executor.tid);
      if (executor.name && executor.tid != 0) names_.add_thread(executor.tid, executor.name);
      names_.add_thread(format::kStreamThread + i, executor.name);
    }
    // The copy would omit an executor whose stream has no event. This event also makes the first
    // stream begin at time 0.
    for (size_t i = 0; i < streams.size(); i++)
      streams[i].event(format::k_extra,
                       clock_.base() + (i == ring ? clock_.ticks(trace_.info.complete_from) : 0),
                       static_cast<uint64_t>(format::ExtraField::kCurrent), 0);
  }

  // Returns the stream that records the overwritten packets of a ring: one without events before
  // the time from which the trace is complete.
  size_t find_ring() {
    const TraceInfo& info = trace_.info;
    if (info.overwritten_packets == 0) return no_stream;
    const size_t count = std::max<size_t>(trace_.executors.size(), 1);
    std::vector<bool> is_early(count);
    const Events& events = trace_.events;
    for (size_t i = 0; i < events.size() && events.time[i] < info.complete_from; i++)
      if (events.executor[i] < count) is_early[events.executor[i]] = true;
    const auto found = std::find(is_early.begin(), is_early.end(), false);
    if (found != is_early.end()) return static_cast<size_t>(found - is_early.begin());
    omissions_.add("overwritten packets", info.overwritten_packets);
    omissions_.add("entries of the live task table", trace_.live_tasks.size());
    return no_stream;
  }

  uint64_t definitions(std::string_view name) const {
    for (const auto& [what, count] : trace_.info.definitions)
      if (what == name) return count;
    return 0;
  }

  // Adds the live tasks of a ring, whose events may be overwritten.
  void add_tasks() {
    if (trace_.live_tasks.empty() || find_ring() == no_stream) return;
    ctf::TaskTableSnapshot table;
    table.pid = trace_.processes[0].pid;
    table.start = clock_.base();
    table.ring_bytes = chunk_size;
    for (const LiveTaskEntry& entry : trace_.live_tasks) {
      using State = format::TaskState;
      static constexpr std::array<State, 4> states = {State::kCreated, State::kRunning,
                                                      State::kSuspended, State::kResource};
      const auto ago = static_cast<int64_t>(
          clock_.ticks(static_cast<uint64_t>(entry.since < 0 ? -entry.since : entry.since)));
      const int64_t since = static_cast<int64_t>(clock_.base()) + (entry.since < 0 ? -ago : ago);
      const bool has_executor = entry.executor < trace_.executors.size();
      const uint64_t tid = has_executor ? trace_.executors[entry.executor].tid : 0;
      const bool on_object = entry.awaited_object != 0;
      table.tasks.push_back(
          {.id = events_.id(entry.id),
           .parent = events_.id(entry.parent),
           .on = on_object ? format::kAddressId | entry.awaited_object : events_.id(entry.on),
           .since = static_cast<uint64_t>(std::max<int64_t>(since, 0)),
           .place = names_.place_of_kind(entry.location, entry.kind, entry.name),
           .at = on_object ? names_.named_place(entry.at, entry.awaited_type)
                           : names_.place(entry.at),
           .label = names_.text(entry.label),
           .tid = static_cast<uint32_t>(tid),
           .state = states[static_cast<size_t>(entry.state)],
           .should_resolve = entry.should_resolve});
      add_socket(entry, table);
    }
    files_.push_back({.name = ".tasks", .bytes = encode(table)});
  }

  // Adds the rows of a socket.
  void add_socket(const LiveTaskEntry& entry, ctf::TaskTableSnapshot& table) {
    const auto ticks = [&](int64_t time) -> uint64_t {
      if (time == INT64_MIN) return 0;
      const uint64_t distance = clock_.ticks(static_cast<uint64_t>(time < 0 ? -time : time));
      return time < 0 ? clock_.base() - distance : clock_.base() + distance;
    };
    if (entry.connection != 0)
      table.tasks.push_back({.id = events_.id(entry.id),
                             .on = names_.text(entry.connection),
                             .place = entry.descriptor,
                             .reserved = format::Connection::kWholeText,
                             .state = format::TaskState::kConnection});
    if (entry.traffic)
      table.tasks.push_back({.id = events_.id(entry.id),
                             .parent = entry.traffic->sent,
                             .on = entry.traffic->received,
                             .since = ticks(entry.traffic->received_at),
                             .waker = ticks(entry.traffic->sent_at),
                             .state = format::TaskState::kTraffic});
    if (entry.traffic && entry.traffic->unseen) {
      const UnseenBytes& unseen = *entry.traffic->unseen;
      ctf::TaskTableRow& row = table.tasks.back();
      row.place = static_cast<uint32_t>(unseen.sent_before);
      row.at = static_cast<uint32_t>(unseen.received_before);
      row.label = unseen.sent;
      row.tid = unseen.received;
      row.should_resolve = true;  // as written: kKernelCounts
    }
  }

  void add_metadata() {
    constexpr int64_t second = CtfClock::second;
    const TraceInfo& info = trace_.info;
    const TickClock& clock = clock_.clock();
    const Process& process = trace_.processes[0];
    const auto utc =
        static_cast<int64_t>(clock_.lost_ns() + static_cast<uint64_t>(info.utc_offset.value_or(0)));
    const int64_t rest = (utc % second + second) % second;
    format::MetadataInfo said{.uuid = {},
                              .clock = clock.source.c_str(),
                              .frequency = clock.frequency,
                              .offset_s = (utc - rest) / second,
                              .offset = clock_.part_of_second(static_cast<uint64_t>(rest)),
                              .precision = 1,
                              .hostname = trace_.machines[0].name.c_str(),
                              .boot_id = clock.boot_id.c_str(),
                              .procname = process.name.c_str(),
                              .pid = process.pid,
                              .mode = info.overwritten_packets != 0 ? "ring" : "log"};
    std::copy(uuid_.begin(), uuid_.end(), said.uuid);
    std::string text;
    format::write_metadata(said, [&](const char* from, size_t size) { text.append(from, size); });
    if (!info.is_own())
      insert(text, "\tclock_source = ", "\torigin = " + quoted_tsdl(info.format) + ";\n");
    insert(text, "\tclock_source = ", process_lines());
    text.insert(text.find(" }", text.find("enum task_kind")), names_.own_kinds());
    if (!info.utc_offset) {  // stock readers take missing values for 0
      const size_t offset = text.find("\toffset_s = ");
      text.erase(offset, text.find("\tabsolute = ") - offset);
      text.replace(text.find("TRUE", offset), 4, "FALSE");
    }
    files_.push_back({.name = "metadata", .bytes = {text.begin(), text.end()}});
  }

  // The machines and processes that the standard lines cannot represent.
  std::string process_lines() const {
    std::string lines;
    const auto line = [&](const std::string& name, size_t index, const char* field,
                          const std::string& value) {
      lines += "\t" + name + std::to_string(index) + field + value + ";\n";
    };
    for (size_t i = 0; i < trace_.machines.size(); i++) {
      const Machine& machine = trace_.machines[i];
      if (i > 0) line("machine_", i, "_name = ", quoted_tsdl(machine.name));
      if (machine.boot_id != (i > 0 ? "" : clock_.clock().boot_id))
        line("machine_", i, "_boot_id = ", quoted_tsdl(machine.boot_id));
    }
    for (size_t i = 0; i < trace_.processes.size(); i++) {
      const Process& process = trace_.processes[i];
      if (i > 0) line("process_", i, "_name = ", quoted_tsdl(process.name));
      if (i > 0) line("process_", i, "_pid = ", std::to_string(process.pid));
      if (process.machine != 0) line("process_", i, "_machine = ", std::to_string(process.machine));
    }
    std::string of_stream;
    bool is_one = true;
    for (const Executor& executor : trace_.executors) {
      const bool is_known = executor.process < trace_.processes.size();
      of_stream += (of_stream.empty() ? "" : " ") +
                   (is_known ? std::to_string(executor.process) : std::string("-"));
      is_one = is_one && executor.process == 0;
    }
    if (!is_one) lines += "\tprocess_of_stream = \"" + of_stream + "\";\n";
    return lines;
  }

  static void insert(std::string& text, const std::string& before, const std::string& what) {
    text.insert(text.find(before), what);
  }
  void add(const std::string& prefix, StreamWriter& stream) {
    size_t number = 0;
    for (std::vector<uint8_t>& chunk : stream.finish())
      files_.push_back({.name = prefix + std::to_string(number++), .bytes = std::move(chunk)});
  }

  const Trace& trace_;
  const ctf::Uuid uuid_;
  Omissions omissions_;
  const bool shift_;
  const CtfClock clock_;
  CtfNames names_;
  CtfEvents events_;
  std::vector<CtfFile> files_;
};

}  // namespace

CtfCopy export_ctf(const Trace& trace, const ctf::Uuid& uuid) {
  Exporter exporter(trace, uuid);
  CtfCopy copy;
  copy.ids_are_shifted = exporter.ids_are_shifted();
  copy.files = exporter.files();
  copy.omissions = exporter.take_omissions();
  return copy;
}

}  // namespace skein
