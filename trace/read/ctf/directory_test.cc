#include "trace/read/ctf/directory.h"

#include <doctest/doctest.h>

#include "trace/read/ctf/test_directory.h"

using namespace skein;
using namespace skein::ctf;

TEST_CASE_FIXTURE(Fixture, "the columns contain names, locations, times and the current task") {
  add_names();
  StreamWriter stream({.uuid = uuid, .stream = 3});
  stream.tid = 77;
  stream.event(format::k_create, second, 10, 1);
  stream.event(format::k_resume, 2 * second, 10);
  stream.event(format::k_create, 2 * second + 1, 11, 0);
  stream.event(format::k_counter_add, 2 * second + 2, 3, static_cast<uint64_t>(-5));
  stream.event(format::k_suspend, 2 * second + 3, 11, 1);
  stream.event(format::k_pause, 3 * second, format::kPause_gc, second / 2);
  stream.event(format::k_fail, 3 * second, 10, 2);
  add("s00003-", stream);

  const Trace trace = read();
  CHECK(trace.losses.empty());
  CHECK(trace.info.format == "skein");
  CHECK(trace.machines[0].name == "host");
  CHECK(trace.processes[0].name == "a \"program\"");
  CHECK(trace.processes[0].pid == 42);
  CHECK(trace.info.packets == 2);
  CHECK(trace.info.streams == 1);
  CHECK(trace.info.start == 1'000'000'000);
  CHECK(*trace.info.utc_offset == 1'700'000'000'250'000'000);
  REQUIRE(trace.events.size() == 7);
  REQUIRE(trace.executors.size() == 1);
  CHECK(trace.strings[trace.executors[0].name] == "worker");
  CHECK(trace.modules.size() == 1);

  const EventRow create = trace.events.row(0);
  CHECK(create.kind == EventKind::Create);
  CHECK(create.task == 10);
  CHECK(create.other == no_task);
  CHECK(trace.strings[trace.kinds[create.value]] == "coroutine");
  CHECK(trace.strings[create.text] == "session");
  CHECK(trace.locations[create.location].line == 7);
  CHECK(trace.strings[trace.locations[create.location].function] == "function");

  CHECK(trace.events.row(1).kind == EventKind::Resume);
  CHECK(trace.events.time[1] == 1'000'000'000);
  CHECK(trace.events.other[1] == no_task);
  CHECK(trace.events.other[2] == 10);  // 11 is a child of the current task
  CHECK(trace.events.task[3] == 10);
  CHECK(static_cast<int64_t>(trace.events.value[3]) == -5);
  CHECK(trace.events.task[4] == 10);
  CHECK(trace.events.other[4] == 11);
  CHECK(trace.events.task[5] == no_task);
  CHECK(trace.events.value[5] == 500'000'000);
  CHECK(trace.events.other[6] == no_task);  // no task was current any more
}

TEST_CASE_FIXTURE(Fixture, "`at` sets the location of the next event and is not an event") {
  add_names();  // place 1 is at line 7
  StreamWriter stream({.uuid = uuid, .stream = 0, .chunk_size = 1024});
  StreamWriter other({.uuid = uuid, .stream = 1, .chunk_size = 1024});
  stream.event(format::k_at, 10, 1);
  stream.event(format::k_notify, 10, 30, 0);
  stream.event(format::k_notify, 20, 30, 1);
  stream.event(format::k_at, 30, 1);
  other.event(format::k_notify, 40, 31, 0);
  stream.event(format::k_acquire, 50, 30, 0);
  stream.event(format::k_at, 60, 2);  // not defined
  stream.event(format::k_notify, 60, 30, 2);
  stream.event(format::k_at, 65, 1);
  stream.fixed(format::k_create_under, 70).u64(0).u64(5).u32(0).done();
  stream.event(format::k_at, 75, 1);
  stream.close();
  stream.event(format::k_notify, 80, 30, 3);
  stream.next_at = 1;
  stream.event(format::k_notify, 90, 30, 4);
  stream.event(format::k_at, 100, 1);
  add("s00000-", stream);
  add("s00001-", other);
  const Trace trace = read();
  CHECK(trace.losses.empty());
  std::string lines;
  for (size_t i = 0; i < trace.events.size(); i++)
    lines += std::to_string(trace.events.time[i]) + ":" +
             std::to_string(trace.locations[trace.events.location[i]].line) + " ";
  CHECK(lines == "0:7 100:0 300:0 400:7 500:0 600:7 700:0 800:7 ");
}

TEST_CASE_FIXTURE(Fixture, "the mangled type of an exception is shown as C++") {
  StreamWriter stream({.uuid = uuid, .stream = 0, .chunk_size = 4096});
  const auto fails = [&](std::string_view reason) {
    stream.fixed(format::k_fail_text, 10).u64(5).text(reason).done();
  };
  fails("an exception of type N3net5ErrorE");
  fails("an exception of type i");
  fails("an exception of type net::Error");  // recorded by an earlier version
  fails("an exception of type N3net5Erro");  // cut
  fails("An exception of type i");
  fails("i");
  add("s00000-", stream);
  const Trace trace = read();
  REQUIRE(trace.events.size() == 6);
  const auto text = [&](size_t event) { return trace.strings[trace.events.text[event]]; };
  CHECK(text(0) == "an exception of type net::Error");
  CHECK(text(1) == "an exception of type int");
  CHECK(text(2) == "an exception of type net::Error");
  CHECK(text(3) == "an exception of type N3net5Erro");
  CHECK(text(4) == "An exception of type i");
  CHECK(text(5) == "i");
}

TEST_CASE_FIXTURE(Fixture, "the second stream of a thread has the thread's name") {
  add_names();
  for (const uint64_t number : {0U, 1U, 2U}) {
    StreamWriter stream({.uuid = uuid, .stream = number, .chunk_size = 1024});
    stream.event(format::k_executor, 10 + number, number == 2 ? 8 : 7, number == 0 ? 2 : 0);
    add("s0000" + std::to_string(number) + "-", stream);
  }
  const Trace trace = read();
  REQUIRE(trace.executors.size() == 3);
  CHECK(trace.strings[trace.executors[0].name] == "function");
  CHECK(trace.strings[trace.executors[1].name] == "function");
  CHECK(trace.executors[2].name == 0);
}

TEST_CASE_FIXTURE(Fixture, "a thread that records its id is one executor") {
  StreamWriter stream({.uuid = uuid, .stream = 0, .chunk_size = 1024});
  stream.event(format::k_executor, 10, 7, 0);
  stream.event(format::k_notify, 20, 30, 1);
  stream.event(format::k_executor, 30, 8, 0);
  add("s00000-", stream);
  const Trace trace = read();
  REQUIRE(trace.executors.size() == 2);
  CHECK(trace.executors[0].tid == 7);
  CHECK(trace.executors[1].tid == 8);
}

TEST_CASE_FIXTURE(Fixture, "format version 1 is read, packets of later versions are losses") {
  std::string metadata = metadata_text();
  const std::string version = "tracer_major = " + std::to_string(format::kVersion);
  REQUIRE(metadata.find(version) != std::string::npos);
  files.add("t/metadata",
            metadata.replace(metadata.find(version), version.size(), "tracer_major = 1"));
  for (const uint8_t packet_version : {uint8_t{1}, uint8_t{format::kVersion + 1}, uint8_t{0}}) {
    StreamWriter stream({.uuid = uuid, .stream = 0, .chunk_size = 1024});
    stream.event(format::k_sample, 10, 1);
    auto chunk = first_chunk(stream);
    chunk[offsetof(format::PacketHeader, format_version)] = packet_version;
    files.add("t/s00000-0", chunk);
    const Trace trace = read();
    if (packet_version == 1) {
      CHECK(trace.events.size() == 1);
      CHECK(trace.losses.empty());
    } else {
      CHECK(trace.events.size() == 0);
      REQUIRE(trace.losses.size() == 1);
      CHECK(trace.losses[0].what == "packet of format version " + std::to_string(packet_version));
    }
  }
}

TEST_CASE_FIXTURE(Fixture, "a sample in the definitions stream defines a stack") {
  using enum format::ExtraField;
  StreamWriter names(
      {.uuid = uuid, .stream = format::kNamesStream, .flags = format::kFlagNames});
  const auto define = [&](uint64_t number, uint64_t address, uint64_t caller) {
    names.next_extra(kAddress, address);
    if (caller != 0) names.next_extra(kCaller, caller);
    names.event(format::k_sample, 5, number);
  };
  define(1, 0x7fff'0000'1000, 0);
  define(2, 0x7fff'0000'2000, 1);
  define(3, 0x7fff'0000'3000, 4);  // callers without an end
  define(4, 0x7fff'0000'4000, 3);
  define(5, 0x7fff'0000'5000, 99);  // not defined
  define(0, 0x7fff'0000'6000, 1);
  add("names-", names);
  StreamWriter stream({.uuid = uuid, .stream = 0});
  for (const uint64_t stack : {2u, 1u, 2u, 3u, 5u, 77u, 0u}) stream.event(format::k_sample, 10, stack);
  add("s00000-", stream);
  const Trace trace = read();
  CHECK(trace.losses.empty());
  REQUIRE(trace.events.size() == 7);
  const auto frames = [&](size_t event) { return trace.stacks.frames(trace.events.value[event]); };
  REQUIRE(frames(0).size() == 2);
  CHECK(frames(0)[0].address == 0x7fff'0000'2000);
  CHECK(frames(0)[1].address == 0x7fff'0000'1000);
  CHECK(frames(1).size() == 1);
  CHECK(trace.events.value[2] == trace.events.value[0]);
  CHECK(frames(3).size() == 256);
  CHECK(frames(4).size() == 1);
  CHECK(frames(5).empty());
  CHECK(frames(6).empty());
}

TEST_CASE_FIXTURE(Fixture, "extra fields belong to the next event of the packet") {
  add_names();
  StreamWriter stream({.uuid = uuid, .stream = 0, .chunk_size = 1024});
  stream.next_extra(format::ExtraField::kFlags, 1);
  stream.next_extra(format::ExtraField::kValue, UINT64_MAX);
  stream.event(format::k_ready, 10, 30, 0);
  stream.event(format::k_ready, 20, 30, 0);
  stream.event(format::k_extra, 30, static_cast<uint64_t>(format::ExtraField::kCurrent), 5);
  stream.event(format::k_extra, 30, 99, 7);  // from a later version
  stream.event(format::k_ready, 30, 30, 0);
  stream.next_extra(format::ExtraField::kText, 99);  // not defined: none
  stream.event(format::k_label, 40, 5, 1);
  stream.event(format::k_extra, 50, static_cast<uint64_t>(format::ExtraField::kFlags), 1);
  stream.close();
  stream.event(format::k_ready, 60, 30, 0);
  add("s00000-", stream);
  const Trace trace = read();
  CHECK(trace.losses.empty());
  REQUIRE(trace.events.size() == 5);
  CHECK(trace.events.row(0).flags == 1);
  CHECK(trace.events.row(0).value == UINT64_MAX);
  CHECK(trace.events.row(1).flags == 0);
  CHECK(trace.events.row(1).value == 0);
  CHECK(trace.events.row(1).task == no_task);
  CHECK(trace.events.row(2).task == 5);
  CHECK(trace.events.row(3).text == 0);
  CHECK(trace.events.row(4).flags == 0);
}

TEST_CASE_FIXTURE(Fixture, "`at` and its event are in one packet") {
  add_names();
  StreamWriter stream({.uuid = uuid, .stream = 0, .chunk_size = 600});
  for (uint64_t i = 0; i < 500; i++) {
    stream.next_at = static_cast<uint32_t>(i % 3 != 0);
    stream.event(format::k_notify, i, i + 1, i);
  }
  CHECK(stream.finish().size() > 10);
  add("s00000-", stream);
  const Trace trace = read();
  REQUIRE(trace.events.size() == 500);
  for (uint64_t i = 0; i < 500; i++)
    CHECK(trace.locations[trace.events.location[i]].line == (i % 3 != 0 ? 7u : 0u));
}

TEST_CASE_FIXTURE(Fixture, "a trace without events begins with its definitions") {
  StreamWriter names({.uuid = uuid,
                      .stream = format::kNamesStream,
                      .chunk_size = 4096,
                      .flags = format::kFlagNames});
  names.fixed(format::k_string, 700 * second).u32(1).text("a name").done();
  add("names-", names);
  const Result<Trace> trace = ctf::read(files, "t");
  REQUIRE(trace);
  CHECK(trace->events.empty());
  CHECK(trace->info.start == uint64_t{700} * 1'000'000'000);
}

TEST_CASE_FIXTURE(Fixture, "streams are merged by time; long gaps keep their duration") {
  StreamWriter a({.uuid = uuid, .stream = 0, .chunk_size = 1024});
  StreamWriter b({.uuid = uuid, .stream = 1, .chunk_size = 1024});
  constexpr uint64_t far = uint64_t{1} << 40;
  for (uint64_t i = 0; i < 500; i++) {
    a.event(format::k_sample, i * far, i);
    b.event(format::k_sample, i * far + i % 3, 1000 + i);
  }
  add("s00000-", a);
  add("s00001-", b);
  const Trace trace = read();
  CHECK(trace.losses.empty());
  REQUIRE(trace.events.size() == 1000);
  for (uint64_t i = 0; i < 500; i++) {
    CHECK(trace.stacks.number(trace.events.value[2 * i]) == i);
    CHECK(trace.stacks.number(trace.events.value[2 * i + 1]) == 1000 + i);
    CHECK(trace.events.time[2 * i] == i * far * 10);
  }
}

TEST_CASE_FIXTURE(Fixture, "packets of a ring are sorted, missing ones are counted") {
  StreamWriter stream({.uuid = uuid, .stream = 0, .chunk_size = 1024, .first_sequence = 7});
  for (uint64_t i = 0; i < 1000; i++) {
    stream.current_task = i + 1;
    if (i == 999) stream.discarded = 3;
    stream.event(format::k_sample, i * 10, i);
    if (i == 998) stream.close();
  }
  auto chunks = stream.finish();
  REQUIRE(chunks.size() > 5);
  std::swap(chunks[0], chunks[3]);
  chunks.erase(chunks.begin() + 1);
  for (size_t i = 0; i < chunks.size(); i++) files.add("t/s0-" + std::to_string(i), chunks[i]);
  const Trace trace = read();
  for (size_t i = 1; i < trace.events.size(); i++)
    CHECK(trace.events.value[i - 1] < trace.events.value[i]);
  CHECK(trace.events.task[0] == 1);
  CHECK(trace.info.overwritten_packets == 7);
  REQUIRE(trace.info.rings.size() == 1);
  CHECK(trace.info.rings[0].stream == 0);
  CHECK(trace.info.rings[0].from == 0);
  CHECK(trace.info.rings[0].bytes >= trace.events.size() * 5);
  CHECK(trace.info.rings[0].bytes == trace.info.bytes);
  REQUIRE(trace.losses.size() == 2);
  CHECK(trace.losses[0].packets == 1);
  CHECK(trace.losses[1].events == 3);
}
