// Exports to FXT, Chrome JSON and CTF preserve every event.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "trace/ask/random_events_trace.h"
#include "trace/ask/random_program.h"
#include "trace/export/chrome.h"
#include "trace/export/ctf.h"
#include "trace/export/fxt.h"
#include "trace/export/process_numbers.h"
#include "trace/model/model.h"
#include "trace/read/ctf/directory.h"
#include "trace/read/ctf/tick_scale.h"
#include "trace/read/event_schema.h"
#include "trace/read/event_value.h"
#include "trace/read/foreign/chrome/chrome.h"
#include "trace/read/foreign/fxt/fxt.h"

using namespace skein;

namespace {

std::vector<uint8_t> bytes_of(const Trace& trace, Omissions (*write)(const Trace&, Out&)) {
  std::vector<uint8_t> bytes;
  Out out([&](std::string_view piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
    return true;
  });
  write(trace, out);
  REQUIRE(out.finish());
  return bytes;
}

// The event with texts instead of string ids, which differ between traces.
std::string line(const Trace& trace, const EventRow& e) {
  const ValueRole role = event_schema(e.kind).value.role;
  const bool has_kind = role == ValueRole::Kind;
  const uint64_t value =
      is_number(role) ? value_number(trace, e.kind, e.value).value_or(e.value) : e.value;
  const Location& at = trace.locations[e.location];
  std::string text = std::to_string(e.time) + " " + std::string(name(e.kind));
  for (const uint64_t number : {e.task, e.other, has_kind ? 0 : value, uint64_t{e.executor},
                                uint64_t{e.flags}, uint64_t{at.line}, uint64_t{at.column}})
    text += " " + std::to_string(number);
  for (const StringId id : {e.text, at.file, at.function, has_kind ? trace.kinds[e.value] : 0})
    text += " '" + std::string(trace.strings[id]) + "'";
  if (role == ValueRole::ClockReading) {
    const ClockReading reading = clock_reading(trace, e.value);
    text += " domain " + std::to_string(reading.domain) + " " + std::to_string(reading.bracket);
  }
  return text;
}

std::vector<std::string> lines(const Trace& trace) {
  std::vector<std::string> all;
  trace.events.for_each([&](const EventRow& row) { all.push_back(line(trace, row)); });
  return all;
}

void require_same(const Trace& went_out, const Trace& came_back) {
  REQUIRE(came_back.losses.empty());
  REQUIRE(lines(went_out) == lines(came_back));
  REQUIRE(came_back.info.format == went_out.info.format);
  REQUIRE(came_back.info.start == went_out.info.start);
  REQUIRE(came_back.machines == went_out.machines);
  REQUIRE(came_back.processes == went_out.processes);
  REQUIRE(came_back.info.utc_offset == went_out.info.utc_offset);
  REQUIRE(came_back.executors.size() == went_out.executors.size());
  for (size_t i = 0; i < went_out.executors.size(); i++) {
    REQUIRE(came_back.executors[i].process == went_out.executors[i].process);
    REQUIRE(came_back.executors[i].tid == went_out.executors[i].tid);
    REQUIRE(came_back.strings[came_back.executors[i].name] ==
            went_out.strings[went_out.executors[i].name]);
  }
  const Model a = build_model(went_out);
  const Model b = build_model(came_back);
  const auto shapes = [](const Model& model) {
    std::vector<std::array<uint64_t, 5>> all;
    for (const Model::Task& task : model.tasks)
      all.push_back({task.id, task.parent, task.start, task.end, static_cast<uint64_t>(task.how)});
    return all;
  };
  REQUIRE(shapes(a) == shapes(b));
  REQUIRE(a.activations.size() == b.activations.size());
  REQUIRE(a.interactions.size() == b.interactions.size());
  REQUIRE(a.labels.size() == b.labels.size());
}

Trace through_ctf(const Trace& trace, Omissions& omissions) {
  CtfCopy copy = export_ctf(trace, ctf::Uuid{1});
  omissions = copy.omissions;
  MemoryFiles files;
  for (CtfFile& file : copy.files) files.add("/t/" + file.name, std::move(file.bytes));
  auto back = ctf::read(files, "/t");
  REQUIRE(back);
  return *std::move(back);
}

// `trace` must not have a task 0.
void require_comes_back_from_ctf(const Trace& trace) {
  Omissions omissions;
  require_same(trace, through_ctf(trace, omissions));
  CHECK(omissions.all().empty());
}

void require_round_trips(const Trace& trace) {
  require_same(trace, fxt::read(bytes_of(trace, export_fxt)));
  require_same(trace, chrome::read(bytes_of(trace, export_chrome)));
}

}  // namespace

