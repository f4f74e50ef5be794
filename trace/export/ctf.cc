#include "trace/export/ctf.h"

#include <skein/metadata.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include "trace/read/ctf/writer.h"

namespace skein {

namespace {

using ctf::StreamWriter;
constexpr size_t chunk_size = size_t{1} << 20;

class Exporter {
 public:
  Exporter(const Trace& trace, const ctf::Uuid& uuid)
      : trace_(trace),
        uuid_(uuid),
        names_({.uuid = uuid_,
                .stream = format::kNamesStream,
                .chunk_size = chunk_size,
                .flags = format::kFlagNames | format::kFlagLog}) {
    const Events& events = trace.events;
    for (size_t i = 0; i < events.size() && !shift_; i++)
      shift_ = events.task[i] == 0 || (events.other[i] == 0 && events.kind[i] == EventKind::Create);
    for (size_t i = 0; i < std::max<size_t>(trace.executors.size(), 1); i++)
      streams_.emplace_back(StreamWriter(
          {.uuid = uuid_, .stream = i, .chunk_size = chunk_size, .flags = format::kFlagLog}));
    for (size_t i = 0; i < trace.executors.size(); i++) {
      const Executor& executor = trace.executors[i];
      streams_[i].tid = static_cast<uint32_t>(executor.tid);
      if (executor.name) names_text(format::k_thread_name, executor.tid, executor.name);
    }
  }

  bool ids_are_shifted() const { return shift_; }

  std::vector<CtfFile> files() {
    for (size_t i = 0; i < trace_.events.size(); i++) put(trace_.events.row(i));
    for (StringId id = 1; id < trace_.strings.size(); id++)
      names_.fixed(format::k_string, 0).u32(id).text(trace_.strings[id]).done();
    for (const Module& module : trace_.modules)
      names_.fixed(format::k_module, 0)
          .u64(module.base)
          .u64(module.size)
          .text(trace_.strings[module.build_id])
          .text(trace_.strings[module.path])
          .done();
    add_metadata();
    add("names-", names_);
    for (size_t i = 0; i < streams_.size(); i++) {
      char prefix[32];
      std::snprintf(prefix, sizeof prefix, "s%05zu-", i);
      add(prefix, streams_[i]);
    }
    return std::move(files_);
  }

 private:
  // Our 0 is nobody.
  uint64_t id(TaskId task) const { return task == no_task ? 0 : task + shift_; }

  void names_text(format::EventId event, uint64_t number, StringId text) {
    names_.fixed(event, 0).u64(number).text(trace_.strings[text]).done();
  }

  uint8_t kind_of(uint64_t value) const {
    if (value >= trace_.kinds.size()) return format::kKind_unknown;
    for (const format::NamedNumber& kind : format::kKinds)
      if (trace_.strings[trace_.kinds[value]] == kind.name) return kind.number;
    return format::kKind_unknown;
  }

  // A kind that our format has no number for becomes the name.
  uint32_t place(uint32_t location, uint64_t kind_value, StringId name, bool has_kind) {
    const uint8_t kind = has_kind ? kind_of(kind_value) : uint8_t{format::kKind_unknown};
    if (has_kind && kind == format::kKind_unknown && name == 0 && kind_value < trace_.kinds.size())
      name = trace_.kinds[kind_value];
    if (location == 0 && kind == 0 && name == 0) return 0;
    const auto [found, added] = places_.try_emplace(std::array<uint32_t, 3>{location, kind, name},
                                                    static_cast<uint32_t>(places_.size() + 1));
    if (added) {
      const Location& at = trace_.locations[location];
      names_.fixed(format::k_place, 0)
          .u32(found->second)
          .u8(kind)
          .u32(name)
          .u32(at.file)
          .u32(at.function)
          .u32(at.line)
          .u32(at.column)
          .done();
    }
    return found->second;
  }

  static uint64_t number_of(const auto& names, std::string_view name) {
    for (const format::NamedNumber& entry : names)
      if (entry.name == name) return entry.number;
    return 0;
  }

