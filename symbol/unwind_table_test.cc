#include "symbol/unwind_table.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "symbol/call_frame_expression.h"
#include "symbol/call_frame_writer.h"
#include "symbol/elf_writer.h"

using namespace skein;
using namespace std::string_view_literals;

namespace {

const ReadWord no_memory = [](uint64_t) { return std::optional<uint64_t>(); };

ReadWord words(std::map<uint64_t, uint64_t> known) {
  return [known = std::move(known)](uint64_t address) -> std::optional<uint64_t> {
    const auto found = known.find(address);
    if (found == known.end()) return {};
    return found->second;
  };
}

UnwindRegisters registers(const std::map<size_t, uint64_t>& values) {
  UnwindRegisters made;
  for (const auto& [number, value] : values) made.set(number, value);
  return made;
}

UnwindTable table_of(std::string_view instructions, const std::string& augmentation = "zR") {
  CallFrameWriter frames(0x2000);
  const size_t common = frames.add_common(augmentation, "\x1B", CallFrameWriter::at_entry);
  frames.add_function(common, 0x1000, 0x40, instructions);
  return UnwindTable::of(frames.sections());
}

std::span<const uint8_t> as_span(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

constexpr size_t sp = stack_pointer_register;
constexpr size_t fp = frame_pointer_register;
constexpr size_t ra = return_address_register;

}  // namespace

TEST_CASE("unwind table: a function with a frame pointer") {
  const UnwindTable table = table_of("\x41\x0E\x10\x86\x02\x43\x0D\x06\x83\x03\x70\x0C\x07\x08"sv);
  CHECK(table.find(0xFFF) == nullptr);
  CHECK(table.find(0x1040) == nullptr);
  REQUIRE(table.find(0x1000) != nullptr);
  CHECK(table.find(0x1000)->kind == UnwindRule::Kind::FromSp);
  CHECK(table.find(0x1001)->cfa == 16);
  CHECK(table.find(0x1003)->kind == UnwindRule::Kind::FromSp);
  CHECK(table.find(0x1004)->kind == UnwindRule::Kind::FromFp);
  CHECK(table.find(0x1033)->kind == UnwindRule::Kind::FromFp);
  CHECK(table.find(0x1034)->cfa == 8);
  CHECK(table.find(0x103F)->cfa == 8);
  const auto caller = table.caller(registers({{sp, 0x7000}, {fp, 0x7100}, {12, 5}, {0, 6}}), 0x1010,
                                   words({{0x7100, 0x7200}, {0x7108, 0x1234}, {0x70F8, 77}}));
  REQUIRE(caller);
  CHECK(caller->registers ==
        registers({{sp, 0x7110}, {fp, 0x7200}, {ra, 0x1234}, {3, 77}, {12, 5}}));
  CHECK(!caller->is_none);
  CHECK(!caller->is_interrupted);
  CHECK(!table.caller(registers({{sp, 0x7000}}), 0x1010, no_memory));
  CHECK(!table.caller(registers({{sp, 0x7000}, {fp, 0x7100}}), 0x1010, no_memory));
  CHECK(!table.caller(registers({{sp, 0x7000}, {fp, 0x7100}}), 0x2010, no_memory));
}

TEST_CASE("unwind table: the first function of a thread") {
  const UnwindTable table = table_of("\x07\x10"sv);
  const auto caller = table.caller(registers({{sp, 0x7000}}), 0x1010, no_memory);
  REQUIRE(caller);
  CHECK(caller->is_none);
}

TEST_CASE("unwind table: another register, and expressions") {
  const UnwindTable table = table_of("\x0D\x03"sv);
  const auto caller =
      table.caller(registers({{3, 0x7000}, {fp, 1}}), 0x1010, words({{0x7000, 0x1234}}));
  REQUIRE(caller);
  CHECK(caller->registers == registers({{3, 0x7000}, {sp, 0x7008}, {fp, 1}, {ra, 0x1234}}));
  // g++'s functions that align their stack: CFA = *(rbp - 8), rbp at rbp.
  const UnwindTable aligned = table_of("\x0F\x03\x76\x78\x06\x10\x06\x02\x76\x00"sv);
  const auto of_aligned =
      aligned.caller(registers({{fp, 0x7000}}), 0x1010,
                     words({{0x6FF8, 0x7100}, {0x70F8, 0x1234}, {0x7000, 0x7300}}));
  REQUIRE(of_aligned);
  CHECK(of_aligned->registers == registers({{sp, 0x7100}, {fp, 0x7300}, {ra, 0x1234}}));
  CHECK(!aligned.caller(registers({{sp, 0x7000}}), 0x1010, no_memory));
}

TEST_CASE("unwind table: a PLT") {
  // CFA = rsp + 8 + ((rip & 15) >= 11 ? 8 : 0)
  const UnwindTable table = table_of("\x0F\x0B\x77\x08\x80\x00\x3F\x1A\x3B\x2A\x33\x24\x22"sv);
  const auto stack = words({{0x7000, 1}, {0x7008, 2}});
  const auto caller = [&](uint64_t pc) {
    return table.caller(registers({{sp, 0x7000}, {ra, pc}}), 0x1010, stack)->registers.get(ra);
  };
  CHECK(caller(0x1010) == 1);
  CHECK(caller(0x101A) == 1);
  CHECK(caller(0x101B) == 2);
  CHECK(caller(0x101F) == 2);
}

TEST_CASE("unwind table: signal frames") {
  // As glibc's: CFA and registers from what the kernel has put there.
  const UnwindTable table =
      table_of("\x0F\x04\x77\xA0\x01\x06\x10\x00\x03\x77\x90\x01\x10\x10\x03\x77\xA8\x01"sv, "zRS");
  const auto caller = table.caller(registers({{sp, 0x7000}}), 0x1010,
                                   words({{0x70A0, 0x7900}, {0x7090, 55}, {0x70A8, 0x1234}}));
  REQUIRE(caller);
  CHECK(caller->is_interrupted);
  CHECK(caller->registers == registers({{sp, 0x7900}, {0, 55}, {ra, 0x1234}}));
}

TEST_CASE("unwind table: functions of several sections, with gaps and overlaps") {
  CallFrameWriter first(0x9000);
  const size_t common = first.add_common("zR", "\x1B", CallFrameWriter::at_entry);
  first.add_function(common, 0x3000, 0x10, "\x0E\x18"sv);
  first.add_function(common, 0x1000, 0x10, "\x0E\x10"sv);
  first.add_function(common, 0x1008, 0x10, "\x0E\x20"sv);
  CallFrameWriter second(0, true);
  const size_t other = second.add_common("", "", CallFrameWriter::at_entry);
  second.add_function(other, 0x3008, 0x20, "\x0E\x40"sv, 0);
  second.add_function(other, 0x2000, 0x10, "\x0E\x50"sv, 0);
  const UnwindTable table = UnwindTable::of(std::vector{first.section(), second.section()});
  const auto at = [&](uint64_t address) {
    const UnwindRule* rule = table.find(address);
    return rule == nullptr ? 0 : rule->cfa;
  };
  CHECK(at(0xFFF) == 0);
  CHECK(at(0x1000) == 16);
  CHECK(at(0x100F) == 16);
  CHECK(at(0x1010) == 32);
  CHECK(at(0x1017) == 32);
  CHECK(at(0x1018) == 0);
  CHECK(at(0x1FFF) == 0);
  CHECK(at(0x2000) == 0x50);
  CHECK(at(0x2010) == 0);
  CHECK(at(0x3000) == 24);
  CHECK(at(0x300F) == 24);
  CHECK(at(0x3010) == 0);
  CHECK(at(UINT64_MAX) == 0);
}

TEST_CASE("unwind table: a damaged function has no rules") {
  const UnwindTable table = table_of("\x42\x3F"sv);
  CHECK(table.find(0x1001) != nullptr);
  CHECK(table.find(0x1002) == nullptr);
  CHECK(table.find(0x103F) == nullptr);
  CHECK(UnwindTable::of({}).find(0) == nullptr);
}

TEST_CASE("unwind table: a file") {
  CallFrameWriter frames(0);
  const size_t common =
      frames.add_common("zR", std::string_view("\0", 1), CallFrameWriter::at_entry);
  frames.add_function(common, 0x1000, 0x40, "", 0);
  ElfWriter elf;
  elf.add(".eh_frame", frames.bytes());
  const auto table = UnwindTable::read(elf.bytes(), "/x");
  REQUIRE(table);
  CHECK(table->find(0x1000) != nullptr);
  CHECK(table->functions() == 1);

  CallFrameWriter debug_frames(0, true);
  const size_t other = debug_frames.add_common("", "", CallFrameWriter::at_entry);
  debug_frames.add_function(other, 0x2000, 0x40, "", 0);
  ElfWriter debug;
  debug.add(".debug_frame", debug_frames.bytes());
  const auto both = UnwindTable::read(elf.bytes(), "/x", debug.bytes());
  REQUIRE(both);
  CHECK(both->find(0x1000) != nullptr);
  CHECK(both->find(0x2000) != nullptr);

  CHECK(UnwindTable::read(ElfWriter().bytes(), "/x").error().message() ==
        "/x: no call frame information");
  CHECK(UnwindTable::read(as_span("text"), "/x").error().message() == "/x: not an ELF file");
}

TEST_CASE("call frame expressions") {
  const UnwindRegisters known = registers({{0, 1000}, {sp, 2000}});
  const auto value = [&](std::string_view expression, std::optional<uint64_t> first = {}) {
    return evaluate(as_span(expression), known, first, words({{2008, 0x1122334455667788}}));
  };
  CHECK(value("\x70\x08"sv) == 1008);
  CHECK(value("\x70\x78"sv) == 992);
  CHECK(value("\x92\x07\x08"sv) == 2008);
  CHECK(value("\x77\x08\x06"sv) == 0x1122334455667788);
  CHECK(value("\x77\x08\x94\x02"sv) == 0x7788);
  CHECK(value("\x23\x10"sv, 5) == 21);
  CHECK(value("\x08\xFF"sv) == 255);
  CHECK(value("\x09\xFF"sv) == UINT64_MAX);
  CHECK(value("\x0A\xFF\xFF"sv) == 65535);
  CHECK(value("\x0B\xFE\xFF"sv) == UINT64_MAX - 1);
  CHECK(value("\x0C\xFF\xFF\xFF\xFF"sv) == 0xFFFFFFFF);
  CHECK(value("\x0D\xFF\xFF\xFF\xFF"sv) == UINT64_MAX);
  CHECK(value("\x0E\x01\0\0\0\0\0\0\x80"sv) == 0x8000000000000001);
  CHECK(value("\x10\x80\x01"sv) == 128);
  CHECK(value("\x11\x7F"sv) == UINT64_MAX);
  CHECK(value("\x33\x35\x1C"sv) == UINT64_MAX - 1);  // 3 - 5
  CHECK(value("\x33\x35\x1E"sv) == 15);
  CHECK(value("\x33\x35\x1A"sv) == 1);
  CHECK(value("\x33\x35\x21"sv) == 7);
  CHECK(value("\x33\x35\x27"sv) == 6);
  CHECK(value("\x33\x35\x24"sv) == 96);
  CHECK(value("\x11\x70\x32\x26"sv) == static_cast<uint64_t>(-4));
  CHECK(value("\x33\x35\x2D"sv) == 1);                   // <
  CHECK(value("\x33\x35\x2B"sv) == 0);                   // >
  CHECK(value("\x33\x12\x22"sv) == 6);                   // dup, plus
  CHECK(value("\x33\x35\x16\x1C"sv) == 2);               // swap, minus
  CHECK(value("\x33\x35\x14\x1C"sv) == 2);               // over, minus
  CHECK(value("\x33\x35\x15\x01"sv) == 3);               // pick
  CHECK(value("\x33\x35\x13"sv) == 3);                   // drop
  CHECK(value("\x31\x32\x33\x17\x1C"sv) == UINT64_MAX);  // rot: 3 1 2
  CHECK(value("\x33\x1F"sv) == static_cast<uint64_t>(-3));
  CHECK(value("\x33\x20"sv) == ~uint64_t{3});
  CHECK(value("\x31\x28\x01\x00\x35\x36"sv) == 6);  // bra over lit5
  CHECK(value("\x30\x28\x01\x00\x35"sv) == 5);
  CHECK(value("\x35\x2F\x01\x00\x36"sv) == 5);  // skip
  CHECK(!value(""sv));
  CHECK(!value("\x22"sv));
  CHECK(!value("\x71\x00"sv));          // rdx is not known
  CHECK(!value("\x30\x06"sv));          // no memory at 0
  CHECK(!value("\x33\x2F\xFD\xFF"sv));  // endless
  CHECK(!value("\x33\x2F\x70\xFF"sv));  // before the expression
  CHECK(!value("\x33\xF0"sv));          // unknown
  CHECK(!value("\x0A\xFF"sv));          // cut short
  std::string deep(40, '\x31');
  CHECK(!value(deep));
}
