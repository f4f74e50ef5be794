#include "frames/written_parts.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace skein;

namespace {

constexpr uint64_t mega = uint64_t{1} << 20;

class Mapped : public Target {
 public:
  explicit Mapped(std::vector<Mapping> mappings) : mappings_(std::move(mappings)) {}
  const std::string& name() const override { return name_; }
  uint64_t pid() const override { return 1; }
  Architecture architecture() const override { return Architecture::X86_64; }
  const std::vector<Mapping>& mappings() const override { return mappings_; }
  std::vector<TargetThread> threads() const override { return {}; }
  using Target::read;
  size_t read(uint64_t, std::span<uint8_t>) const override { return 0; }
  uint64_t first_data(uint64_t begin, uint64_t end) const override {
    const uint64_t hole = begin / mega / 16 * 16 + 8;  // 4 MiB in each 16
    return begin / mega - hole < 4 ? std::min(end, (hole + 4) * mega) : begin;
  }
  Result<Contents> file_of(const Mapping&) const override { return Error{}; }

 private:
  std::string name_ = "program";
  std::vector<Mapping> mappings_;
};

Mapping data(uint64_t begin, uint64_t end) {
  return {.begin = begin, .end = end, .readable = true, .writable = true};
}

}  // namespace

TEST_CASE("parts of memory that was written") {
  const Mapped target({data(3 * mega, 14 * mega), {.begin = 20 * mega, .end = 21 * mega}});
  const auto parts = written_parts(target);
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].begin == 3 * mega);
  CHECK(parts[0].end == 4 * mega);
  CHECK(parts[1].end == 8 * mega);
  CHECK(parts[2].begin == 12 * mega);
  CHECK(parts[2].end == 14 * mega);
  CHECK(parts[2].limit == 14 * mega);
  CHECK(size_of(parts) == 7 * mega);
}

TEST_CASE("a sample has the small mappings whole, and of the others evenly spread parts") {
  const Mapped target({data(1024 * mega, 1028 * mega), data(4096 * mega, 8192 * mega)});
  const auto all = written_parts(target);
  for (const uint64_t most : {8 * mega, 100 * mega, 1000 * mega}) {
    const auto sample = sample_of(all, most);
    CHECK(size_of(sample) <= most);
    CHECK(size_of(sample) > most - 8 * mega);
    CHECK(sample.front().begin == 1024 * mega);
    uint64_t widest = 0;
    for (size_t i = 2; i < sample.size(); i++)
      widest = std::max(widest, sample[i].begin - sample[i - 1].begin);
    CHECK(widest <= 2 * 4096 * mega / (size_of(sample) / (4 * mega)));
  }
  CHECK(sample_of(all, UINT64_MAX).size() == all.size());
  CHECK(sample_of(all, 0).empty());
  CHECK(sample_of({}, 0).empty());
}
