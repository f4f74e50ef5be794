#include "symbol/functions.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "symbol/tiny_elf.h"

namespace skein {

TEST_CASE("functions are found by address, among few and many") {
  for (const size_t count : std::vector<size_t>{0, 1, 2, 31, 32, 33, 64, 65, 1000}) {
    std::vector<std::string> names;
    for (size_t i = 0; i < count; i++) names.push_back("f" + std::to_string(i));
    TinyElf elf;
    elf.add_symbols(names);
    const std::vector<uint8_t> bytes = elf.bytes();
    const auto functions = Functions::read(bytes, "x");
    REQUIRE(functions);
    REQUIRE(functions->all().size() == count);
    CHECK(functions->is_complete());
    CHECK(functions->find(0xfff) == nullptr);
    CHECK(functions->find(0x1000 + count) == nullptr);
    CHECK(functions->find(UINT64_MAX) == nullptr);
    for (size_t i = 0; i < count; i++) {
      REQUIRE(functions->find(0x1000 + i) != nullptr);
      CHECK(functions->find(0x1000 + i)->name == names[i]);
    }
  }
}

TEST_CASE("a file with dynamic symbols only is not complete") {
  TinyElf elf;
  elf.add_symbols({"exported"}, SHT_DYNSYM);
  const std::vector<uint8_t> bytes = elf.bytes();
  const auto functions = Functions::read(bytes, "x");
  REQUIRE(functions);
  CHECK(!functions->is_complete());
  CHECK(functions->find(0x1000)->name == "exported");
}

TEST_CASE("names that the demangler does not know") {
  CHECK(demangled("_ZN4coro6detailL18make_when_all_taskITkNS_8concepts9awaitableEEEvv") ==
        "coro::detail::make_when_all_task");
  CHECK(demangled("_Z4waitITkNS_1cEEvv") == "wait");
  CHECK(demangled("_ZSt") == "_ZSt");
  CHECK(demangled("_ZN99x") == "_ZN99x");
  CHECK(demangled("_Z") == "_Z");
}

}  // namespace skein