  // Has its event of ours an argument for a place? Of all others an event `at` says it.
  static bool has_place(EventKind kind) {
    using K = EventKind;
    return kind == K::Create || kind == K::Suspend || kind == K::Ready || kind == K::Resource ||
           kind == K::ScopeEnter;
  }

  void be_current(StreamWriter& stream, uint64_t time, uint64_t task) {
    if (stream.current_task == task) return;
    stream.event(format::k_switch_to, time, task);
    stream.current_task = task;
  }

  void put(const EventRow& row) {
    StreamWriter& stream = streams_[row.executor < streams_.size() ? row.executor : 0];
    const uint64_t time = row.time;
    const uint64_t task = id(row.task);
    const uint64_t other = id(row.other);
    const auto by_task = [&] { be_current(stream, time, task); };
    const auto by_other = [&] { be_current(stream, time, other); };
    const uint32_t said_at = has_place(row.kind) ? 0 : place(row.location, 0, 0, false);
    const auto event = [&](format::EventId first, uint64_t a, uint64_t b = 0) {
      stream.next_at = said_at;
      stream.event(first, time, a, b);
    };
    const auto fixed = [&](format::EventId id) {
      stream.next_at = said_at;
      return stream.fixed(id, time);
    };
    const auto ends = [&] {
      if (stream.current_task == task) stream.current_task = 0;
    };
    switch (row.kind) {
      case EventKind::Create: {
        const uint32_t at = place(row.location, row.value, row.text, true);
        if (other == stream.current_task)
          event(format::k_create, task, at);
        else
          fixed(format::k_create_under).u64(other).u64(task).u32(at).done();
        break;
      }
      case EventKind::Resume:
        event(format::k_resume_by, task, other);
        stream.current_task = task;
        break;
      case EventKind::SwitchTo:
        event(format::k_switch_to, task);
        stream.current_task = task;
        break;
      case EventKind::Suspend:
        by_task();
        event(format::k_suspend, other, place(row.location, 0, 0, false));
        stream.current_task = 0;
        break;
      case EventKind::Await:
      case EventKind::TryRead:
        event(format::k_await, task, other);
        break;
      case EventKind::Ready:
        by_task();
        event(format::k_ready, other, place(row.location, 0, 0, false));
        break;
      case EventKind::Resolve:
        by_other();
        event(format::k_resolve, task);
        ends();
        break;
      case EventKind::Fail:
        by_other();
        event(format::k_fail, task, row.text);
        ends();
        break;
      case EventKind::Cancel:
        by_other();
        event(format::k_cancel, task);
        ends();
        break;
      case EventKind::Become:
        event(format::k_become, task, other);
        ends();
        break;
      case EventKind::Notify:
        by_other();
        event(format::k_notify, task, row.value);
        if (row.flags & flag::makes_current) be_current(stream, time, task);
        break;
      case EventKind::Acquire:
      case EventKind::Release:
        event(row.kind == EventKind::Acquire ? format::k_acquire : format::k_release, other, task);
        break;
      case EventKind::Label:
        event(format::k_label, task, row.text);
        break;
      case EventKind::ShouldResolve:
        event(format::k_should_resolve, task);
        break;
      case EventKind::CounterAdd:
      case EventKind::CounterSet:
        by_task();
        event(row.kind == EventKind::CounterAdd ? format::k_counter_add : format::k_counter_set,
              row.text, row.value);
        break;
      case EventKind::SpanBegin:
        by_task();
        event(format::k_span_begin, row.value, row.text);
        break;
      case EventKind::SpanEnd:
        by_task();
        event(format::k_span_end, row.value);
        break;
      case EventKind::Idle:
      case EventKind::Wake:
        event(row.kind == EventKind::Idle ? format::k_idle : format::k_wake, row.text);
        break;
      case EventKind::Pause:
        event(format::k_pause, number_of(format::kPauses, trace_.strings[row.text]), row.value);
        break;
      case EventKind::Send:
      case EventKind::Receive:
        by_task();
        fixed(row.kind == EventKind::Send ? format::k_send : format::k_receive)
            .u64(row.value)
            .u64(row.other)
            .done();
        break;
      case EventKind::Clock: {
        const std::string domain(trace_.strings[row.text]);  // "domain 1"
        fixed(format::k_clock)
            .u32(static_cast<uint32_t>(std::strtoul(&domain[domain.rfind(' ') + 1], nullptr, 10)))
            .u64(row.value)
            .u64(row.other)
            .done();
        break;
      }
      case EventKind::Sample:
        by_task();
        event(format::k_sample, row.value);
        break;
      case EventKind::ExecutorBegin:
        event(format::k_executor, row.value, row.text);
        break;
      case EventKind::ExecutorEnd:
        event(format::k_executor_end, row.value);
        break;
      case EventKind::Resource:
        by_task();
        event(format::k_resource, other, place(row.location, row.value, row.text, true));
        break;
      case EventKind::Capacity:
        event(format::k_capacity, other, row.value);
        break;
      case EventKind::ScopeEnter:
        by_task();
        event(format::k_scope_enter, other, place(row.location, 0, row.text, false));
        break;
      case EventKind::ScopeExit:
        by_task();
        event(format::k_scope_exit, other);
        break;
      case EventKind::ScopeCancel:
        by_task();
        event(format::k_scope_cancel, other);
        break;
      case EventKind::ScopeMember:
        event(format::k_scope_member, other, task);
        break;
      case EventKind::Io:
        by_task();
        event(format::k_io, other, row.value);
        break;
      case EventKind::Lost:
        event(format::k_lost, row.value, number_of(format::kLosses, trace_.strings[row.text]));
        break;
    }
    if (row.flags & flag::makes_current && row.kind != EventKind::Notify)
      stream.current_task = task;
  }

