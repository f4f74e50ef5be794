#include "view/web/document/pack.h"

#include <doctest/doctest.h>

#include "base/disk_files.h"

using namespace skein;

namespace {

std::vector<uint8_t> example(const char* name) {
  DiskFiles files;
  const auto contents = files.open(std::string(SKEIN_SOURCE "/tests/data/mirage/") + name);
  REQUIRE(contents);
  return {contents->bytes().begin(), contents->bytes().end()};
}

void check(const std::vector<uint8_t>& file) {
  const auto packed = web::pack(file);
  if (!packed.empty()) CHECK(web::unpack(packed, file.size()) == file);
}

}  // namespace

TEST_CASE("packing is lossless and makes data smaller") {
  for (const char* name : {"straight.ctf", "ring.ctf", "damaged.ctf", "hostile.ctf"}) {
    CAPTURE(name);
    const auto file = example(name);
    const auto packed = web::pack(file);
    REQUIRE(!packed.empty());
    CHECK(web::unpack(packed, file.size()) == file);
    if (std::string_view(name) == "straight.ctf") CHECK(packed.size() < file.size() / 2);
  }
}

TEST_CASE("packing is lossless for damaged files") {
  const auto file = example("straight.ctf");
  uint32_t seed = 7;
  const auto random = [&](size_t below) {
    seed = seed * 1103515245 + 12345;
    return (seed >> 8) % below;
  };
  for (size_t i = 0; i < 200; i++) {
    auto damaged = file;
    for (size_t k = 0; k < 5; k++)
      damaged[random(file.size())] ^= static_cast<uint8_t>(1u << random(8));
    damaged.resize(random(file.size()));
    check(damaged);
  }
  CHECK(web::pack({}).empty());
}

TEST_CASE("a damaged packed file gives a file of the expected size") {
  const auto file = example("straight.ctf");
  const auto packed = web::pack(file);
  uint32_t seed = 9;
  for (size_t i = 0; i < 200; i++) {
    auto damaged = packed;
    for (size_t k = 0; k < 5; k++) {
      seed = seed * 1103515245 + 12345;
      damaged[(seed >> 8) % (i % 2 ? damaged.size() : 100)] ^= static_cast<uint8_t>(seed);
    }
    if (i % 3 == 0) damaged.resize(seed % damaged.size());
    CHECK(web::unpack(damaged, file.size()).size() == file.size());
  }
  CHECK(web::unpack({}, 3) == std::vector<uint8_t>(3));
}
