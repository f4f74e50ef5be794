#include "trace/export/perfetto.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "base/escape.h"
#include "trace/ask/waits.h"
#include "trace/export/common_omissions.h"
#include "trace/export/process_numbers.h"
#include "base/protobuf.h"
#include "trace/model/names.h"
#include "trace/read/event_schema.h"

namespace skein {

namespace {

// Field numbers as published by Perfetto. tests/cli/perfetto.proto repeats them for an independent
// reader.
namespace field {
constexpr uint32_t packet = 1;
namespace trace_packet {
constexpr uint32_t clock_snapshot = 6, timestamp = 8, sequence = 10, track_event = 11,
                   sequence_flags = 13, timestamp_clock = 58, track_descriptor = 60;
}
namespace clock_snapshot {
constexpr uint32_t clocks = 1, primary_trace_clock = 2;
constexpr uint32_t clock_id = 1, timestamp = 2;  // of a clock
}  // namespace clock_snapshot
namespace track_descriptor {
constexpr uint32_t uuid = 1, name = 2, process = 3, thread = 4, parent_uuid = 5, counter = 8;
}
namespace process {
constexpr uint32_t pid = 1, process_name = 6;
}
namespace thread {
constexpr uint32_t pid = 1, tid = 2, thread_name = 5;
}
namespace track_event {
constexpr uint32_t debug_annotations = 4, type = 9, track_uuid = 11, categories = 22, name = 23,
                   counter_value = 30, source_location = 33, flow_ids = 47,
                   terminating_flow_ids = 48;
}
namespace source_location {
constexpr uint32_t file_name = 2, function_name = 3, line_number = 4;
}
namespace debug_annotation {
constexpr uint32_t uint_value = 3, string_value = 6, name = 10;
}
}  // namespace field

enum class Type : uint32_t { SliceBegin = 1, SliceEnd = 2, Instant = 3, Counter = 4 };

constexpr uint32_t clock_monotonic = 3, clock_realtime = 1;
constexpr uint64_t our_sequence = 1;
constexpr uint64_t process_track = 1;
constexpr uint64_t executor_tracks = 1'000;
constexpr uint64_t process_tracks = uint64_t{1} << 62;  // for all but the first process
constexpr uint64_t counter_tracks = uint64_t{1} << 32;
constexpr uint64_t task_tracks = uint64_t{1} << 33;
constexpr uint64_t span_tracks = uint64_t{1} << 34;  // + task << span_level_bits + level
constexpr unsigned span_level_bits = 8;

class Perfetto {
 public:
  Perfetto(const Trace& trace, Out& out)
      : trace_(trace),
        out_(out),
        model_(build_model(trace, {.simplify = false})),
        waits_(find_waits(trace, model_)) {}

  Omissions write();

 private:
  struct Slice {
    uint64_t start;
    uint64_t end;
    std::string name;
    std::string_view category;
    uint32_t location = 0;
    uint64_t id = 0;  // of a task; 0: none
    std::string_view reason = {};
  };
  struct Instant {
    uint64_t time;
    std::string name;
    std::string_view category;
    uint64_t flow_out = 0;
    uint64_t flow_in = 0;
  };

  void clock();
  void track(uint64_t uuid, std::string_view name, uint64_t parent);
  void processes();
  void executors();
  void tasks();
  void spans();
  void counters();
  void flows();
  void labels();
  void other_events();

  template <typename Fill>
  void packet(uint64_t time, const Fill& fill);
  void slice_begin(uint64_t track, const Slice& slice);
  void slice_end(uint64_t track, uint64_t time);
  void slices(uint64_t track, std::vector<Slice>& slices);
  void instant(uint64_t track, const Instant& instant);

  std::string name_of(TaskIndex task) const {
    return task == no_index ? std::string("unknown") : task_title(trace_, model_.tasks[task]);
  }
  uint64_t process_track_of(uint64_t executor) const {
    const size_t process = processes_.index(static_cast<uint32_t>(executor));
    return process == 0 ? process_track : process_tracks + process;
  }