TEST_CASE("random programs survive a round trip") {
  constexpr uint32_t programs = programs_of(105);
  constexpr uint32_t faults = 7;
  for (uint32_t seed = 0; seed < programs; seed++) {
    INFO("seed ", seed);
    RandomProgram program(seed, static_cast<RandomProgram::Fault>(seed % faults));
    Trace& trace = program.trace;
    trace.info.start = seed % 2 ? 1'700'000'000'000'000'000 + seed : seed;
    if (seed % 3 == 0) trace.info.utc_offset = -5 - int64_t{seed};
    trace.processes[0].name = "random \"program\"";
    trace.processes[0].pid = seed;
    trace.executors[0].tid = trace.executors[1].tid = 4711;
    require_round_trips(trace);
    trace.info.utc_offset = trace.info.utc_offset.value_or(0);
    require_comes_back_from_ctf(trace);
  }
}

TEST_CASE("events whose values are in tables of the trace survive a round trip") {
  Trace trace;
  trace.info.format = "skein";
  trace.info.utc_offset = 0;
  trace.executors.push_back({.tid = 1});
  uint64_t time = 0;
  const auto add = [&](EventKind kind, TaskId task, TaskId other, uint64_t value) {
    trace.events.append(
        {.time = time++, .task = task, .other = other, .value = value, .kind = kind});
  };
  const uint32_t stack = trace.stacks.add(1 << 20);
  add(EventKind::Sample, 1, no_task, stack);
  add(EventKind::Sample, 1, no_task, trace.stacks.add(7));
  add(EventKind::Sample, 1, no_task, stack);
  trace.clock_readings.push_back({.domain = 3, .ahead = -250, .bracket = 40});
  trace.clock_readings.push_back({.domain = UINT32_MAX, .ahead = INT64_MIN, .bracket = UINT64_MAX});
  add(EventKind::Clock, no_task, no_task, 0);
  add(EventKind::Clock, no_task, no_task, 1);
  add(EventKind::About, 1, 30, 0);
  require_round_trips(trace);
  require_comes_back_from_ctf(trace);
  Omissions omissions;
  const Trace back = through_ctf(trace, omissions);
  CHECK(back.stacks.size() == 2);
  CHECK(back.stacks.number(back.events.value[1]) == 7);
  CHECK(back.clock_readings[1].ahead == INT64_MIN);
}

TEST_CASE("the functions of frames without addresses survive a round trip through CTF") {
  Trace trace;
  trace.info.format = sampled_format;
  trace.info.utc_offset = 0;
  trace.executors.push_back({.tid = 1});
  const uint32_t leaf = trace.stacks.add(1), serve = trace.stacks.add(2);
  const std::vector<StackFrame> frames = {{.function = trace.strings.intern("leaf")},
                                          {.function = trace.strings.intern("serve")},
                                          {.function = trace.strings.intern("main")}};
  trace.stacks.set_frames(leaf, frames);
  trace.stacks.set_frames(serve, std::span(frames).subspan(1));
  trace.events.append({.time = 1, .task = 1, .value = leaf, .kind = EventKind::Sample});
  trace.events.append({.time = 2, .task = 1, .value = serve, .kind = EventKind::Sample});
  Omissions omissions;
  const Trace back = through_ctf(trace, omissions);
  CHECK(back.info.is_sampled());
  std::string text;
  for (size_t i = 0; i < 2; i++)
    for (const StackFrame& frame : back.stacks.frames(back.events.value[i]))
      text += std::string(back.strings[frame.function]) + " ";
  CHECK(text == "leaf serve main serve main ");
}

