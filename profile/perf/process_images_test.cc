#include "profile/perf/process_images.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

using namespace skein;

namespace {

PerfRecord mapping(uint32_t pid, uint64_t begin, uint64_t size, uint64_t offset,
                   std::string_view file) {
  PerfRecord record;
  record.type = PerfRecord::Type::Mapping;
  record.pid = pid;
  record.begin = begin;
  record.size = size;
  record.offset = offset;
  record.text = file;
  return record;
}

PerfRecord fork(uint32_t pid, uint32_t parent) {
  PerfRecord record;
  record.type = PerfRecord::Type::Fork;
  record.pid = record.tid = pid;
  record.parent = parent;
  return record;
}

// "0x1000-0x2000 a+0, ..."
std::string text_of(const ProcessImages& images, uint32_t pid) {
  std::string text;
  const auto image = images.of(pid);
  if (!image) return "none";
  for (const auto& [begin, mapped] : image->mappings)
    text += (text.empty() ? "" : ", ") + std::to_string(begin) + "-" + std::to_string(mapped.end) +
            " " + images.files()[mapped.file].name + "+" + std::to_string(mapped.offset);
  return text;
}

}  // namespace

TEST_CASE("a mapping replaces what it covers") {
  ProcessImages images;
  images.use(mapping(1, 100, 100, 0, "a"));
  images.use(mapping(1, 300, 100, 0, "b"));
  CHECK(text_of(images, 1) == "100-200 a+0, 300-400 b+0");
  SUBCASE("in the middle") {
    images.use(mapping(1, 140, 20, 7, "c"));
    CHECK(text_of(images, 1) == "100-140 a+0, 140-160 c+7, 160-200 a+60, 300-400 b+0");
  }
  SUBCASE("the beginning") {
    images.use(mapping(1, 100, 20, 7, "c"));
    CHECK(text_of(images, 1) == "100-120 c+7, 120-200 a+20, 300-400 b+0");
  }
  SUBCASE("the end of one, and the beginning of the next") {
    images.use(mapping(1, 150, 200, 7, "c"));
    CHECK(text_of(images, 1) == "100-150 a+0, 150-350 c+7, 350-400 b+50");
  }
  SUBCASE("all") {
    images.use(mapping(1, 0, 1000, 7, "c"));
    CHECK(text_of(images, 1) == "0-1000 c+7");
  }
  SUBCASE("neighbours stay") {
    images.use(mapping(1, 200, 100, 7, "c"));
    CHECK(text_of(images, 1) == "100-200 a+0, 200-300 c+7, 300-400 b+0");
  }
  SUBCASE("nonsense has no effect") {
    images.use(mapping(1, 200, 0, 7, "c"));
    images.use(mapping(1, 200, UINT64_MAX, 7, "c"));
    CHECK(text_of(images, 1) == "100-200 a+0, 300-400 b+0");
  }
}

TEST_CASE("an address is in a mapping or in none") {
  ProcessImages images;
  images.use(mapping(1, 100, 100, 0, "a"));
  const auto image = images.of(1);
  CHECK(image->find(99) == image->mappings.end());
  CHECK(image->find(100)->first == 100);
  CHECK(image->find(199)->first == 100);
  CHECK(image->find(200) == image->mappings.end());
}

TEST_CASE("a child has its parent's mappings until one of them changes") {
  ProcessImages images;
  images.use(mapping(1, 100, 100, 0, "a"));
  images.use(fork(2, 1));
  CHECK(images.of(2) == images.of(1));
  images.use(mapping(2, 100, 50, 0, "b"));
  CHECK(text_of(images, 1) == "100-200 a+0");
  CHECK(text_of(images, 2) == "100-150 b+0, 150-200 a+50");
  images.use(fork(3, 2));
  PerfRecord exec;
  exec.type = PerfRecord::Type::Name;
  exec.pid = 3;
  exec.is_exec = true;
  images.use(exec);
  CHECK(text_of(images, 3) == "none");
  CHECK(text_of(images, 2) == "100-150 b+0, 150-200 a+50");
}

TEST_CASE("a file with another build id is another file") {
  ProcessImages images;
  const std::array<uint8_t, 2> first{0x0a, 0xff}, second{0x0b, 0xff};
  PerfRecord record = mapping(1, 100, 100, 0, "a");
  record.build_id = first;
  images.use(record);
  images.use(record);
  record.pid = 2;
  record.build_id = second;
  images.use(record);
  REQUIRE(images.files().size() == 2);
  CHECK(images.files()[0].build_id == "0aff");
  CHECK(images.files()[1].build_id == "0bff");
}

TEST_CASE("where the kernel was loaded") {
  ProcessImages images;
  images.use(mapping(UINT32_MAX, 0, 1000, 4096, "[kernel.kallsyms]_text"));
  CHECK(images.kernel_symbol() == "_text");
  CHECK(images.kernel_address() == 4096);
  CHECK(images.files().empty());
}
