#include "trace/read/ctf/directory.h"

#include <doctest/doctest.h>
#include <skein/metadata.h>

#include "trace/read/ctf/task_table.h"
#include "trace/read/ctf/tick_scale.h"
#include "trace/read/ctf/writer.h"

using namespace skein;
using namespace skein::ctf;

namespace {

constexpr Uuid uuid{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
constexpr uint64_t second = 100'000'000;  // ticks

std::string metadata_text(const char* host = "host", uint64_t frequency = second,
                          const char* boot_id = "boot", int64_t offset_s = 1'700'000'000) {
  format::MetadataFacts facts{.uuid = {},
                              .clock = "tsc",
                              .frequency = frequency,
                              .offset_s = offset_s,
                              .offset = second / 4,
                              .precision = 1,
                              .hostname = host,
                              .boot_id = boot_id,
                              .procname = "a \"program\"",
                              .pid = 42,
                              .mode = "ring"};
  std::copy(uuid.begin(), uuid.end(), facts.uuid);
  std::string text;
  format::write_metadata(facts, [&](const char* from, size_t size) { text.append(from, size); });
  return text;
}

// A directory "t" in memory.
struct Fixture {
  MemoryFiles files;
  Fixture() { files.add("t/metadata", metadata_text()); }

  void add(const std::string& prefix, StreamWriter& stream) {
    size_t i = 0;
    for (const auto& chunk : stream.finish()) files.add("t/" + prefix + std::to_string(i++), chunk);
  }
  void add_names() {
    StreamWriter names({.uuid = uuid,
                        .stream = format::kNamesStream,
                        .chunk_size = 4096,
                        .flags = format::kFlagNames});
    names.fixed(format::k_place, 5)
        .u32(1)
        .u8(format::kKind_coroutine)
        .u32(3)
        .u32(1)
        .u32(2)
        .u32(7)
        .u32(9)
        .done();
    names.fixed(format::k_string, 5).u32(1).text("file.cc").done();
    names.fixed(format::k_string, 5).u32(2).text("function").done();
    names.fixed(format::k_string, 5).u32(3).text("session").done();
    names.fixed(format::k_thread_name, 6).u64(77).text("worker").done();
    names.fixed(format::k_module, 6).u64(4096).u64(100).text("abcd").text("/bin/x").done();
    add("names-", names);
  }
  Trace read() {
    auto trace = ctf::read(files, "t");
    REQUIRE(trace);
    return *std::move(trace);
  }
};

std::vector<uint8_t>& first_chunk(StreamWriter& stream) { return stream.finish().front(); }

}  // namespace

TEST_CASE_FIXTURE(Fixture, "names, places, times and the current task reach the columns") {
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
  CHECK(trace.facts.format == "skein");
  CHECK(trace.machines[0].name == "host");
  CHECK(trace.processes[0].name == "a \"program\"");
  CHECK(trace.processes[0].pid == 42);
  CHECK(trace.facts.packets == 2);
  CHECK(trace.facts.streams == 1);
  CHECK(trace.facts.start == 1'000'000'000);
  CHECK(*trace.facts.utc_offset == 1'700'000'000'250'000'000);
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
  CHECK(trace.events.other[6] == no_task);  // nothing was current any more
}

TEST_CASE_FIXTURE(Fixture, "a place before an event belongs to the event and is not one itself") {
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

TEST_CASE_FIXTURE(Fixture, "a trace of format version 1 is read, a packet of a later one is lost") {
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

TEST_CASE_FIXTURE(Fixture, "extra fields belong to the next event of the packet") {
  add_names();
  StreamWriter stream({.uuid = uuid, .stream = 0, .chunk_size = 1024});
  stream.next_extra(format::ExtraField::kFlags, 1);
  stream.next_extra(format::ExtraField::kValue, UINT64_MAX);
  stream.event(format::k_ready, 10, 30, 0);
  stream.event(format::k_ready, 20, 30, 0);
  stream.event(format::k_extra, 30, static_cast<uint64_t>(format::ExtraField::kCurrent), 5);
  stream.event(format::k_extra, 30, 99, 7);  // of a later version
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

TEST_CASE_FIXTURE(Fixture, "a place and its event are in one packet") {
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

TEST_CASE_FIXTURE(Fixture, "a trace without events begins where its names do") {
  StreamWriter names({.uuid = uuid,
                      .stream = format::kNamesStream,
                      .chunk_size = 4096,
                      .flags = format::kFlagNames});
  names.fixed(format::k_string, 700 * second).u32(1).text("a name").done();
  add("names-", names);
  const Result<Trace> trace = ctf::read(files, "t");
  REQUIRE(trace);
  CHECK(trace->events.empty());
  CHECK(trace->facts.start == uint64_t{700} * 1'000'000'000);
}

TEST_CASE_FIXTURE(Fixture, "streams are merged by time, and long gaps keep their length") {
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

TEST_CASE_FIXTURE(Fixture, "packets of a ring are put in order, missing ones are counted") {
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
  CHECK(trace.facts.overwritten_packets == 7);
  REQUIRE(trace.losses.size() == 2);
  CHECK(trace.losses[0].packets == 1);
  CHECK(trace.losses[1].events == 3);
}

TEST_CASE_FIXTURE(Fixture, "a prefix of an event is no event; the rest is reported") {
  StreamWriter stream({.uuid = uuid, .stream = 0, .chunk_size = 2048});
  stream.event(format::k_sample, 10, 1);
  stream.fixed(format::k_label_text, 20).u64(4).text("hello").done();
  const std::vector<uint8_t> whole = first_chunk(stream);
  const size_t end = sizeof(format::PacketHeader) + 5 + 4 + 8 + 6;
  for (size_t cut = sizeof(format::PacketHeader) + 6; cut < end; cut++) {
    auto chunk = whole;
    const uint64_t bits = cut * 8;
    std::memcpy(chunk.data() + offsetof(format::PacketHeader, content_size), &bits, 8);
    files.add("t/s0", chunk);
    const Trace trace = read();
    CHECK(trace.events.size() == 1);
    REQUIRE(trace.losses.size() == 1);
    CHECK(trace.losses[0].what == "event cut short");
    CHECK(trace.losses[0].file == "s0");
    CHECK(trace.losses[0].offset == sizeof(format::PacketHeader) + 5);
    CHECK(trace.losses[0].bytes == cut - sizeof(format::PacketHeader) - 5);
  }
}

TEST_CASE_FIXTURE(Fixture, "impossible numbers are refused without using memory for them") {
  StreamWriter names({.uuid = uuid,
                      .stream = format::kNamesStream,
                      .chunk_size = 4096,
                      .flags = format::kFlagNames});
  names.fixed(format::k_string, 5).u32(0xFFFFFFFF).text("x").done();
  names.fixed(format::k_place, 5).u32(0xFFFFFFFF).u8(1).u32(3).u32(1).u32(2).u32(7).u32(9).done();
  add("names-", names);
  StreamWriter stream({.uuid = uuid, .stream = 0, .chunk_size = 2048});
  stream.event(format::k_label, 10, 1, 0xFFFFFFFFFF);
  stream.event(format::k_create, 10, UINT64_MAX - 1, 0xFFFFFFFFFF);
  auto chunk = first_chunk(stream);
  const uint64_t bits = UINT64_MAX;
  std::memcpy(chunk.data() + offsetof(format::PacketHeader, content_size), &bits, 8);
  files.add("t/s0", chunk);
  const Trace trace = read();
  CHECK(trace.events.size() == 2);
  CHECK(trace.losses.size() == 4);  // two definitions, the size, and the zeros after the events
}

TEST_CASE_FIXTURE(Fixture, "names behind a hole of zeros are found again") {
  StreamWriter names({.uuid = uuid,
                      .stream = format::kNamesStream,
                      .chunk_size = 4096,
                      .flags = format::kFlagNames});
  constexpr size_t size = 15;  // of each
  for (uint32_t id = 1; id <= 8; id++)
    names.fixed(format::k_string, 5).u32(id).text("text-" + std::to_string(id)).done();
  auto chunk = first_chunk(names);
  const size_t hole = sizeof(format::PacketHeader) + 2 * size + 10;  // in the third's text
  std::fill_n(chunk.begin() + hole, size, uint8_t{0});
  files.add("t/names-", chunk);
  StreamWriter stream({.uuid = uuid, .stream = 0, .chunk_size = 2048});
  for (uint32_t id = 1; id <= 8; id++) stream.event(format::k_label, 10, id, id);
  add("s", stream);
  const Trace trace = read();
  std::string labels;
  for (size_t i = 0; i < trace.events.size(); i++)
    labels += std::string(trace.strings[trace.events.text[i]]) + " ";
  CHECK(labels == "text-1 text-2 te  text-5 text-6 text-7 text-8 ");
  REQUIRE(trace.losses.size() == 1);
  CHECK(trace.losses[0].what == "zeros instead of a definition");
  CHECK(trace.losses[0].file == "names-");
  CHECK(trace.losses[0].offset == hole + 1);
  CHECK(trace.losses[0].bytes == 2 * size - 11);
}

TEST_CASE_FIXTURE(Fixture, "a chunk that is no packet of the trace is skipped and reported") {
  StreamWriter other({.uuid = {9}, .stream = 0, .chunk_size = 1024});
  other.event(format::k_sample, 10, 1);
  add("other-", other);
  files.add("t/garbage", "this is no packet");
  files.add("t/zeros", std::vector<uint8_t>(4096));
  files.add("t/empty", "");
  files.add("t/.hidden", "whatever");
  files.add("t/folder/file", "whatever");
  const Trace trace = read();
  CHECK(trace.events.empty());
  REQUIRE(trace.losses.size() == 2);
  CHECK(trace.losses[0].what == "no packet begins here");
  CHECK(trace.losses[0].file == "garbage");
  CHECK(trace.losses[1].what == "packet of another trace");
}

TEST_CASE("foreign metadata is one clear error") {
  MemoryFiles files;
  const auto error = [&](std::string_view text) {
    files.add("t/metadata", text);
    const auto trace = ctf::read(files, "t");
    REQUIRE(!trace);
    return trace.error().message();
  };
  CHECK(error("") == "t/metadata at byte 0: not CTF 1.8 metadata in plain text");
  CHECK(error("/* CTF 1.8 */") == "t: a CTF trace of an unknown tracer; babeltrace2 reads it");
  CHECK(error("/* CTF 1.8 */ env { tracer_name = \"skein\"; };") ==
        "t/metadata: the clock's frequency is missing");
  CHECK(error("/* CTF 1.8 */ clock { freq = 5; }; env { tracer_name = \"lttng\"; };") ==
        "t: a CTF trace of lttng; babeltrace2 reads it");
  CHECK(
      error("/* CTF 1.8 */ clock { freq = 5; }; env { tracer_name = skein; tracer_major = 9; };") ==
      "t: trace format version 9 is newer than this skein, which reads versions 1 to 2; "
      "use the skein that recorded it");
  std::string edited = metadata_text();
  edited.replace(edited.find("offset = "), 9, "offset   =  /* corrected */ ");
  files.add("t/metadata", edited);
  CHECK(*ctf::read(files, "t")->facts.utc_offset == 1'700'000'000'250'000'000);
}

TEST_CASE("traces of one boot have one time axis, exact to the rounding") {
  // Two processes that start 10 days after the boot, and measure frequencies 12 ppb apart. The
  // second sends a message, the first receives it one tick later, 100 s after its start.
  constexpr uint64_t rate = 156'250'003;  // a tick is 6.4 ns
  constexpr uint64_t boot_age = 864'000 * rate;
  const auto process = [](uint64_t first, uint64_t message, uint64_t frequency, const char* boot) {
    Fixture fixture;
    // Their UTC of tick 0 is a second apart: extrapolated from now, and the day was set.
    fixture.files.add(
        "t/metadata",
        metadata_text("host", frequency, boot, frequency == rate ? 1'700'000'000 : 1'700'000'001));
    StreamWriter stream({.uuid = uuid, .stream = 0});
    stream.event(format::k_create, first, 1, 0);
    stream.event(format::k_resume, message, 1);
    fixture.add("s00000-", stream);
    return fixture;
  };
  for (uint64_t later : {uint64_t{0}, uint64_t{1}, 3 * rate + 7}) {
    CAPTURE(later);
    const uint64_t received = boot_age + 100 * rate + 12'345;
    Fixture one = process(boot_age, received, rate, "boot");
    Fixture two = process(boot_age + later, received - 1, rate + 2, "boot");  // 12.8 ppb
    const Trace receiver = one.read();
    CHECK(receiver.facts.tick_clock.start == boot_age);
    CHECK(receiver.facts.tick_clock.boot_id == "boot");
    CHECK(receiver.facts.tick_clock.source == "tsc");
    const std::vector<TickClock> clocks = {TickClock{}, receiver.facts.tick_clock};

    const Trace alone = two.read();
    CHECK(alone.facts.tick_clock.frequency == rate + 2);
    CHECK_FALSE(alone.facts.tick_clock.is_same_axis(receiver.facts.tick_clock));
    const Trace sender = *ctf::read(two.files, "t", {}, clocks);
    CHECK(sender.facts.tick_clock.is_same_axis(receiver.facts.tick_clock));
    const auto at = [](const Trace& trace) { return trace.facts.start + trace.events.time[1]; };
    CHECK(at(receiver) > at(sender));
    CHECK(at(receiver) - at(sender) <= 8);  // 6.4 rounded, and 1
    const auto offset = static_cast<int64_t>(sender.facts.start - receiver.facts.start);
    CHECK(std::abs(static_cast<double>(offset) - static_cast<double>(later) * 1e9 / rate) <= 1);
    // Its first event stays at its own time of day.
    CHECK(static_cast<uint64_t>(*sender.facts.utc_offset) + sender.facts.start ==
          static_cast<uint64_t>(*alone.facts.utc_offset) + alone.facts.start);
    // Read alone, it would be received before it was sent.
    if (later == 0) CHECK(at(alone) - alone.facts.start < at(receiver) - receiver.facts.start);

    // Another boot, or a frequency that no measurement gives: its own.
    Fixture rebooted = process(boot_age + later, received - 1, rate + 2, "other boot");
    CHECK(ctf::read(rebooted.files, "t", {}, clocks)->facts.tick_clock.frequency == rate + 2);
    Fixture unknown = process(boot_age + later, received - 1, rate + 2, "");
    CHECK(ctf::read(unknown.files, "t", {}, clocks)->facts.tick_clock.frequency == rate + 2);
    Fixture edited = process(boot_age + later, received - 1, rate * 2, "boot");
    CHECK(ctf::read(edited.files, "t", {}, clocks)->facts.tick_clock.frequency == rate * 2);
  }
}

TEST_CASE("ticks become nanoseconds in their order, and ticks again") {
  for (const uint64_t rate :
       {62'500'000ull, 99'999'999ull, 156'250'003ull, 250'000'000ull, 499'999'999ull}) {
    const TickScale scale(rate);
    for (const uint64_t start : {uint64_t{0}, uint64_t{1}, uint64_t{1'000'003}, rate * 1'000'000}) {
      // Of any start the same tick is at most 1 ns early.
      for (uint64_t i = 1; i < 5'000; i++) {
        const uint64_t now = scale.ns(start) + scale.ns(i);
        REQUIRE(scale.ns(start + i) - now <= 1);
        REQUIRE(now > scale.ns(start + i - 1));  // a tick is more than 2 ns
        REQUIRE(scale.ticks(scale.ns(start + i)) == start + i);
      }
    }
  }
  CHECK(TickScale(100).ticks(UINT64_MAX) == UINT64_MAX / 10'000'001);
}

TEST_CASE("metadata that is lost or damaged is made up for by the packets") {
  // Two packets, three seconds apart, and names.
  const auto fill = [](Fixture& fixture, uint64_t later_ns) {
    fixture.add_names();
    StreamWriter stream({.uuid = uuid, .stream = 0, .chunk_size = 4096});
    stream.event(format::k_create, second, 10, 1);
    stream.close();
    stream.event(format::k_resume, 4 * second, 10);
    uint64_t ns = 50;
    for (auto& chunk : stream.finish()) {
      std::memcpy(chunk.data() + offsetof(format::PacketHeader, monotonic_ns), &ns, 8);
      ns += later_ns;
    }
    fixture.add("s00000-", stream);
  };
  const auto check = [](const Trace& trace, std::string_view clock) {
    REQUIRE(trace.losses.size() == 1);
    CHECK(trace.losses[0].file == "metadata");
    CHECK(trace.losses[0].events == 0);
    CHECK(trace.facts.clock == clock);
    REQUIRE(trace.events.size() == 2);
    CHECK(trace.strings[trace.events.text[0]] == "session");
    CHECK(trace.events.time[0] == 0);
  };
  Fixture whole;
  fill(whole, 3'000'000'000);
  const std::string text = metadata_text();

  SUBCASE("lost") {
    Fixture fixture;
    fill(fixture, 3'000'000'000);
    MemoryFiles lost;
    for (const char* name : {"names-0", "s00000-0", "s00000-1"}) {
      const std::string path = std::string("t/") + name;
      const auto bytes = fixture.files.open(path).value();
      lost.add(path, std::vector<uint8_t>(bytes.bytes().begin(), bytes.bytes().end()));
    }
    CHECK(has_our_packets(lost, "t"));
    const auto trace = ctf::read(lost, "t");
    REQUIRE(trace);
    check(*trace, "estimated 1600000000 Hz");
    CHECK(trace->events.time[1] == 3'000'000'000);
    CHECK_FALSE(trace->facts.utc_offset);
    CHECK(trace->losses[0].what == "no file `metadata` in it; the clock's rate is estimated");
  }
  SUBCASE("cut short anywhere, or overwritten") {
    const size_t rate_known = text.find(";", text.find("freq =")) + 1;
    const size_t all_known = text.find(";", text.find("offset =")) + 1;
    for (size_t size = 0; size < all_known; size++) {
      whole.files.add("t/metadata", text.substr(0, size));
      const Trace trace = whole.read();
      check(trace, size < rate_known ? "estimated 1600000000 Hz" : "tsc 1600000000 Hz");
      CHECK_FALSE(trace.facts.utc_offset);
    }
    whole.files.add("t/metadata", text.substr(0, all_known));
    CHECK(whole.read().losses.empty());
    whole.files.add("t/metadata", std::vector<uint8_t>(4096));
    check(whole.read(), "estimated 1600000000 Hz");
  }
  SUBCASE("without a rate to go by") {
    Fixture fixture;
    fill(fixture, 0);
    fixture.files.add("t/metadata", "");
    const Trace trace = fixture.read();
    check(trace, "unknown");
    CHECK(trace.events.time[1] == 3 * second * 16);
  }
  SUBCASE("the remaining fields are kept") {
    std::string damaged = text;
    damaged.replace(damaged.find("freq = "), 7, "fr#q = ");
    whole.files.add("t/metadata", damaged);
    const Trace trace = whole.read();
    check(trace, "estimated 1600000000 Hz");
    CHECK(trace.machines[0].name == "host");
    CHECK(trace.processes[0].pid == 42);
  }
}

TEST_CASE("a directory of another tracer's packets is rejected") {
  MemoryFiles files;
  StreamWriter stream({.uuid = uuid, .stream = 0, .chunk_size = 1024});
  stream.event(format::k_sample, 10, 1);
  auto chunk = first_chunk(stream);
  chunk[offsetof(format::PacketHeader, format_version)] = 9;
  files.add("t/s00000-0", chunk);
  files.add("t/names-0", "text");
  CHECK_FALSE(has_our_packets(files, "t"));
  CHECK(ctf::read(files, "t").error().message() == "t: no file `metadata` in it");
}

TEST_CASE("the task table gives the rows whose lock holds still") {
  std::vector<uint8_t> bytes(format::kTableHeaderSize + 4 * sizeof(format::TaskRow));
  format::TaskTableHeader header{};
  header.magic = format::kTableMagic;
  header.version = format::kVersion;
  header.row_size = sizeof(format::TaskRow);
  header.rows = 1000;
  header.rows_used = 4;
  header.pid = 7;
  header.lost[format::kLoss_no_memory] = 5;
  std::memcpy(bytes.data(), &header, sizeof header);
  const auto put = [&](size_t index, const format::TaskRow& row) {
    std::memcpy(bytes.data() + format::kTableHeaderSize + index * sizeof row, &row, sizeof row);
  };
  format::TaskRow row{};
  row.seq = 2;
  row.id = 9;
  row.state = format::TaskState::kSuspended;
  row.on = 5;
  put(0, row);
  row.seq = 3;  // its writer was killed in the middle
  row.id = 10;
  put(1, row);
  row.seq = 4;
  row.id = 2;
  put(3, row);
  MemoryFiles files;
  files.add("t/.tasks", bytes);
  const auto table = read_task_table(files, "t/.tasks");
  REQUIRE(table);
  CHECK(table->pid == 7);
  REQUIRE(table->tasks.size() == 2);
  CHECK(table->tasks[0].id == 2);
  CHECK(table->tasks[1].on == 5);
  CHECK(table->unstable == 1);
  CHECK(table->lost[format::kLoss_no_memory] == 5);

  files.add("t/.tasks", std::vector<uint8_t>(100));
  CHECK(!read_task_table(files, "t/.tasks"));
}

namespace {

// A ring's, of 10 a coroutine, which waits for 11, a resource, since before the trace; and of 12.
TaskTable table_of_ring() {
  TaskTable table;
  table.ring_bytes = 4096;
  table.tasks.push_back({.id = 10,
                         .parent = 9,
                         .on = 11,
                         .since = 900,
                         .place = 1,
                         .at = 1,
                         .label = 2,
                         .tid = 77,
                         .state = format::TaskState::kSuspended,
                         .should_resolve = true});
  table.tasks.push_back(
      {.id = 11, .on = 12, .since = 1'100, .state = format::TaskState::kResource});
  table.tasks.push_back({.id = 12, .since = 1'100, .state = format::TaskState::kRunning});
  return table;
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "who outlived the packets of a ring is known by its task table") {
  add_names();
  StreamWriter stream({.uuid = uuid, .stream = 0, .chunk_size = 1024, .first_sequence = 7});
  stream.tid = 3;
  stream.event(format::k_resume, 1'000, 13);
  stream.event(format::k_suspend, 1'010, 11, 0);
  add("s0-", stream);
  files.add("t/.tasks", encode(table_of_ring()));
  const Trace trace = read();
  REQUIRE(trace.alive.size() == 3);
  const Alive& alive = trace.alive[0];
  CHECK(alive.id == 10);
  CHECK(alive.parent == 9);
  CHECK(alive.on == 11);
  CHECK(alive.since == -1'000);  // ns
  CHECK(alive.state == Alive::State::Suspended);
  CHECK(alive.should_resolve);
  CHECK(trace.strings[alive.name] == "session");
  CHECK(trace.strings[alive.label] == "function");
  CHECK(alive.kind == format::kKind_coroutine);
  CHECK(trace.locations[alive.location].line == 7);
  CHECK(alive.at == alive.location);
  REQUIRE(alive.executor < trace.executors.size());
  CHECK(trace.executors[alive.executor].tid == 77);
  CHECK(trace.alive[1].since == 1'000);
  CHECK(trace.alive[1].state == Alive::State::Resource);
  CHECK(trace.alive[2].on == no_task);
  CHECK(trace.find_alive(12) == &trace.alive[2]);
  CHECK(trace.find_alive(13) == nullptr);
  // That 11 is no task only the table tells.
  REQUIRE(trace.events.kind[1] == EventKind::Suspend);
  CHECK(trace.events.value[1] == 1);
}

TEST_CASE_FIXTURE(Fixture, "what has overwritten nothing takes nothing from its task table") {
  StreamWriter stream({.uuid = uuid, .stream = 0, .chunk_size = 1024});
  stream.event(format::k_suspend, 1'010, 11, 0);
  add("s0-", stream);
  files.add("t/.tasks", encode(table_of_ring()));
  const Trace trace = read();
  CHECK(trace.alive.empty());
  CHECK(trace.events.value[0] == 0);
  TaskTable log = table_of_ring();
  log.ring_bytes = 0;
  files.add("t/.tasks", encode(log));
  CHECK(!read_ring_tasks(files, "t"));
}

TEST_CASE("of two readings of a task table that is kept which is in both") {
  MemoryFiles files;
  TaskTable before = table_of_ring();
  files.add("t/.tasks", encode(before));
  auto after = read_ring_tasks(files, "t");
  REQUIRE(after);
  CHECK(encode(*after) == encode(before));
  before.tasks.erase(before.tasks.begin() + 1);  // 11 is new
  before.tasks.push_back({.id = 99, .state = format::TaskState::kRunning});
  after->tasks[0].on = 12;
  keep_common(*after, before);
  REQUIRE(after->tasks.size() == 2);
  CHECK(after->tasks[0].id == 10);
  CHECK(after->tasks[0].on == 12);
  CHECK(after->tasks[1].id == 12);
}
