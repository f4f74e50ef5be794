// Reads objects of its own process, by its own debug information.
#include "symbol/standard_value.h"

#include <doctest/doctest.h>
#include <dwarf.h>

#include <any>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <variant>

#include "base/disk_files.h"
#include "symbol/dwarf_attributes.h"
#include "symbol/dwarf_units.h"
#include "symbol/value_text.h"

using namespace skein;

// Not in a namespace without a name: then clang would leave out what is not used.
struct SkeinStandardSamples {
  std::vector<int> vector = {1, -2, 3};
  std::vector<int> empty_vector = {};
  std::vector<long> long_vector = std::vector<long>(1000, 7);
  std::vector<bool> bits = {true, false, true};
  std::vector<std::vector<int>> nested = {{1}, {2, 3}};
  std::deque<int> deque = {1, 2, 3};
  std::deque<int> long_deque = std::deque<int>(1000, 5);
  std::queue<int> queue = std::queue<int>({4, 5});
  std::list<int> list = {1, 2, 3};
  std::forward_list<int> forward_list = {1, 2};
  std::map<int, bool> map = {{1, true}, {2, false}};
  std::set<int> set = {3, 1, 2, 5, 4};
  std::set<int> large_set = {};
  std::unordered_map<int, int> unordered_map = {{7, 8}};
  std::array<int, 2> array = {1, 2};
  std::tuple<int, bool, char> tuple = {1, true, 'x'};
  std::optional<int> optional = 5;
  std::optional<int> nothing = {};
  std::unique_ptr<int> unique = std::make_unique<int>(6);
  std::unique_ptr<int> null = {};
  std::shared_ptr<int> shared = std::make_shared<int>(7);
  std::weak_ptr<int> expired = std::make_shared<int>(8);
  std::variant<int, bool> variant = true;
  std::atomic<int> atomic = -9;
  std::atomic<bool> flag = true;
  std::atomic<int*> atomic_pointer = nullptr;
  std::chrono::milliseconds milliseconds{1500};
  std::chrono::hours hours{2};
  std::chrono::system_clock::time_point date{std::chrono::seconds(1'700'000'000)};
  std::function<int()> function = [] { return 1; };
  std::function<int()> no_function = {};
  std::any any = 5;
  std::any no_any = {};
  std::string_view view = "a\tb";
};

namespace {

struct OwnTypes {
  std::optional<DwarfUnits> units = {};
  Dwarf_Die samples = {};
  bool is_found = false;
};

OwnTypes& own_types() {
  static OwnTypes own = [] {
    OwnTypes found;
    static const Contents contents = *DiskFiles().open("/proc/self/exe");
    static DiskFiles files;
    auto units = DwarfUnits::open(contents.bytes(), "/proc/self/exe", {}, &files,
                                  DwarfUse::Variables);
    if (!units) return found;
    found.units.emplace(std::move(*units));
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    while (!found.is_found && dwarf_get_units(found.units->file().dwarf.get(), unit, &unit, nullptr,
                                              nullptr, &die, nullptr) == 0) {
      Dwarf_Die child;
      if (!name_of(&die).ends_with("standard_value_test.cc") || dwarf_child(&die, &child) != 0)
        continue;
      do {
        found.samples = child;
        // Its constructor has the same name; clang may leave the class a declaration.
        found.is_found = name_of(&child) == "SkeinStandardSamples" &&
                         dwarf_tag(&child) == DW_TAG_structure_type &&
                         dwarf_hasattr(&child, DW_AT_declaration) == 0;
      } while (!found.is_found && dwarf_siblingof(&child, &child) == 0);
    }
    return found;
  }();
  return own;
}

// Of the members of the samples, the values by name.
std::map<std::string, std::string> values(const FrameMemory& memory, uint64_t address) {
  std::map<std::string, std::string> found;
  Dwarf_Die child;
  if (dwarf_child(&own_types().samples, &child) != 0) return found;
  do {
    Dwarf_Die type;
    if (dwarf_tag(&child) == DW_TAG_member && type_of(&child, &type))
      found[name_of(&child)] = value_text(
          memory, type, address + number_of(&child, DW_AT_data_member_location).value_or(0));
  } while (dwarf_siblingof(&child, &child) == 0);
  return found;
}

size_t own_memory(uint64_t address, std::span<uint8_t> to) {
  std::memcpy(to.data(), reinterpret_cast<const void*>(address), to.size());  // NOLINT
  return to.size();
}

}  // namespace

TEST_CASE("objects of the standard library show what they contain") {
  if (!own_types().is_found) {
    MESSAGE("skipped: no debug information");
    return;
  }
  SkeinStandardSamples samples;
  for (int i = 100; i > 0; i--) samples.large_set.insert(i);
  auto found = values(own_memory, reinterpret_cast<uint64_t>(&samples));  // NOLINT
  const std::map<std::string, std::string> expected = {
      {"vector", "{1, -2, 3}"},
      {"empty_vector", "{}"},
      {"long_vector", "size 1000 {7, 7, 7, 7, 7, 7, 7, 7, ..}"},
      {"bits", "{true, false, true}"},
      {"nested", "{{1}, {2, 3}}"},
      {"deque", "{1, 2, 3}"},
      {"long_deque", "size 1000 {5, 5, 5, 5, 5, 5, 5, 5, ..}"},
      {"queue", "{4, 5}"},
      {"list", "{1, 2, 3}"},
      {"forward_list", "{1, 2}"},
      {"map", "{[1] = true, [2] = false}"},
      {"set", "{1, 2, 3, 4, 5}"},
      {"large_set", "size 100 {1, 2, 3, 4, 5, 6, 7, 8, ..}"},
      {"unordered_map", "{[7] = 8}"},
      {"array", "{1, 2}"},
      {"tuple", "{1, true, 'x'}"},
      {"optional", "5"},
      {"nothing", "nullopt"},
      {"null", "nullptr"},
      {"expired", "expired"},
      {"variant", "[index 1] true"},
      {"atomic", "-9"},
      {"flag", "true"},
      {"atomic_pointer", "nullptr"},
      {"milliseconds", "1500ms"},
      {"hours", "2h"},
      {"date", "2023-11-14 22:13:20 UTC"},
      {"no_function", "empty"},
      {"no_any", "empty"},
      {"view", "\"a\\tb\""},
  };
  for (const auto& one : expected) {
    CAPTURE(one.first);
    CHECK(found[one.first] == one.second);
  }
  CHECK(found["unique"].ends_with(" 6"));
  CHECK(found["shared"].ends_with(" 7"));
  CHECK(found["function"] == "not empty");
}

TEST_CASE("nodes that belong to an object elsewhere are not shown") {
  if (!own_types().is_found) return;
  const SkeinStandardSamples samples;
  constexpr uint64_t copy = 0x10000;
  const FrameMemory memory = [&](uint64_t address, std::span<uint8_t> to) {
    if (address >= copy && address < copy + sizeof samples)
      address += reinterpret_cast<uint64_t>(&samples) - copy;  // NOLINT
    return own_memory(address, to);
  };
  auto found = values(memory, copy);
  CHECK(found["vector"] == "{1, -2, 3}");
  CHECK(found["list"] == "?");
  CHECK(found["set"] == "?");
}

TEST_CASE("objects in damaged memory") {
  if (!own_types().is_found) return;
  constexpr uint64_t base = 0x1000;
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; i++) {
    // Addresses that lead in circles, sizes of any kind, and memory that ends.
    std::vector<uint64_t> words(512);
    for (uint64_t& one : words)
      one = random() % 4 == 0 ? random() >> random() % 64 : base + random() % 4096 / 8 * 8;
    const FrameMemory memory = [&](uint64_t address, std::span<uint8_t> to) -> size_t {
      if (address < base || address >= base + 8 * words.size()) return 0;
      const uint64_t size = std::min<uint64_t>(to.size(), base + 8 * words.size() - address);
      std::memcpy(to.data(), reinterpret_cast<const char*>(words.data()) + address - base, size);
      return size;
    };
    for (const auto& one : values(memory, base)) {
      CAPTURE(one.first);
      CHECK(one.second.size() <= 200);
    }
  }
}

TEST_CASE("an unreadable object") {
  if (!own_types().is_found) return;
  const FrameMemory none = [](uint64_t, std::span<uint8_t>) -> size_t { return 0; };
  for (const auto& [name, value] : values(none, 0x1000)) CHECK(value.size() <= 200);
}

TEST_CASE("types that a function or an any holds") {
  CHECK(held_type("std::any::_Manager_internal<int>::_S_manage(std::any::_Op, std::any const*, "
                  "std::any::_Arg*)") == "int");
  CHECK(held_type("std::_Function_handler<void (int, char), main::{lambda(int, char)#1}>::"
                  "_M_invoke(std::_Any_data const&)") == "main::{lambda(int, char)#1}");
  CHECK(held_type("std::_Function_handler<int (), std::pair<int, long> >::_M_invoke") ==
        "std::pair<int, long>");
  CHECK(held_type("main").empty());
  CHECK(held_type("std::_Function_handler<").empty());
}