TEST_CASE("awaited objects, CPU times and the kernel's counts survive a round trip through CTF") {
  Trace trace;
  trace.info.format = "skein";
  trace.info.utc_offset = 0;
  trace.executors.push_back({.tid = 1});
  trace.events.append({.time = 5, .task = 1, .kind = EventKind::Suspend});
  trace.events.append({.time = 6, .task = 1, .kind = EventKind::Ready});
  const StringId type = trace.strings.intern("lib::Mutex::Lock");
  trace.awaited_objects.push_back({.event = 1, .address = 0x7f0000001230, .type = type});
  trace.cpu_times.push_back({.time = 5, .cpu = 1'000, .blocked = 2, .preempted = 3});
  trace.cpu_times.push_back({.time = 9, .cpu = UINT64_MAX, .blocked = UINT32_MAX});
  trace.socket_bytes.push_back({.time = 6,
                                .socket = 1,
                                .sent = UINT64_MAX,
                                .received = 2,
                                .unseen_sent = UINT32_MAX,
                                .unseen_received = 3,
                                .state = 8});
  trace.thread_states = {{.time = 4, .tid = 1, .state = ThreadState::Running, .cpu = 1},
                         {.time = 7,
                          .tid = 1,
                          .state = ThreadState::Preempted,
                          .other = 9,
                          .cpu = 1,
                          .text = trace.strings.intern("rival")}};
  require_comes_back_from_ctf(trace);
  Omissions omissions;
  const Trace back = through_ctf(trace, omissions);
  REQUIRE(back.socket_bytes.size() == 1);
  CHECK(back.socket_bytes[0].time == 6);
  CHECK(back.socket_bytes[0].socket == 1);
  CHECK(back.socket_bytes[0].sent == UINT64_MAX);
  CHECK(back.socket_bytes[0].received == 2);
  CHECK(back.socket_bytes[0].unseen_sent == UINT32_MAX);
  CHECK(back.socket_bytes[0].unseen_received == 3);
  CHECK(back.socket_bytes[0].state == 8);
  REQUIRE(back.thread_states.size() == 2);
  CHECK(back.thread_states[0].time == 4);
  CHECK(back.thread_states[0].state == ThreadState::Running);
  CHECK(back.thread_states[0].text == 0);
  CHECK(back.thread_states[1].time == 7);
  CHECK(back.thread_states[1].tid == 1);
  CHECK(back.thread_states[1].other == 9);
  CHECK(back.thread_states[1].cpu == 1);
  CHECK(back.strings[back.thread_states[1].text] == "rival");
  REQUIRE(back.awaited_objects.size() == 1);
  CHECK(back.awaited_objects[0].event == 1);
  CHECK(back.awaited_objects[0].address == 0x7f0000001230);
  CHECK(back.strings[back.awaited_objects[0].type] == "lib::Mutex::Lock");
  REQUIRE(back.cpu_times.size() == 2);
  CHECK(back.cpu_times[0].time == 5);
  CHECK(back.cpu_times[0].blocked == 2);
  CHECK(back.cpu_times[0].preempted == 3);
  CHECK(back.cpu_times[1].time == 9);
  CHECK(back.cpu_times[1].cpu == UINT64_MAX);
}

// Found by fuzz/command/exports.cc: the copy was cut off at the event.
TEST_CASE("an event that creates an unknown task survives a round trip through CTF") {
  Trace trace;
  trace.info.format = "skein";
  trace.info.utc_offset = 0;
  trace.executors.push_back({.tid = 1});
  trace.kinds.push_back(trace.strings.intern("coroutine"));
  trace.events.append({.time = 0, .task = no_task, .other = no_task, .kind = EventKind::Create});
  trace.events.append({.time = 1, .task = 7, .other = no_task, .kind = EventKind::Create});
  require_comes_back_from_ctf(trace);
}

TEST_CASE("random events survive a round trip") {
  for (uint32_t seed = 0; seed < 100; seed++) {
    INFO("seed ", seed);
    require_round_trips(random_events_trace(seed));
  }
}

TEST_CASE("numbers and texts of all sizes survive a round trip") {
  Trace trace;
  trace.info.format = "skein";
  trace.executors.resize(1);
  trace.kinds.push_back(trace.strings.intern("coroutine"));
  trace.locations.push_back({.file = trace.strings.intern("a \"b\"\\\n;.cc"),
                             .function = trace.strings.intern("f<int>(\t)"),
                             .line = UINT32_MAX,
                             .column = 1});
  uint64_t time = 0;
  for (const uint64_t number :
       {uint64_t{0}, uint64_t{1}, uint64_t{1} << 53, (uint64_t{1} << 53) + 1, uint64_t{INT64_MAX},
        uint64_t{1} << 63, UINT64_MAX - 1}) {
    const auto add = [&](EventKind kind, StringId text = 0) {
      trace.events.append({.time = time++,
                           .task = number,
                           .other = number,
                           .value = kind == EventKind::Create ? 0 : number,
                           .text = text,
                           .location = 1,
                           .kind = kind,
                           .flags = 1});
    };
    add(EventKind::Create, trace.strings.intern("näme \x7f"));
    add(EventKind::CounterAdd, trace.strings.intern("queue"));
    add(EventKind::CounterSet, trace.strings.intern("queue"));
    add(EventKind::Label, trace.strings.intern(std::string(3000, 'x')));
    add(EventKind::Notify);
    add(EventKind::Suspend);
    add(EventKind::Resolve);
    add(EventKind::Create);
  }
  require_round_trips(trace);
}

TEST_CASE("omissions from FXT are counted") {
  Trace trace;
  trace.executors.resize(1);
  trace.modules.resize(3);
  trace.events.append({.task = 1,
                       .text = trace.strings.intern(std::string(40'000, 'x')),
                       .kind = EventKind::Label});
  std::vector<uint8_t> bytes;
  Out out([&](std::string_view piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
    return true;
  });
  const Omissions omissions = export_fxt(trace, out);
  REQUIRE(out.finish());
  REQUIRE(omissions.all().size() == 2);
  CHECK(omissions.all()[0] == std::pair<std::string, uint64_t>("modules", 3));
  CHECK(omissions.all()[1].first == "ends of strings longer than 32,000 bytes");
  CHECK(omissions.all()[1].second > 0);
  const Trace back = fxt::read(bytes);
  CHECK(back.losses.empty());
  CHECK(back.strings[back.events.text[0]].size() == 32'000);
}

TEST_CASE("events of another tracer survive a round trip through CTF") {
  Trace trace;
  trace.info.format = "mirage-profile";
  trace.info.start = 1'234'567;  // the first event is later, and UTC is unknown
  trace.executors = {Executor{.name = trace.strings.intern("main"), .tid = 7},
                     Executor{.name = trace.strings.intern("other"), .tid = 9}};
  trace.kinds = {trace.strings.intern("bind"), trace.strings.intern("unknown"),
                 trace.strings.intern("task"), trace.strings.intern("try \"\\")};
  const auto add = [&](EventKind kind, TaskId task, TaskId other, const char* text = "",
                       uint64_t value = 0, uint8_t flags = 0, uint32_t executor = 1) {
    trace.events.append({.time = 460 + trace.events.size(),
                         .task = task,
                         .other = other,
                         .value = value,
                         .text = trace.strings.intern(text),
                         .executor = executor,
                         .kind = kind,
                         .flags = flags});
  };
  for (uint64_t kind = 0; kind < trace.kinds.size(); kind++)
    add(EventKind::Create, 10 + kind, 5, "", kind);
  add(EventKind::TryRead, 11, 10);
  add(EventKind::Ready, 11, 10, "", 0, flag::makes_current);
  add(EventKind::Notify, 12, no_task, "", 1, flag::makes_current | flag::time_guessed);
  add(EventKind::ScopeCancel, 12, 13, "Stdlib.Exit");
  add(EventKind::ScopeCancel, 11, 13, "Stdlib.Exit");
  add(EventKind::Cancel, 13, 11, "because");
  add(EventKind::Pause, no_task, no_task, "stw_leader", 3);
  add(EventKind::Pause, no_task, no_task, "gc", 3);
  add(EventKind::Lost, no_task, no_task, "unheard of", 3);
  add(EventKind::Suspend, 11, 10, "", 1);  // a resource without a resource event
  add(EventKind::SpanBegin, 11, no_task, "span", 4);
  add(EventKind::SpanEnd, 11, no_task, "", 4);
  add(EventKind::Label, no_task, no_task, "of no thread");
  require_comes_back_from_ctf(trace);
}

TEST_CASE("a copy keeps the live task table and the overwritten packets of a ring") {
  Trace trace;
  trace.info.format = "skein";
  trace.info.start = 5'000;
  trace.info.utc_offset = 0;
  trace.info.overwritten_packets = 3;
  trace.info.complete_from = 100;
  trace.executors = {Executor{.tid = 7}, Executor{.tid = 9}};
  trace.kinds.push_back(trace.strings.intern("coroutine"));
  trace.locations.push_back({.file = trace.strings.intern("a.cc"), .line = 3});
  for (const uint64_t time : {0u, 100u, 200u})
    trace.events.append(
        {.time = time, .task = 1, .executor = time == 0, .kind = EventKind::Resume});
  trace.live_tasks.push_back({.id = 1,
                              .parent = 2,
                              .on = 3,
                              .since = -70,
                              .label = trace.strings.intern("serve"),
                              .name = trace.strings.intern("name"),
                              .kind = 0,
                              .location = 1,
                              .at = 1,
                              .executor = 1,
                              .state = LiveTaskEntry::State::Suspended,
                              .should_resolve = true});
  trace.live_tasks.push_back({.id = 3, .state = LiveTaskEntry::State::Resource});
  Omissions omissions;
  const Trace back = through_ctf(trace, omissions);
  CHECK(omissions.all().empty());
  CHECK(back.info.overwritten_packets == 3);
  CHECK(back.info.complete_from == 100);
  REQUIRE(lines(back) == lines(trace));
  REQUIRE(back.live_tasks.size() == 2);
  const LiveTaskEntry& serve = back.live_tasks[0];
  CHECK(serve.id == 1);
  CHECK(serve.parent == 2);
  CHECK(serve.on == 3);
  CHECK(serve.since == -70);
  CHECK(back.strings[serve.label] == "serve");
  CHECK(back.strings[serve.name] == "name");
  CHECK(back.strings[back.kinds[serve.kind]] == "coroutine");
  CHECK(back.locations[serve.location].line == 3);
  CHECK(back.locations[serve.at].line == 3);
  CHECK(back.executors[serve.executor].tid == 9);
  CHECK(serve.state == LiveTaskEntry::State::Suspended);
  CHECK(serve.should_resolve);
  CHECK(back.live_tasks[1].state == LiveTaskEntry::State::Resource);
}

TEST_CASE("executors without tids, or with equal tids, stay separate") {
  for (const uint64_t tid : {uint64_t{0}, uint64_t{7}}) {
    Trace trace;
    trace.info.format = "FXT";
    trace.info.utc_offset = 0;
    trace.kinds.push_back(trace.strings.intern("fiber"));
    for (const char* name : {"domain 0", "domain 1", "", "domain 2"})
      trace.executors.push_back({.name = trace.strings.intern(name), .tid = tid});
    Omissions omissions;
    for (uint64_t i = 0; i < 40; i++) {
      const auto executor = static_cast<uint32_t>(3 - i % 4);
      trace.events.append(
          {.time = 2 * i, .task = i + 1, .executor = executor, .kind = EventKind::Resume});
      trace.events.append({.time = 2 * i + 1,
                           .value = i < 20 ? tid : i,  // of another thread too
                           .text = trace.executors[executor].name,
                           .executor = executor,
                           .kind = EventKind::ExecutorBegin});
    }
    require_same(trace, through_ctf(trace, omissions));
    CHECK(omissions.all().empty());
    require_round_trips(trace);
  }
}

TEST_CASE("processes and machines survive a round trip, each with its executors") {
  for (const bool is_several : {false, true}) {
    Trace trace;
    trace.info.format = "skein";
    trace.info.utc_offset = 0;
    trace.machines = {{.name = "here", .boot_id = "one \"boot\""}};
    trace.processes = {{.pid = 7, .name = "server"}};
    if (is_several) {
      trace.machines.push_back({.name = "there", .boot_id = "another"});
      trace.processes.push_back({.pid = 7, .name = "db; \\", .machine = 1});
      trace.processes.push_back({.name = "of an unknown pid"});
    }
    for (uint32_t i = 0; i < 5; i++) {
      const uint32_t process = i == 3 ? no_process : is_several ? 2 - i % 3 : 0;
      trace.executors.push_back({.tid = 7, .process = process});
      trace.events.append({.time = i, .task = i + 1, .executor = i, .kind = EventKind::Resume});
    }
    require_round_trips(trace);
    require_comes_back_from_ctf(trace);
    const ProcessNumbers numbers(trace);
    REQUIRE(numbers.size() == trace.processes.size());
    CHECK(numbers[0] == 7);
    CHECK(numbers.of(3) == 7);
    if (!is_several) continue;
    CHECK(numbers[1] != 7);
    CHECK(numbers[1] != numbers[2]);
    CHECK(numbers.of(1) == numbers[1]);
    CHECK(numbers.of(2) == numbers[0]);
  }
}

TEST_CASE("a copy has the counter of its original, and aligns like it") {
  constexpr uint64_t rate = 149'999'983;
  const ctf::TickScale scale(rate);
  Trace trace;
  trace.info.format = "skein";
  trace.machines[0].boot_id = "boot";
  trace.info.tick_clock = {
      .boot_id = "boot", .source = "tsc", .frequency = rate, .start = 864'000 * rate + 7};
  trace.info.start = scale.ns(trace.info.tick_clock.start);
  // A whole number of ticks, as skein's reader returns.
  const uint64_t utc = 1'700'000'000'000'000'000 + uint64_t{123'456} * 1'000'000'000 / rate;
  trace.info.utc_offset = static_cast<int64_t>(utc);
  trace.info.tick_clock.utc_of_tick_0 = *trace.info.utc_offset;
  trace.executors.push_back({.tid = 7});
  for (uint64_t i = 0; i < 10'000; i++) {
    const bool pause = i % 7 == 6;
    trace.events.append({.time = scale.ns(i * i * 1'000 + i),
                         .task = pause ? no_task : i % 7 + 1,
                         .value = pause ? scale.ns(i) : 0,
                         .text = pause ? trace.strings.intern("gc") : 0,
                         .kind = pause ? EventKind::Pause : EventKind::Resume});
  }
  Omissions omissions;
  const Trace back = through_ctf(trace, omissions);
  require_same(trace, back);
  CHECK(omissions.all().empty());
  const TickClock& clock = back.info.tick_clock;
  CHECK(clock.is_same_axis(trace.info.tick_clock));
  CHECK(clock.start == trace.info.tick_clock.start);
  CHECK(clock.utc_of_tick_0 == trace.info.tick_clock.utc_of_tick_0);
}

TEST_CASE("a gap that comes back as damage is reported") {
  for (const uint64_t time : {uint64_t{1} << 55, (uint64_t{1} << 55) + 1}) {
    Trace trace;
    trace.executors.resize(1);
    trace.events.append({.task = 1, .kind = EventKind::Resume});
    trace.events.append({.time = time, .task = 1, .kind = EventKind::Resume});
    Out out([](std::string_view) { return true; });
    const Omissions omissions = export_fxt(trace, out);
    CHECK(omissions.all().empty() == fxt::read(bytes_of(trace, export_fxt)).losses.empty());
  }
}

TEST_CASE("omissions from CTF are counted") {
  Trace trace;
  trace.info.format = "skein";
  trace.executors.resize(1);
  trace.events.append(
      {.task = 1, .text = trace.strings.intern(std::string(513, 'x')), .kind = EventKind::Label});
  Omissions omissions;
  const Trace back = through_ctf(trace, omissions);
  REQUIRE(omissions.all().size() == 1);
  CHECK(omissions.all()[0].second == 1);
  CHECK(back.strings[back.events.text[0]].size() <= 512);
}