  const Trace& trace_;
  const ProcessNumbers processes_{trace_};
  Out& out_;
  const Model model_;
  const Waits waits_;
  Omissions omissions_;
  bool first_ = true;
};

template <typename Fill>
void Perfetto::packet(uint64_t time, const Fill& fill) {
  constexpr uint64_t incremental_state_cleared = 1;
  Message packet(out_.text(), field::packet);
  packet.number(field::trace_packet::timestamp, trace_.info.start + time);
  packet.number(field::trace_packet::timestamp_clock, clock_monotonic);
  packet.number(field::trace_packet::sequence, our_sequence);
  if (first_) packet.number(field::trace_packet::sequence_flags, incremental_state_cleared);
  first_ = false;
  fill(packet);
  packet.done();
  out_.flush_if_full();
}

// Relates the trace's clock, which all times use, to UTC.
void Perfetto::clock() {
  packet(0, [&](Message& packet) {
    Message snapshot(packet, field::trace_packet::clock_snapshot);
    const auto say = [&](uint32_t id, uint64_t time) {
      Message clock(snapshot, field::clock_snapshot::clocks);
      clock.number(field::clock_snapshot::clock_id, id);
      clock.number(field::clock_snapshot::timestamp, time);
      clock.done();
    };
    const uint64_t start = trace_.info.start;
    say(clock_monotonic, start);
    if (trace_.info.utc_offset)
      say(clock_realtime, start + static_cast<uint64_t>(*trace_.info.utc_offset));
    snapshot.number(field::clock_snapshot::primary_trace_clock, clock_monotonic);
    snapshot.done();
  });
}

void Perfetto::track(uint64_t uuid, std::string_view name, uint64_t parent) {
  packet(0, [&](Message& packet) {
    Message track(packet, field::trace_packet::track_descriptor);
    track.number(field::track_descriptor::uuid, uuid);
    track.number(field::track_descriptor::parent_uuid, parent);
    track.text(field::track_descriptor::name, valid_utf8(name));
    track.done();
  });
}

void Perfetto::processes() {
  for (size_t i = 0; i < processes_.size(); i++)
    packet(0, [&](Message& packet) {
      Message track(packet, field::trace_packet::track_descriptor);
      track.number(field::track_descriptor::uuid, i == 0 ? process_track : process_tracks + i);
      Message process(track, field::track_descriptor::process);
      process.number(field::process::pid, processes_[i]);
      const std::string& program = trace_.processes[i].name;
      process.text(field::process::process_name, program.empty() ? "program" : valid_utf8(program));
      process.done();
      track.done();
    });
}

void Perfetto::executors() {
  std::vector<std::vector<Slice>> all(std::max<size_t>(trace_.executors.size(), 1));
  for (const Model::Activation& run : model_.activations)
    all[run.executor].push_back({run.start, run.end, name_of(run.task), "running"});
  const auto interval = [&](const Model::ExecutorInterval& part, const char* what) {
    const std::string_view reason = trace_.strings[part.reason];
    all[part.executor].push_back(
        {part.start, part.end, reason.empty() ? what : what + (": " + std::string(reason)), what});
  };
  for (const Model::ExecutorInterval& sleep : model_.sleeps) interval(sleep, "asleep");
  for (const Model::ExecutorInterval& pause : model_.pauses) interval(pause, "pause");
  for (uint64_t i = 0; i < all.size(); i++) {
    const Executor executor = i < trace_.executors.size() ? trace_.executors[i] : Executor();
    packet(0, [&](Message& packet) {
      Message track(packet, field::trace_packet::track_descriptor);
      track.number(field::track_descriptor::uuid, executor_tracks + i);
      track.number(field::track_descriptor::parent_uuid, process_track_of(i));
      Message thread(track, field::track_descriptor::thread);
      thread.number(field::thread::pid, processes_.of(static_cast<uint32_t>(i)));
      // Two streams of one thread, or threads without a tid, must stay separate.
      const bool is_unique =
          std::count_if(trace_.executors.begin(), trace_.executors.end(),
                        [&](const Executor& e) { return e.tid == executor.tid; }) == 1;
      thread.number(field::thread::tid,
                    executor.tid && is_unique ? executor.tid : (uint64_t{1} << 24) + i);
      thread.text(field::thread::thread_name,
                  valid_utf8(executor_name(trace_, static_cast<uint32_t>(i))));
      thread.done();
      track.done();
    });
    slices(executor_tracks + i, all[i]);
  }
}

// Slices of a track must nest: a slice that crosses an earlier one is cut off at its end.
void Perfetto::slices(uint64_t track, std::vector<Slice>& slices) {
  std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  std::vector<uint64_t> open;
  for (Slice& slice : slices) {
    while (!open.empty() && open.back() <= slice.start) {
      slice_end(track, open.back());
      open.pop_back();
    }
    if (!open.empty() && slice.end > open.back()) {
      slice.end = open.back();
      omissions_.add("ends of slices that cross others on one track");
    }
    slice_begin(track, slice);
    open.push_back(slice.end);
  }
  while (!open.empty()) {
    slice_end(track, open.back());
    open.pop_back();
  }
}

void Perfetto::slice_begin(uint64_t track, const Slice& slice) {
  packet(slice.start, [&](Message& packet) {
    Message event(packet, field::trace_packet::track_event);
    event.number(field::track_event::type, static_cast<uint64_t>(Type::SliceBegin));
    event.number(field::track_event::track_uuid, track);
    event.text(field::track_event::categories, slice.category);
    event.text(field::track_event::name, valid_utf8(slice.name));
    if (slice.location != 0) {
      const Location& at = trace_.locations[slice.location];
      Message location(event, field::track_event::source_location);
      location.text(field::source_location::file_name, valid_utf8(trace_.strings[at.file]));
      location.text(field::source_location::function_name, valid_utf8(trace_.strings[at.function]));
      location.number(field::source_location::line_number, at.line);
      location.done();
    }
    if (slice.id != 0) {
      Message id(event, field::track_event::debug_annotations);
      id.text(field::debug_annotation::name, "task");
      id.number(field::debug_annotation::uint_value, slice.id);
      id.done();
    }
    if (!slice.reason.empty()) {
      Message reason(event, field::track_event::debug_annotations);
      reason.text(field::debug_annotation::name, "reason");
      reason.text(field::debug_annotation::string_value, valid_utf8(slice.reason));
      reason.done();
    }
    event.done();
  });
}

void Perfetto::slice_end(uint64_t track, uint64_t time) {
  packet(time, [&](Message& packet) {
    Message event(packet, field::trace_packet::track_event);
    event.number(field::track_event::type, static_cast<uint64_t>(Type::SliceEnd));
    event.number(field::track_event::track_uuid, track);
    event.done();
  });
}

void Perfetto::instant(uint64_t track, const Instant& instant) {
  packet(instant.time, [&](Message& packet) {
    Message event(packet, field::trace_packet::track_event);
    event.number(field::track_event::type, static_cast<uint64_t>(Type::Instant));
    event.number(field::track_event::track_uuid, track);
    event.text(field::track_event::categories, instant.category);
    event.text(field::track_event::name, valid_utf8(instant.name));
    if (instant.flow_out) event.fixed(field::track_event::flow_ids, instant.flow_out);
    if (instant.flow_in) event.fixed(field::track_event::terminating_flow_ids, instant.flow_in);
    event.done();
  });
}

void Perfetto::tasks() {
  static constexpr std::array<std::string_view, 6> ends = {
      "not ended", "resolved", "failed", "cancelled", "became another", "end overwritten"};
  const size_t count = model_.tasks.size();
  std::vector<std::vector<Slice>> inner(count);
  const auto inside = [&](TaskIndex task, uint64_t start, uint64_t end, std::string name,
                          std::string_view category, uint32_t location = 0) {
    if (task == no_index) return;
    const Model::Task& of = model_.tasks[task];
    start = std::max(start, of.start);
    end = std::min(end, of.end);
    if (start < end) inner[task].push_back({start, end, std::move(name), category, location});
  };
  for (const Model::Activation& run : model_.activations)
    inside(run.task, run.start, run.end, "running", "running");
  for (const Waits::Wait& wait : waits_.waits) {
    const uint64_t end = wait.is_open() ? model_.end : wait.end;
    const uint64_t ready = std::min(wait.ready, end);
    inside(wait.task, wait.begin, ready,
           wait.on == no_index ? "waiting" : "waiting for " + name_of(wait.on), "waiting",
           wait.location);
    inside(wait.task, ready, end, "ready", "ready");
  }
  for (TaskIndex i = 0; i < count; i++) {
    const Model::Task& task = model_.tasks[i];
    track(task_tracks + i, name_of(i), executor_tracks + task.executor);
    Slice life{.start = task.start,
               .end = task.end,
               .name = name_of(i),
               .category = ends[static_cast<size_t>(task.how)],
               .location = task.location,
               .id = task.id,
               .reason = trace_.strings[task.reason]};
    inner[i].insert(inner[i].begin(), std::move(life));
    slices(task_tracks + i, inner[i]);
    std::vector<Slice>().swap(inner[i]);
  }
}

// Puts each span on the first track of its task that is free.
void Perfetto::spans() {
  std::vector<std::vector<uint64_t>> busy(model_.tasks.size() + 1);
  for (const Model::Span& span : model_.spans) {
    std::vector<uint64_t>& levels = busy[span.task == no_index ? model_.tasks.size() : span.task];
    size_t level = 0;
    while (level < levels.size() && levels[level] > span.start) level++;
    if (level >= size_t{1} << span_level_bits) {
      omissions_.add("spans that overlap with too many others");
      continue;
    }
    const uint64_t of = span.task == no_index ? model_.tasks.size() : span.task;
    const uint64_t uuid = span_tracks + (of << span_level_bits) + level;
    if (level == levels.size()) {
      levels.push_back(0);
      track(uuid, "spans", span.task == no_index ? process_track : task_tracks + span.task);
    }
    levels[level] = span.end;
    slice_begin(uuid, {.start = span.start,
                       .end = span.end,
                       .name = std::string(trace_.strings[span.name]),
                       .category = "span"});
    slice_end(uuid, span.end);
  }
}

void Perfetto::counters() {
  for (uint64_t i = 0; i < model_.counters.size(); i++) {
    const Model::Counter& counter = model_.counters[i];
    const uint64_t uuid = counter_tracks + i;
    packet(0, [&](Message& packet) {
      Message track(packet, field::trace_packet::track_descriptor);
      track.number(field::track_descriptor::uuid, uuid);
      track.number(field::track_descriptor::parent_uuid, process_track);
      track.text(field::track_descriptor::name, valid_utf8(trace_.strings[counter.name]));
      Message kind(track, field::track_descriptor::counter);
      kind.done();
      track.done();
    });
    for (const Model::Counter::Point& point : counter.points)
      packet(point.time, [&](Message& packet) {
        Message event(packet, field::trace_packet::track_event);
        event.number(field::track_event::type, static_cast<uint64_t>(Type::Counter));
        event.number(field::track_event::track_uuid, uuid);
        event.number(field::track_event::counter_value, static_cast<uint64_t>(point.value));
        event.done();
      });
  }
  std::vector<uint32_t> shared(model_.scales.size());
  for (const Model::Counter& counter : model_.counters)
    if (++shared[counter.scale] == 2) omissions_.add("scales that counters share");
}

void Perfetto::flows() {
  static constexpr std::array<std::string_view, 6> names = {
      "read", "read of a failure", "resolve", "notify", "await", "message"};
  for (uint64_t i = 0; i < model_.interactions.size(); i++) {
    const Model::Interaction& arrow = model_.interactions[i];
    const std::string name(names[static_cast<size_t>(arrow.link)]);
    if (arrow.from == no_index || arrow.to == no_index) {
      omissions_.add("messages to or from elsewhere");
      continue;
    }
    instant(task_tracks + arrow.from,
            {.time = arrow.from_time, .name = name, .category = "interaction", .flow_out = i + 1});
    instant(task_tracks + arrow.to,
            {.time = arrow.to_time, .name = name, .category = "interaction", .flow_in = i + 1});
  }
}

void Perfetto::labels() {
  for (const Model::Label& label : model_.labels)
    instant(
        task_tracks + label.task,
        {.time = label.time, .name = std::string(trace_.strings[label.text]), .category = "label"});
}

// Whether the slices, labels, counters or flows of the model show events of this kind.
bool is_drawn(const EventSchema& schema) {
  using K = EventKind;
  constexpr std::array drawn = {
      K::Await, K::Ready, K::TryRead, K::Notify,  K::SpanBegin,  K::SpanEnd,   K::Idle,
      K::Wake,  K::Pause, K::Send,    K::Receive, K::ScopeEnter, K::ScopeExit, K::ScopeCancel};
  return schema.effect != Effect::None || schema.text == TextRole::Label ||
         schema.text == TextRole::Counter ||
         std::find(drawn.begin(), drawn.end(), schema.kind) != drawn.end();
}

// Exports all other events as instants on the track of their task; omits kinds without a task.
void Perfetto::other_events() {
  trace_.events.for_each([this](const EventRow& row) {
    const EventSchema& schema = event_schema(row.kind);
    if (is_drawn(schema)) return;
    // Stacks belong in a profile, which this does not write.
    if (schema.task == IdRole::None || schema.value.role == ValueRole::Stack) {
      omissions_.add("events of kind " + std::string(schema.name));
      return;
    }
    const auto find = [&](TaskId id) { return id == no_task ? no_index : model_.find(id); };
    const TaskIndex task = find(row.task);
    const TaskIndex other = schema.other.role == IdRole::Peer ? no_index : find(row.other);
    std::string text(schema.name);
    if (other != no_index) text += " " + name_of(other);
    instant(task == no_index ? executor_tracks + row.executor : task_tracks + task,
            {.time = row.time, .name = std::move(text), .category = schema.name});
  });
}

Omissions Perfetto::write() {
  clock();
  processes();
  executors();
  tasks();
  spans();
  counters();
  flows();
  labels();
  other_events();
  add_omitted_tables(trace_, omissions_);
  const auto has_column = [](const Location& at) { return at.column != 0; };
  const auto columns = std::count_if(trace_.locations.begin(), trace_.locations.end(), has_column);
  omissions_.add("column numbers", static_cast<uint64_t>(columns));
  add_damaged_texts(trace_, omissions_);
  omissions_.add("records of losses", trace_.losses.size());
  return omissions_;
}

}  // namespace

Omissions export_perfetto(const Trace& trace, Out& out) { return Perfetto(trace, out).write(); }

}  // namespace skein