  void add_metadata() {
    constexpr int64_t second = 1'000'000'000;
    const Facts& facts = trace_.facts;
    const int64_t utc = static_cast<int64_t>(facts.start) + facts.utc_offset.value_or(0);
    const int64_t rest = (utc % second + second) % second;
    format::MetadataFacts said{.uuid = {},
                               .clock = "nanoseconds",
                               .frequency = second,
                               .offset_s = (utc - rest) / second,
                               .offset = static_cast<uint64_t>(rest),
                               .precision = 1,
                               .hostname = facts.host.c_str(),
                               .boot_id = "",
                               .procname = facts.program.c_str(),
                               .pid = facts.pid,
                               .mode = "log"};
    std::copy(uuid_.begin(), uuid_.end(), said.uuid);
    std::string text;
    format::write_metadata(said, [&](const char* from, size_t size) { text.append(from, size); });
    files_.push_back({.name = "metadata", .bytes = {text.begin(), text.end()}});
  }

  void add(const std::string& prefix, StreamWriter& stream) {
    size_t number = 0;
    for (std::vector<uint8_t>& chunk : stream.finish()) {
      uint64_t bits = 0;
      std::memcpy(&bits, chunk.data() + offsetof(format::PacketHeader, content_size), 8);
      std::memcpy(chunk.data() + offsetof(format::PacketHeader, packet_size), &bits, 8);
      chunk.resize(static_cast<size_t>(bits / 8));
      files_.push_back({.name = prefix + std::to_string(number++), .bytes = std::move(chunk)});
    }
  }

  const Trace& trace_;
  ctf::Uuid uuid_;
  bool shift_ = false;
  StreamWriter names_;
  std::vector<StreamWriter> streams_;
  std::map<std::array<uint32_t, 3>, uint32_t> places_;
  std::vector<CtfFile> files_;
};

}  // namespace

CtfCopy export_ctf(const Trace& trace, const ctf::Uuid& uuid) {
  Exporter exporter(trace, uuid);
  CtfCopy copy;
  copy.ids_are_shifted = exporter.ids_are_shifted();
  copy.files = exporter.files();
  return copy;
}

}  // namespace skein
