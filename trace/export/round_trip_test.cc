// What goes out in FXT or Chrome's JSON comes back: every event, whole.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "trace/ask/random_program.h"
#include "trace/export/chrome.h"
#include "trace/export/ctf.h"
#include "trace/export/fxt.h"
#include "trace/model/model.h"
#include "trace/read/chrome/chrome.h"
#include "trace/read/fxt/fxt.h"

using namespace skein;

namespace {

std::vector<uint8_t> bytes_of(const Trace& trace, LeftOut (*write)(const Trace&, Out&)) {
  std::vector<uint8_t> bytes;
  Out out([&](std::string_view piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
    return true;
  });
  write(trace, out);
  REQUIRE(out.finish());
  return bytes;
}

// With texts instead of their numbers, which another trace has others of.
std::string line(const Trace& trace, const EventRow& e) {
  const bool has_kind = e.kind == EventKind::Create || e.kind == EventKind::Resource;
  const Location& at = trace.locations[e.location];
  std::string text = std::to_string(e.time) + " " + std::string(name(e.kind));
  for (const uint64_t number : {e.task, e.other, has_kind ? 0 : e.value, uint64_t{e.executor},
                                uint64_t{e.flags}, uint64_t{at.line}, uint64_t{at.column}})
    text += " " + std::to_string(number);
  for (const StringId id : {e.text, at.file, at.function, has_kind ? trace.kinds[e.value] : 0})
    text += " '" + std::string(trace.strings[id]) + "'";
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
  REQUIRE(came_back.facts.format == went_out.facts.format);
  REQUIRE(came_back.facts.start == went_out.facts.start);
  REQUIRE(came_back.facts.program == went_out.facts.program);
  REQUIRE(came_back.facts.pid == went_out.facts.pid);
  REQUIRE(came_back.facts.utc_offset == went_out.facts.utc_offset);
  REQUIRE(came_back.executors.size() == went_out.executors.size());
  for (size_t i = 0; i < went_out.executors.size(); i++)
    REQUIRE(came_back.executors[i].tid == went_out.executors[i].tid);
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

void require_round_trips(const Trace& trace) {
  require_same(trace, fxt::read(bytes_of(trace, export_fxt)));
  require_same(trace, chrome::read(bytes_of(trace, export_chrome)));
}

}  // namespace

TEST_CASE("random programs come back as they went out") {
  constexpr uint32_t programs = 105;
  constexpr uint32_t faults = 7;
  for (uint32_t seed = 0; seed < programs; seed++) {
    INFO("seed ", seed);
    RandomProgram program(seed, static_cast<RandomProgram::Fault>(seed % faults));
    Trace& trace = program.trace;
    trace.facts.start = seed % 2 ? 1'700'000'000'000'000'000 + seed : seed;
    if (seed % 3 == 0) trace.facts.utc_offset = -5 - int64_t{seed};
    trace.facts.program = "random \"program\"";
    trace.facts.pid = seed;
    trace.executors[0].tid = trace.executors[1].tid = 4711;
    require_round_trips(trace);
  }
}

TEST_CASE("nonsense comes back as nonsense") {
  for (uint32_t seed = 0; seed < 100; seed++) {
    INFO("seed ", seed);
    require_round_trips(nonsense(seed));
  }
}

TEST_CASE("numbers and texts of all sizes come back") {
  Trace trace;
  trace.facts.format = "skein";
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

TEST_CASE("what FXT cannot hold is counted") {
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
  const LeftOut left_out = export_fxt(trace, out);
  REQUIRE(out.finish());
  REQUIRE(left_out.all().size() == 2);
  CHECK(left_out.all()[0] == std::pair<std::string, uint64_t>("modules", 3));
  CHECK(left_out.all()[1].first == "ends of texts longer than 32,000 bytes");
  CHECK(left_out.all()[1].second > 0);
  const Trace back = fxt::read(bytes);
  CHECK(back.losses.empty());
  CHECK(back.strings[back.events.text[0]].size() == 32'000);
}
