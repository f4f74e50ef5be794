#include "trace/read/reader.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "trace/read/foreign/fxt/writer.h"
#include "trace/read/mirage/writer.h"

using namespace skein;

namespace {

std::vector<uint8_t> small_trace() {
  std::vector<uint8_t> bytes;
  mirage::Writer writer(512, [&](std::span<const uint8_t> packet) {
    bytes.insert(bytes.end(), packet.begin(), packet.end());
  });
  writer.label(1000, 1, "one");
  writer.finish();
  return bytes;
}

std::string refusal(Files& files, const std::string& path) {
  const auto trace = read_trace(files, path);
  REQUIRE_FALSE(trace);
  const std::string message = trace.error().message();
  CHECK(message.find('\n') == std::string::npos);
  CHECK(message.find(path) == 0);
  return trace.error().what;
}

}  // namespace

TEST_CASE("a mirage-profile file is recognised, even if its beginning is lost") {
  MemoryFiles files;
  std::vector<uint8_t> bytes = small_trace();
  files.add("whole", bytes);
  CHECK(read_trace(files, "whole").value().events.size() == 1);
  CHECK(read_trace(files, "whole").value().losses.empty());
  std::fill_n(bytes.begin(), 200, uint8_t{0});
  files.add("damaged", bytes);
  const Trace damaged = read_trace(files, "damaged").value();
  CHECK(damaged.events.empty());
  CHECK_FALSE(damaged.losses.empty());
}

TEST_CASE("a file that is not a trace is rejected with a one-line message") {
  MemoryFiles files;
  files.add("empty", "");
  files.add("text", "This is no trace, by far not, whatever one might think of it.");
  files.add("short", "x");
  files.add("zeros", std::vector<uint8_t>(100'000, 0));
  files.add("folder/file", "x");
  std::vector<uint8_t> other = small_trace();
  for (size_t at = 0; at < other.size(); at += 512)
    for (size_t i = 4; i < 20; i++) other[at + i] = static_cast<uint8_t>(i * 7);
  files.add("other", other);
  std::vector<uint8_t> program = small_trace();  // contains the magic number of mirage-profile
  program.insert(program.begin(), {0x7f, 'E', 'L', 'F', 2, 1, 1, 0});
  files.add("program", program);
  CHECK(refusal(files, "program") == "an ELF file, not a trace");
  CHECK(refusal(files, "empty") == "empty, not a trace");
  CHECK(refusal(files, "text") == "not a trace");
  CHECK(refusal(files, "short") == "not a trace");
  CHECK(refusal(files, "zeros") == "not a trace");
  CHECK(refusal(files, "folder") == "a directory that contains no trace");
  CHECK(refusal(files, "missing") == "No such file or directory");
  CHECK(refusal(files, "other") == "a CTF stream with another uuid than mirage-profile's");
}

TEST_CASE("an FXT file is recognised, even without its magic number or with half of it") {
  std::vector<uint8_t> bytes;
  fxt::Writer writer([&](std::span<const uint8_t> record) {
    bytes.insert(bytes.end(), record.begin(), record.end());
  });
  writer.event(fxt::EventType::Instant, 1000, {1, 2}, "category", "name");
  MemoryFiles files;
  files.add("whole", bytes);
  CHECK(read_trace(files, "whole").value().info.format == "FXT");
  files.add("short", std::vector<uint8_t>(bytes.begin(), bytes.begin() + 10));
  CHECK(read_trace(files, "short").value().events.empty());
  files.add("without", std::vector<uint8_t>(bytes.begin() + 8, bytes.end()));
  CHECK(read_trace(files, "without").value().events.size() == 3);
  bytes[3] = bytes[4] = 0;
  files.add("half", bytes);
  CHECK(read_trace(files, "half").value().events.size() == 3);
  CHECK(read_trace(files, "half").value().losses.size() == 1);
}

TEST_CASE("progress ends at the total size") {
  MemoryFiles files;
  files.add("trace", small_trace());
  uint64_t last = 0;
  uint64_t all = 0;
  const auto trace = read_trace(files, "trace", [&](uint64_t done, uint64_t total) {
    CHECK(done >= last);
    last = done;
    all = total;
    return true;
  });
  REQUIRE(trace);
  CHECK(last == 2048);
  CHECK(all == 2048);
  size_t asked = 0;
  const auto begun = read_trace(files, "trace", [&](uint64_t, uint64_t) {
    asked++;
    return false;
  });
  CHECK(begun);
  CHECK(asked == 1);
}
