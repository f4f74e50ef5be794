#include "symbol/lines.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <filesystem>
#include <set>

#include "base/disk_files.h"
#include "symbol/functions.h"
#include "symbol/lambdas.h"
#include "symbol/tiny_elf.h"

namespace skein {

namespace {

[[gnu::always_inline]] inline int inlined_part(int x) {
  asm volatile("" : "+r"(x));
  return x * 3;
}
constexpr uint32_t before_function = __LINE__;

}  // namespace

extern "C" [[gnu::noinline]] int skein_lines_test_function(int x) {
  asm volatile("" : "+r"(x));
  x += inlined_part(x);
  asm volatile("" : "+r"(x));
  return x;
}
namespace {
constexpr uint32_t behind_function = __LINE__;
int (*volatile used)(int) = skein_lines_test_function;

std::string text(std::initializer_list<int> bytes) {
  std::string out;
  for (const int byte : bytes) out += static_cast<char>(byte);
  return out;
}

std::string u32(uint32_t value) { return {reinterpret_cast<const char*>(&value), 4}; }
std::string u64(uint64_t value) { return {reinterpret_cast<const char*>(&value), 8}; }

// DWARF 4: a unit at [0x1000, 0x2000) with the given entries.
std::string unit(const std::string& entries) {
  const std::string body =
      text({4, 0}) + u32(0) + text({8, 1}) + u64(0x1000) + u64(0x1000) + u32(0) + entries;
  return u32(static_cast<uint32_t>(body.size())) + body;
}
constexpr uint32_t first_entry = 4 + 7 + 1 + 8 + 8 + 4;

// 1: unit (low_pc, high_pc data8, stmt_list). 2: function, with children and a sibling (ref4).
// 3: the same without a sibling. 4: an entry of no bytes.
std::string abbreviations() {
  return text({1, 0x11, 1, 0x11, 1, 0x12, 7, 0x10, 0x17, 0, 0}) +
         text({2, 0x2e, 1, 1, 0x13, 0x11, 1, 0x12, 7, 0, 0}) +
         text({3, 0x2e, 1, 0x11, 1, 0x12, 7, 0, 0}) + text({4, 0x0b, 0, 0, 0}) + text({0});
}

std::vector<uint8_t> debug_elf(const std::string& info, const std::string& abbreviation,
                               const std::string& lines = {}) {
  TinyElf elf;
  elf.add(".debug_abbrev", abbreviation);
  elf.add(".debug_info", info);
  elf.add(".debug_line", lines);
  return elf.bytes();
}

// All questions, of a file that may be hostile. What does not end is a failure by ctest's timeout.
void ask_all(const std::vector<uint8_t>& elf) {
  const auto lines = Lines::read(elf, "x");
  if (!lines) return;
  for (uint64_t address = 0x1000; address < 0x1010; address++) {
    (void)lines->at(address);
    (void)lines->frames(address);
    (void)lines->inlined_at(address);
    (void)lines->inlined(address, "f");
    (void)lines->member_offset(address, "v", "m");
  }
}

}  // namespace

TEST_CASE("lines of the outermost call, also from the cache") {
  DiskFiles files;
  const auto program = files.open("/proc/self/exe");
  REQUIRE(program);
  const auto functions = Functions::read(program->bytes(), "self");
  REQUIRE(functions);
  const Functions::Function* function = nullptr;
  for (const auto& each : functions->all())
    if (each.name == "skein_lines_test_function") function = &each;
  REQUIRE(function != nullptr);
  CHECK(used(1) == 4);
  char folder[] = "/tmp/skein-lines-test-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const SymbolCache cache(folder);
  std::vector<std::optional<Lines::Place>> answers;
  size_t calls = 0;
  {
    const auto lines = Lines::read(program->bytes(), "self", {}, files, cache);
    REQUIRE(lines);
    std::set<uint32_t> seen;
    std::set<std::string> inlined;
    for (uint64_t at = function->begin; at < function->end; at++) {
      answers.push_back(lines->at(at));
      REQUIRE(answers.back());
      CHECK(answers.back()->file.ends_with("lines_test.cc"));
      seen.insert(answers.back()->line);
      CHECK(lines->at(at) == answers.back());
      const std::vector<InlinedFrame> frames = lines->frames(at);
      REQUIRE_FALSE(frames.empty());
      CHECK(frames.back().function.empty());
      CHECK(frames.back().place == *answers.back());
      if (frames.size() > 1) inlined.insert(frames.front().function);
      std::vector<std::string> names;
      for (size_t i = 0; i + 1 < frames.size(); i++) names.push_back(frames[i].function);
      CHECK(lines->inlined_at(at) == names);
    }
    CHECK(inlined.size() >= 1);
    CHECK(*seen.begin() > before_function);
    CHECK(*seen.rbegin() < behind_function);
    CHECK(seen.size() >= 2);
    calls = lines->inlined(function->begin, "inlined_part").size();
    CHECK(calls >= 1);
    CHECK(!lines->at(1));
    CHECK(lines->warnings().empty());
    REQUIRE(lines->save(INT64_MAX));
    CHECK(std::filesystem::is_empty(folder));
    REQUIRE(lines->save(0));
  }
  // Another file of this build id and size: the answers do not come from it.
  std::vector<uint8_t> copy(program->bytes().begin(), program->bytes().end());
  {
    const auto lines = Lines::read(copy, "self", {}, files, cache);
    REQUIRE(lines);
    copy.assign(copy.size(), 0);
    for (size_t i = 0; i < answers.size(); i++) CHECK(lines->at(function->begin + i) == answers[i]);
    CHECK(lines->inlined(function->begin, "inlined_part").size() == calls);
    CHECK(!lines->at(function->begin - 1));  // a new question
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("a small unit is read") {
  const std::string function = text({3}) + u64(0x1004) + u64(4) + text({0});
  const auto lines = Lines::read(debug_elf(unit(function + text({0})), abbreviations()), "x");
  CHECK(lines);
}

TEST_CASE("entries in a circle end") {
  // The sibling of the function is itself, the unit, or the first of two.
  for (const uint32_t sibling : {first_entry, uint32_t{11}, first_entry + 1}) {
    const std::string one = text({2}) + u32(first_entry) + u64(0x1000) + u64(0x100) + text({0});
    const std::string two = text({2}) + u32(sibling) + u64(0x1000) + u64(0x100) + text({0});
    ask_all(debug_elf(unit(one + two + text({0})), abbreviations()));
  }
}

TEST_CASE("a million entries within each other end") {
  std::string entries;
  for (int i = 0; i < 60'000; i++)
    entries +=
        text({2}) + u32(first_entry + 21 * static_cast<uint32_t>(i + 1)) + u64(0x1000) + u64(0x100);
  ask_all(debug_elf(unit(entries), abbreviations()));
  ask_all(debug_elf(unit(std::string(1'000'000, '\4')), abbreviations()));
}

TEST_CASE("an abbreviation with many attributes, of many entries, is refused") {
  std::string wide = text({4, 0x34, 0});
  for (int i = 0; i < 20'000; i++) wide += text({0x3f, 0x19});  // external, flag_present
  wide += text({0, 0, 0});
  std::string abbreviation = abbreviations();
  abbreviation.resize(abbreviation.size() - 6);  // without 4 and the end
  const auto lines =
      Lines::read(debug_elf(unit(text({3}) + u64(0x1000) + u64(0x100) + std::string(200'000, '\4')),
                            abbreviation + wide),
                  "x");
  REQUIRE(!lines);
  CHECK(lines.error().what == "damaged debug information: an entry with too many attributes");
}

TEST_CASE("a table of lines that claims to be huge") {
  const std::string head = u32(0x7fffffff) + text({4, 0}) + u32(20) + text({1, 1, 1, 1, 1, 1, 0});
  ask_all(debug_elf(unit(text({0})), abbreviations(), head));
  // 60 million rows.
  const std::string program = std::string(60'000'000, '\1');
  ask_all(debug_elf(unit(text({0})), abbreviations(),
                    u32(static_cast<uint32_t>(15 + program.size())) + text({4, 0}) + u32(7) +
                        text({1, 1, 1, 1, 10, 1, 0}) + program));
}

TEST_CASE("compressed sections that claim a terabyte") {
  TinyElf elf;
  Elf64_Chdr header{};
  header.ch_type = ELFCOMPRESS_ZLIB;
  header.ch_size = uint64_t{1} << 40;
  header.ch_addralign = 1;
  elf.add(".debug_info", std::string_view(reinterpret_cast<const char*>(&header), sizeof header),
          SHT_PROGBITS, SHF_COMPRESSED);
  const auto lines = Lines::read(elf.bytes(), "x");
  REQUIRE(!lines);
  CHECK(lines.error().what == "debug information that unpacks to 1099511627776 bytes");
}

}  // namespace skein
