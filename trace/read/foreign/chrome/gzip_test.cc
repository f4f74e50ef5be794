#include "trace/read/foreign/chrome/gzip.h"

#include <doctest/doctest.h>
#include <zlib.h>

#include <string>
#include <string_view>
#include <vector>

#include "trace/read/reader.h"

using namespace skein;

namespace {

std::vector<uint8_t> packed(std::string_view text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) == Z_OK);
  std::vector<uint8_t> out(deflateBound(&stream, text.size()));
  stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = out.data();
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string json(size_t events) {
  std::string text = "{\"traceEvents\":[";
  for (size_t i = 0; i < events; i++)
    text += (i ? "," : "") + std::string("{\"ph\":\"C\",\"name\":\"n\",\"pid\":1,\"ts\":") +
            std::to_string(i) + ",\"args\":{\"v\":" + std::to_string(i * i) + "}}\n";
  return text + "]}";
}

Result<Trace> read_file(std::vector<uint8_t> bytes) {
  MemoryFiles files;
  files.add("trace.json.gz", std::move(bytes));
  return read_trace(files, "trace.json.gz");
}

}  // namespace

TEST_CASE("a compressed JSON trace is read") {
  const auto trace = read_file(packed(json(20'000)));
  REQUIRE(trace);
  CHECK(trace->info.format == "Chrome JSON");
  CHECK(trace->losses.empty());
  CHECK(count_kinds(trace->events)[static_cast<size_t>(EventKind::CounterSet)] == 20'000);
}

TEST_CASE("members of a gzip file are concatenated") {
  const std::string text = json(3);
  std::vector<uint8_t> file = packed(std::string_view(text).substr(0, 40));
  const std::vector<uint8_t> rest = packed(std::string_view(text).substr(40));
  file.insert(file.end(), rest.begin(), rest.end());
  const auto trace = read_file(file);
  REQUIRE(trace);
  CHECK(trace->losses.empty());
  CHECK(count_kinds(trace->events)[static_cast<size_t>(EventKind::CounterSet)] == 3);
}

TEST_CASE("the beginning of a truncated file is read, and the loss is listed") {
  std::vector<uint8_t> file = packed(json(20'000));
  file.resize(file.size() / 2);
  const auto trace = read_file(file);
  REQUIRE(trace);
  CHECK(trace->events.size() > 1000);
  REQUIRE_FALSE(trace->losses.empty());
  CHECK(trace->losses.back().what == "compressed file truncated");
  CHECK(trace->losses.back().offset == file.size());
}

TEST_CASE("unpacking ends at the damage") {
  std::vector<uint8_t> file = packed(json(20'000));
  for (size_t i = 0; i < 64; i++) file[file.size() / 2 + i] = 0xff;
  const auto unpacked = chrome::unpack(file, UINT64_MAX);
  CHECK_FALSE(unpacked.problem.empty());
  CHECK(unpacked.offset <= file.size());
}

TEST_CASE("a file that contains no trace is rejected") {
  const auto trace = read_file(packed("This is no trace."));
  REQUIRE_FALSE(trace);
  CHECK(trace.error().what == "compressed, and not a Chrome JSON file");
  CHECK_FALSE(read_file({0x1f, 0x8b, 8}));
}

TEST_CASE("unpacking a file to a thousand times its size is bounded in memory") {
  const std::vector<uint8_t> bomb = packed(std::string(10'000'000, ' '));
  REQUIRE(bomb.size() < 20'000);
  const auto unpacked = chrome::unpack(bomb, 100'000);
  CHECK(unpacked.bytes.size() == 100'000);
  CHECK(unpacked.bytes.capacity() < 1'000'000);
  CHECK(unpacked.problem == "unpacks to more than 100000 bytes");
  CHECK(chrome::unpack_limit(1 << 20) == 100 << 20);
  CHECK(chrome::unpack_limit(10) == 64 << 20);
  CHECK(chrome::unpack_limit(uint64_t{1} << 60) <= uint64_t{8} << 30);
}
