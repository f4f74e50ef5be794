// An in-memory trace directory for tests of the reader: metadata, definitions and streams.
//
//   TEST_CASE_FIXTURE(Fixture, "an event is read") {
//     StreamWriter stream({.uuid = uuid, .stream = 0});
//     stream.event(format::k_sample, second, 1);
//     add("s00000-", stream);
//     CHECK(read().events.size() == 1);
//   }
#pragma once

#include <doctest/doctest.h>
#include <skein/metadata.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/file.h"
#include "trace/read/ctf/directory.h"
#include "trace/read/ctf/writer.h"

namespace skein::ctf {

inline constexpr Uuid uuid{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
inline constexpr uint64_t second = 100'000'000;  // ticks

inline std::string metadata_text(const char* host = "host", uint64_t frequency = second,
                                 const char* boot_id = "boot", int64_t offset_s = 1'700'000'000) {
  format::MetadataInfo info{.uuid = {},
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
  std::copy(uuid.begin(), uuid.end(), info.uuid);
  std::string text;
  format::write_metadata(info, [&](const char* from, size_t size) { text.append(from, size); });
  return text;
}

// An in-memory directory "t".
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

inline std::vector<uint8_t>& first_chunk(StreamWriter& stream) { return stream.finish().front(); }

}  // namespace skein::ctf
