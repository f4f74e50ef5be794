// Reading directories that are damaged or are not skein traces.
#include <doctest/doctest.h>

#include "trace/read/ctf/test_directory.h"

using namespace skein;
using namespace skein::ctf;

TEST_CASE_FIXTURE(Fixture, "an incomplete event is not read; its bytes are reported") {
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
    CHECK(trace.losses[0].what == "event truncated");
    CHECK(trace.losses[0].file == "s0");
    CHECK(trace.losses[0].offset == sizeof(format::PacketHeader) + 5);
    CHECK(trace.losses[0].bytes == cut - sizeof(format::PacketHeader) - 5);
  }
}

TEST_CASE_FIXTURE(Fixture, "implausible ids and sizes do not allocate memory") {
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

TEST_CASE_FIXTURE(Fixture, "definitions after a gap of zeros are read") {
  StreamWriter names({.uuid = uuid,
                      .stream = format::kNamesStream,
                      .chunk_size = 4096,
                      .flags = format::kFlagNames});
  constexpr size_t size = 15;  // of each definition
  for (uint32_t id = 1; id <= 8; id++)
    names.fixed(format::k_string, 5).u32(id).text("text-" + std::to_string(id)).done();
  auto chunk = first_chunk(names);
  const size_t hole = sizeof(format::PacketHeader) + 2 * size + 10;  // in the text of the third
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

TEST_CASE_FIXTURE(Fixture, "a chunk without a packet of the trace is skipped and reported") {
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

TEST_CASE("foreign metadata is reported as one clear error") {
  MemoryFiles files;
  const auto error = [&](std::string_view text) {
    files.add("t/metadata", text);
    const auto trace = ctf::read(files, "t");
    REQUIRE(!trace);
    return trace.error().message();
  };
  CHECK(error("") == "t/metadata at byte 0: not CTF 1.8 metadata in plain text");
  CHECK(error("/* CTF 1.8 */") == "t: a CTF trace of an unknown tracer; read it with babeltrace2");
  CHECK(error("/* CTF 1.8 */ env { tracer_name = \"skein\"; };") ==
        "t/metadata: the clock frequency is missing");
  CHECK(error("/* CTF 1.8 */ clock { freq = 5; }; env { tracer_name = \"lttng\"; };") ==
        "t: a CTF trace of lttng; read it with babeltrace2");
  CHECK(
      error("/* CTF 1.8 */ clock { freq = 5; }; env { tracer_name = skein; tracer_major = 9; };") ==
      "t: trace format version 9 is newer than this skein, which reads versions 1 to 2; "
      "use the skein that recorded it");
  std::string edited = metadata_text();
  edited.replace(edited.find("offset = "), 9, "offset   =  /* corrected */ ");
  files.add("t/metadata", edited);
  CHECK(*ctf::read(files, "t")->info.utc_offset == 1'700'000'000'250'000'000);
}

TEST_CASE("lost or damaged metadata is reconstructed from the packets") {
  // Two packets, three seconds apart, and definitions.
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
    CHECK(trace.info.clock == clock);
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
    CHECK_FALSE(trace->info.utc_offset);
    CHECK(trace->losses[0].what == "no file `metadata`; the clock frequency is estimated");
  }
  SUBCASE("truncated anywhere, or overwritten") {
    const size_t rate_known = text.find(";", text.find("freq =")) + 1;
    const size_t all_known = text.find(";", text.find("offset =")) + 1;
    for (size_t size = 0; size < all_known; size++) {
      whole.files.add("t/metadata", text.substr(0, size));
      const Trace trace = whole.read();
      check(trace, size < rate_known ? "estimated 1600000000 Hz" : "tsc 1600000000 Hz");
      CHECK_FALSE(trace.info.utc_offset);
    }
    whole.files.add("t/metadata", text.substr(0, all_known));
    CHECK(whole.read().losses.empty());
    whole.files.add("t/metadata", std::vector<uint8_t>(4096));
    check(whole.read(), "estimated 1600000000 Hz");
  }
  SUBCASE("without packets to compute the frequency from") {
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

TEST_CASE("a directory with packets of another tracer is rejected") {
  MemoryFiles files;
  StreamWriter stream({.uuid = uuid, .stream = 0, .chunk_size = 1024});
  stream.event(format::k_sample, 10, 1);
  auto chunk = first_chunk(stream);
  chunk[offsetof(format::PacketHeader, format_version)] = 9;
  files.add("t/s00000-0", chunk);
  files.add("t/names-0", "text");
  CHECK_FALSE(has_our_packets(files, "t"));
  CHECK(ctf::read(files, "t").error().message() == "t: no file `metadata`");
}
