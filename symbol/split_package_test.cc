#include "symbol/split_package.h"

#include <doctest/doctest.h>

#include <string>

#include "symbol/elf_writer.h"

using namespace skein;

namespace {

std::string words(std::initializer_list<uint32_t> values) {
  std::string out;
  for (const uint32_t value : values)
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  return out;
}

bool is_index(const std::string& index) {
  ElfWriter elf;
  elf.add(".debug_cu_index", index);
  elf.add(".debug_info.dwo", "x");
  return SplitPackage::open(Contents(elf.bytes()), "x.dwp").operator bool();
}

}  // namespace

TEST_CASE("the index of a package") {
  // Version, columns, units, slots; two ids; rows; sections; offsets; sizes.
  const std::string index = words({5, 2, 1, 2}) + words({7, 0, 0, 0}) + words({1, 0}) +
                            words({1, 3}) + words({0, 0}) + words({1, 1});
  CHECK(is_index(index));
  for (size_t size = 0; size < index.size(); size++) CHECK_FALSE(is_index(index.substr(0, size)));
  CHECK_FALSE(is_index(words({3, 0, 0, 0})));           // another version
  CHECK_FALSE(is_index(words({5, 100, 0, 0})));         // columns
  CHECK_FALSE(is_index(words({5, 1, 0, 3})));           // slots: no power of two
  CHECK_FALSE(is_index(words({5, 1, UINT32_MAX, 2})));  // units
  CHECK_FALSE(SplitPackage::open(Contents(std::vector<uint8_t>(100)), "x.dwp"));
  CHECK_FALSE(SplitPackage::open(Contents(ElfWriter().bytes()), "x.dwp"));
}
