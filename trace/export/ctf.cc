#include "trace/export/ctf.h"

#include <skein/metadata.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "trace/read/ctf/task_table.h"
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
    for (const Alive& alive : trace.alive) {
      shift_ = shift_ || alive.id == 0;
      if (alive.state == Alive::State::Resource) resources_.insert(alive.id);
    }
    number_texts();
    find_clock();
    const size_t ring = find_ring();
    for (size_t i = 0; i < std::max<size_t>(trace.executors.size(), 1); i++) {
      const uint64_t overwritten = i == ring ? trace.facts.overwritten_packets : 0;
      streams_.emplace_back(
          StreamWriter({.uuid = uuid_,
                        .stream = i,
                        .chunk_size = chunk_size,
                        .flags = overwritten != 0 ? 0 : uint32_t{format::kFlagLog},
                        .first_sequence = overwritten}));
    }
    for (size_t i = 0; i < trace.executors.size(); i++) {
      const Executor& executor = trace.executors[i];
      streams_[i].tid = static_cast<uint32_t>(executor.tid);
      if (executor.name) names_text(format::k_thread_name, executor.tid, executor.name);
    }
    // A stream without an event would be no executor of the copy; the first begins at time 0.
    for (size_t i = 0; i < streams_.size(); i++)
      streams_[i].event(format::k_extra, base_ + (i == ring ? trace.facts.complete_from : 0),
                        static_cast<uint64_t>(format::ExtraField::kCurrent), 0);
  }

  LeftOut take_left_out() { return std::move(left_out_); }
  bool ids_are_shifted() const { return shift_; }

  std::vector<CtfFile> files() {
    for (size_t i = 0; i < trace_.events.size(); i++) put(trace_.events.row(i));
    add_tasks();
    for (StringId id = 1; id < trace_.strings.size(); id++) {
      const std::string_view text = trace_.strings[id];
      names_.fixed(format::k_string, 0).u32(texts_[id]).text(text).done();
      if (text.size() > format::kMaxText || text.find('\0') != std::string_view::npos)
        left_out_.add("ends of texts that are longer than 512 bytes or have a zero byte");
    }
    for (const Module& module : trace_.modules)
      names_.fixed(format::k_module, 0)
          .u64(module.base)
          .u64(module.size)
          .text(trace_.strings[module.build_id])
          .text(trace_.strings[module.path])
          .done();
    add_metadata();
    left_out_.add("pairs of clocks", definitions("clock_pair"));
    add("names-", names_);
    for (size_t i = 0; i < streams_.size(); i++) {
      char prefix[32];
      std::snprintf(prefix, sizeof prefix, "s%05zu-", i);
      add(prefix, streams_[i]);
    }
    return std::move(files_);
  }

 private:
  // Ticks are the trace's own clock, as far as a reader can count.
  void find_clock() {
    const Events& events = trace_.events;
    const uint64_t last = events.empty() ? 0 : events.time[events.size() - 1];
    const bool fits = last <= INT64_MAX && trace_.facts.start <= INT64_MAX - last;
    base_ = fits ? trace_.facts.start : 0;
    if (!fits) left_out_.add("the beginning of the trace by its own clock");
  }

  // Which stream says that a ring has overwritten what was before: one of which everything is there
  // lies behind that moment.
  size_t find_ring() {
    const Facts& facts = trace_.facts;
    constexpr size_t none = SIZE_MAX;
    if (facts.overwritten_packets == 0) return none;
    const size_t count = std::max<size_t>(trace_.executors.size(), 1);
    std::vector<bool> is_early(count);
    const Events& events = trace_.events;
    for (size_t i = 0; i < events.size() && events.time[i] < facts.complete_from; i++)
      if (events.executor[i] < count) is_early[events.executor[i]] = true;
    const auto found = std::find(is_early.begin(), is_early.end(), false);
    if (found != is_early.end()) return static_cast<size_t>(found - is_early.begin());
    left_out_.add("packets that the ring had overwritten", facts.overwritten_packets);
    left_out_.add("entries of the table of live tasks", trace_.alive.size());
    return none;
  }

  uint64_t definitions(std::string_view name) const {
    for (const auto& [what, count] : trace_.facts.definitions)
      if (what == name) return count;
    return 0;
  }

  // Our 0 is nobody.
  uint64_t id(TaskId task) const { return task == no_task ? 0 : task + shift_; }

  void names_text(format::EventId event, uint64_t number, StringId text) {
    names_.fixed(event, 0).u64(number).text(trace_.strings[text]).done();
  }

  // Texts get numbers; kinds that our format has no number for get one by that of their text.
  void number_texts() {
    texts_.resize(trace_.strings.size());
    uint32_t number = 0;
    for (const StringId kind : trace_.kinds)
      if (number <= UINT8_MAX - format::kFirstOwnKind && texts_[kind] == 0 &&
          number_of(format::kKinds, trace_.strings[kind]) == 0 && !is_unknown(kind))
        texts_[kind] = ++number;
    own_kinds_ = number;
    for (StringId id = 1; id < texts_.size(); id++)
      if (texts_[id] == 0) texts_[id] = ++number;
  }

  bool is_unknown(StringId kind) const { return trace_.strings[kind] == format::kKinds[0].name; }

  uint8_t kind_of(uint64_t value) {
    if (value >= trace_.kinds.size()) return format::kKind_unknown;
    const StringId kind = trace_.kinds[value];
    if (const auto number = number_of(format::kKinds, trace_.strings[kind]))
      return static_cast<uint8_t>(number);
    if (kind == 0 || is_unknown(kind)) return format::kKind_unknown;
    if (texts_[kind] <= own_kinds_)
      return static_cast<uint8_t>(format::kFirstOwnKind + texts_[kind] - 1);
    left_out_.add("kinds of tasks beyond 192 of its own");
    return format::kKind_unknown;
  }

  uint32_t place(uint32_t location, uint64_t kind_value, StringId name, bool has_kind) {
    const uint8_t kind = has_kind ? kind_of(kind_value) : uint8_t{format::kKind_unknown};
    if (location == 0 && kind == 0 && name == 0) return 0;
    const auto [found, added] = places_.try_emplace(std::array<uint32_t, 3>{location, kind, name},
                                                    static_cast<uint32_t>(places_.size() + 1));
    if (added) {
      const Location& at = trace_.locations[location];
      names_.fixed(format::k_place, 0)
          .u32(found->second)
          .u8(kind)
          .u32(texts_[name])
          .u32(texts_[at.file])
          .u32(texts_[at.function])
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

  // What a reader makes of it without being told more: where an event of ours has no argument for
  // it, that is nothing, or what it knows from events before.
  struct Implied {
    std::string_view text;
    uint64_t value = 0;
  };
  Implied implied(const EventRow& row) {
    const auto named = [&](const auto& names) {
      for (const format::NamedNumber& entry : names)
        if (trace_.strings[row.text] == entry.name) return trace_.strings[row.text];
      return std::string_view("unknown");
    };
    switch (row.kind) {
      case EventKind::Create:
      case EventKind::Resource:
      case EventKind::Notify:
      case EventKind::CounterAdd:
      case EventKind::CounterSet:
      case EventKind::ExecutorBegin:
        if (row.kind == EventKind::Resource) resources_.insert(row.other);
        if (row.kind != EventKind::Notify) return {trace_.strings[row.text], row.value};
        return {{}, row.value};
      case EventKind::SpanBegin:
        spans_[row.value] = row.text;
        return {trace_.strings[row.text], row.value};
      case EventKind::SpanEnd: {
        const auto span = spans_.extract(row.value);
        return {span ? trace_.strings[span.mapped()] : std::string_view(), row.value};
      }
      case EventKind::Fail:
      case EventKind::Label:
      case EventKind::Idle:
      case EventKind::Wake:
      case EventKind::ScopeEnter:
        return {trace_.strings[row.text], 0};
      case EventKind::Suspend:
      case EventKind::Await:
        return {{}, resources_.contains(row.other)};
      case EventKind::Acquire:
      case EventKind::Release:
        resources_.insert(row.other);
        return {};
      case EventKind::Capacity:
        resources_.insert(row.other);
        return {{}, row.value};
      case EventKind::Pause:
        return {named(format::kPauses), row.value};
      case EventKind::Lost:
        return {named(format::kLosses), row.value};
      case EventKind::Clock:
        domain_ = "domain " + std::to_string(domain_of(row));
        return {domain_, row.value};
      case EventKind::Send:
      case EventKind::Receive:
      case EventKind::Sample:
      case EventKind::ExecutorEnd:
      case EventKind::Io:
        return {{}, row.value};
      default:
        return {};
    }
  }

  uint32_t domain_of(const EventRow& row) const {
    const std::string domain(trace_.strings[row.text]);  // "domain 1"
    return static_cast<uint32_t>(std::strtoul(&domain[domain.rfind(' ') + 1], nullptr, 10));
  }

  void be_current(StreamWriter& stream, uint64_t time, uint64_t task) {
    if (stream.current_task == task) return;
    stream.event(format::k_extra, time, static_cast<uint64_t>(format::ExtraField::kCurrent), task);
    stream.current_task = task;
  }

  void say_also(StreamWriter& stream, const EventRow& row) {
    constexpr uint32_t no_text = UINT32_MAX;  // nothing has this number
    const Implied known = implied(row);
    using format::ExtraField;
    if (trace_.strings[row.text] != known.text)
      stream.next_extra(ExtraField::kText, row.text != 0 ? texts_[row.text] : no_text);
    if (row.value != known.value) stream.next_extra(ExtraField::kValue, row.value);
    if (row.flags != 0) stream.next_extra(ExtraField::kFlags, row.flags);
  }

  void put(const EventRow& row) {
    StreamWriter& stream = streams_[row.executor < streams_.size() ? row.executor : 0];
    const uint64_t time = base_ + row.time;
    const uint64_t task = id(row.task);
    const uint64_t other = id(row.other);
    const uint32_t text = texts_[row.text];
    const auto by_task = [&] { be_current(stream, time, task); };
    const auto by_other = [&] { be_current(stream, time, other); };
    const uint32_t said_at = has_place(row.kind) ? 0 : place(row.location, 0, 0, false);
    const auto by_task_if_none = [&] {  // 0 as an argument is who is current
      if (task == 0) be_current(stream, time, 0);
    };
    const auto event = [&](format::EventId first, uint64_t a, uint64_t b = 0) {
      stream.next_at = said_at;
      say_also(stream, row);
      stream.event(first, time, a, b);
    };
    const auto fixed = [&](format::EventId id) {
      stream.next_at = said_at;
      say_also(stream, row);
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
        event(row.kind == EventKind::Await ? format::k_await : format::k_try_read, task, other);
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
        event(format::k_fail, task, text);
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
        break;
      case EventKind::Acquire:
      case EventKind::Release:
        by_task_if_none();
        event(row.kind == EventKind::Acquire ? format::k_acquire : format::k_release, other, task);
        break;
      case EventKind::Label:
        by_task_if_none();
        event(format::k_label, task, text);
        break;
      case EventKind::ShouldResolve:
        by_task_if_none();
        event(format::k_should_resolve, task);
        break;
      case EventKind::CounterAdd:
      case EventKind::CounterSet:
        by_task();
        event(row.kind == EventKind::CounterAdd ? format::k_counter_add : format::k_counter_set,
              text, row.value);
        break;
      case EventKind::SpanBegin:
        by_task();
        event(format::k_span_begin, row.value, text);
        break;
      case EventKind::SpanEnd:
        by_task();
        event(format::k_span_end, row.value);
        break;
      case EventKind::Idle:
      case EventKind::Wake:
        event(row.kind == EventKind::Idle ? format::k_idle : format::k_wake, text);
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
      case EventKind::Clock:
        fixed(format::k_clock).u32(domain_of(row)).u64(row.value).u64(row.other).done();
        break;
      case EventKind::Sample:
        by_task();
        event(format::k_sample, row.value);
        break;
      case EventKind::ExecutorBegin:
        event(format::k_executor, row.value, text);
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
        by_task_if_none();
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
  }

  // The live tasks of a ring, most of whose events it may have overwritten.
  void add_tasks() {
    if (trace_.alive.empty() || find_ring() == SIZE_MAX) return;
    ctf::TaskTable table;
    table.pid = trace_.facts.pid;
    table.start = base_;
    table.ring_bytes = chunk_size;
    for (const Alive& alive : trace_.alive) {
      using State = format::TaskState;
      static constexpr std::array<State, 4> states = {State::kCreated, State::kRunning,
                                                      State::kSuspended, State::kResource};
      const auto since = static_cast<int64_t>(base_) + alive.since;
      const bool has_executor = alive.executor < trace_.executors.size();
      const uint64_t tid = has_executor ? trace_.executors[alive.executor].tid : 0;
      table.tasks.push_back({.id = id(alive.id),
                             .parent = id(alive.parent),
                             .on = id(alive.on),
                             .since = static_cast<uint64_t>(std::max<int64_t>(since, 0)),
                             .place = place(alive.location, alive.kind, alive.name, true),
                             .at = place(alive.at, 0, 0, false),
                             .label = texts_[alive.label],
                             .tid = static_cast<uint32_t>(tid),
                             .state = states[static_cast<size_t>(alive.state)],
                             .should_resolve = alive.should_resolve});
    }
    files_.push_back({.name = ".tasks", .bytes = encode(table)});
  }

  void add_metadata() {
    constexpr int64_t second = 1'000'000'000;
    const Facts& facts = trace_.facts;
    const auto start = static_cast<int64_t>(facts.start - base_);
    const int64_t utc = start + facts.utc_offset.value_or(0);
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
                               .mode = facts.overwritten_packets != 0 ? "ring" : "log"};
    std::copy(uuid_.begin(), uuid_.end(), said.uuid);
    std::string text;
    format::write_metadata(said, [&](const char* from, size_t size) { text.append(from, size); });
    if (facts.format != "skein")
      insert(text, "\tclock_source = ", "\torigin = " + quoted(facts.format) + ";\n");
    std::string kinds;
    for (const StringId kind : trace_.kinds)
      if (kind != 0 && texts_[kind] <= own_kinds_)
        kinds += ", " + quoted(trace_.strings[kind]) + " = " +
                 std::to_string(format::kFirstOwnKind + texts_[kind] - 1);
    text.insert(text.find(" }", text.find("enum task_kind")), kinds);
    if (!facts.utc_offset) {  // what is not said is 0, for stock readers
      const size_t offset = text.find("\toffset_s = ");
      text.erase(offset, text.find("\tabsolute = ") - offset);
      text.replace(text.find("TRUE", offset), 4, "FALSE");
    }
    files_.push_back({.name = "metadata", .bytes = {text.begin(), text.end()}});
  }

  static void insert(std::string& text, const std::string& before, const std::string& what) {
    text.insert(text.find(before), what);
  }
  // A text of TSDL has no control characters.
  static std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') result += '\\';
      result += c >= 0 && c < ' ' ? ' ' : c;
    }
    return result + '"';
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
  uint64_t base_ = 0;  // ticks of time 0
  LeftOut left_out_;
  std::unordered_set<TaskId> resources_;          // as its reader knows them by now
  std::unordered_map<uint64_t, StringId> spans_;  // likewise, the open ones
  std::string domain_;
  std::vector<uint32_t> texts_;  // the numbers of the trace's, in the copy
  uint32_t own_kinds_ = 0;       // up to this they are kinds
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
  copy.left_out = exporter.take_left_out();
  return copy;
}

}  // namespace skein
