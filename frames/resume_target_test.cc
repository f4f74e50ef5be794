#include "frames/resume_target.h"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

using namespace skein;

namespace {

// At 0x1000: lea 0xff9(%rip),%rdx (0x2000); movslq (%rdx,%rcx,4),%rax; add %rdx,%rax; jmp *%rax
const std::vector<uint8_t> dispatch = {0x48, 0x8D, 0x15, 0xF9, 0x0F, 0,    0,    0x48, 0x63, 0x04,
                                       0x8A, 0x48, 0x01, 0xD0, 0xFF, 0xE0, 0x90, 0x90, 0x90, 0x90};

template <typename Entry>
std::optional<uint64_t> target(const std::vector<uint8_t>& code, std::vector<Entry> entries,
                               uint32_t point) {
  return resume_target(code, 0x1000, point,
                       [&](uint64_t address, uint64_t size) -> std::span<const uint8_t> {
                         const std::span bytes(reinterpret_cast<const uint8_t*>(entries.data()),
                                               entries.size() * sizeof(Entry));
                         if (address != 0x2000 || size > bytes.size()) return {};
                         return bytes.first(size);
                       });
}

constexpr int32_t at(int32_t address) { return address - 0x2000; }

}  // namespace

TEST_CASE("the target of a table") {
  const std::vector<int32_t> entries = {at(0x1001), at(0x1010), at(0x1002),
                                        at(0x1010), at(0x1011), at(0x1010)};
  CHECK(target(dispatch, entries, 4) == 0x1011);
  CHECK(target(dispatch, entries, 2) == 0x1002);
  CHECK_FALSE(target(dispatch, entries, 3));
  CHECK_FALSE(target(dispatch, entries, 6));  // outside
  // Not one of g++'s: odd numbers differ. Outside of the function.
  CHECK_FALSE(target(dispatch, std::vector<int32_t>{0, 1, 2, 3, at(0x1011)}, 4));
  CHECK_FALSE(target(dispatch, std::vector<int32_t>{0, 1, 2, 1, at(0x1100)}, 4));
}

TEST_CASE("a table of addresses") {
  // jmp *0x2000(,%rcx,8)
  const std::vector<uint8_t> code = {0x90, 0xFF, 0x24, 0xCD, 0x00, 0x20, 0, 0, 0x90, 0x90};
  CHECK(target(code, std::vector<uint64_t>{0x1001, 0x1002, 0x1003}, 2) == 0x1003);
}

TEST_CASE("code that is cut short anywhere has no table") {
  for (size_t size = 0; size < 16; size++)
    CHECK_FALSE(target({dispatch.begin(), dispatch.begin() + static_cast<int64_t>(size)},
                       std::vector<int32_t>{at(0x1001), at(0x1002), at(0x1003)}, 2));
}
