#include "profile/unwind/unwinder.h"

#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <string>

#include "symbol/call_frame_writer.h"

using namespace skein;
using namespace std::string_view_literals;

namespace {

constexpr uint64_t base = 0x500000;  // bias of the module
constexpr uint64_t top = 0x7000;     // of the stack
constexpr size_t sp = stack_pointer_register;
constexpr size_t fp = frame_pointer_register;
constexpr size_t pc = return_address_register;

// A module with functions of 0x100 bytes: 0x1000 _start, 0x1100 with a frame pointer, 0x1200
// without one, 0x1300 as a PLT, 0x1400 the code that ends a signal handler, 0x1500 by rbx. 0x1600
// and behind have no table.
UnwindModule module() {
  CallFrameWriter frames(0x9000);
  const size_t common = frames.add_common("zR", "\x1B", CallFrameWriter::at_entry);
  const size_t of_signals = frames.add_common("zRS", "\x1B", CallFrameWriter::at_entry);
  frames.add_function(common, 0x1000, 0x100, "\x07\x10"sv);
  frames.add_function(common, 0x1100, 0x100, "\x41\x0E\x10\x86\x02\x43\x0D\x06\x83\x03"sv);
  frames.add_function(common, 0x1200, 0x100, "\x0E\x20\x86\x02\x83\x03"sv);
  frames.add_function(common, 0x1300, 0x100,
                      "\x0F\x0B\x77\x08\x80\x00\x3F\x1A\x3B\x2A\x33\x24\x22"sv);
  frames.add_function(of_signals, 0x1400, 0x100,
                      "\x0F\x03\x77\x20\x06\x10\x06\x02\x77\x28\x10\x10\x02\x77\x30"sv);
  frames.add_function(common, 0x1500, 0x100, "\x0C\x03\x10"sv);
  return {.begin = base + 0x1000,
          .end = base + 0x2000,
          .bias = base,
          .table = std::make_shared<UnwindTable>(UnwindTable::of(frames.sections())),
          .name = "/program"};
}

class Stack {
 public:
  explicit Stack(size_t words) : words_(words) {}
  void set(uint64_t address, uint64_t value) { words_[(address - top) / 8] = value; }
  StackSample sample(const std::map<size_t, uint64_t>& registers,
                     uint64_t stack_end = UINT64_MAX) const {
    StackSample made;
    for (const auto& [number, value] : registers) made.registers.set(number, value);
    made.stack_begin = top;
    made.stack = {reinterpret_cast<const uint8_t*>(words_.data()), words_.size() * 8};
    made.stack_end = stack_end;
    return made;
  }

 private:
  std::vector<uint64_t> words_;
};

std::string text_of(const UnwoundStack& stack) {
  static const char* const ends[] = {"complete", "cut", "no table", "damaged", "too deep"};
  std::string text;
  for (size_t i = 0; i < stack.pcs.size(); i++) {
    char number[32];
    snprintf(number, sizeof number, "%llx", static_cast<unsigned long long>(stack.pcs[i] - base));
    text += number;
    for (const uint32_t interrupted : stack.interrupted)
      if (interrupted == i) text += '!';
    text += ' ';
  }
  return text + ends[static_cast<size_t>(stack.end)];
}

std::string unwound(const StackSample& sample, const UnwindModule& of = module()) {
  std::string text;
  for (const size_t cached_rules : {size_t{4096}, size_t{2}, size_t{1}}) {
    Unwinder unwinder({of}, {.cached_rules = cached_rules});
    const std::string first = text_of(unwinder.unwind(sample));
    CHECK(text_of(unwinder.unwind(sample)) == first);
    CHECK((text.empty() || text == first));
    text = first;
  }
  return text;
}

}  // namespace

TEST_CASE("unwinder: with and without frame pointer") {
  Stack stack(32);
  // 0x1250, called by 0x1180, called by _start.
  stack.set(top + 0x10, top + 0x40);     // rbp
  stack.set(top + 0x18, base + 0x1180);  // return address
  stack.set(top + 0x40, 0);              // rbp
  stack.set(top + 0x48, base + 0x1010);  // return address
  const auto sample = stack.sample({{pc, base + 0x1250}, {sp, top}, {fp, 5}});
  CHECK(unwound(sample) == "1250 1180 1010 complete");
  CHECK(unwound(stack.sample({{pc, base + 0x1180}, {sp, top + 0x30}, {fp, top + 0x40}})) ==
        "1180 1010 complete");
}

TEST_CASE("unwinder: a return address behind its function is in the function before it") {
  Stack stack(32);
  stack.set(top + 0x10, top + 0x40);
  stack.set(top + 0x18, base + 0x1200);  // the call is the last instruction of 0x1100
  stack.set(top + 0x48, base + 0x1010);
  CHECK(unwound(stack.sample({{pc, base + 0x1200}, {sp, top}})) == "1200 1200 1010 complete");
}

TEST_CASE("unwinder: a return address of 0 ends the stack") {
  const Stack stack(32);
  CHECK(unwound(stack.sample({{pc, base + 0x1250}, {sp, top}})) == "1250 complete");
}

TEST_CASE("unwinder: a PLT") {
  Stack stack(32);
  stack.set(top, base + 0x1010);
  stack.set(top + 8, base + 0x1020);
  CHECK(unwound(stack.sample({{pc, base + 0x1300}, {sp, top}})) == "1300 1010 complete");
  CHECK(unwound(stack.sample({{pc, base + 0x130B}, {sp, top}})) == "130b 1020 complete");
}

TEST_CASE("unwinder: a signal handler on another stack") {
  Stack stack(64);
  // 0x1250 is the handler, called by the kernel as if by 0x1400. It interrupted the first
  // instruction of 0x1200, whose stack is lower.
  stack.set(top + 0xF8, base + 0x1401);
  stack.set(top + 0x100 + 0x20, top);            // rsp
  stack.set(top + 0x100 + 0x28, 77);             // rbp
  stack.set(top + 0x100 + 0x30, base + 0x1200);  // rip
  stack.set(top + 0x18, base + 0x1010);
  CHECK(unwound(stack.sample({{pc, base + 0x1250}, {sp, top + 0xE0}})) ==
        "1250 1401 1200! 1010 complete");
}

TEST_CASE("unwinder: other registers are restored when a rule needs them") {
  Stack stack(32);
  // 0x1250 has saved rbx at CFA - 24 for 0x1250, which has left it alone for 0x1500.
  stack.set(top + 0x08, top + 0x60);  // rbx
  stack.set(top + 0x18, base + 0x1580);
  stack.set(top + 0x68, base + 0x1010);
  CHECK(unwound(stack.sample({{pc, base + 0x1250}, {sp, top}, {3, 1}})) ==
        "1250 1580 1010 complete");
  // It is not known.
  CHECK(unwound(stack.sample({{pc, base + 0x1580}, {sp, top}})) == "1580 damaged");
  CHECK(unwound(stack.sample({{pc, base + 0x1580}, {sp, top}, {3, top + 0x60}})) ==
        "1580 1010 complete");
}

TEST_CASE("unwinder: a register that was restored already, whose place is below the stack") {
  Stack stack(32);
  // 0x1101: rbp was pushed; here it was popped again: its place is below rsp.
  stack.set(top, base + 0x1180);
  stack.set(top + 0x28, base + 0x1010);
  CallFrameWriter frames(0x9000);
  const size_t common = frames.add_common("zR", "\x1B", CallFrameWriter::at_entry);
  frames.add_function(common, 0x1000, 0x100, "\x07\x10"sv);
  frames.add_function(common, 0x1100, 0x100, "\x0D\x06\x0E\x10\x86\x02"sv);
  frames.add_function(common, 0x1200, 0x100, "\x86\x02"sv);
  UnwindModule of = module();
  of.table = std::make_shared<UnwindTable>(UnwindTable::of(frames.sections()));
  CHECK(unwound(stack.sample({{pc, base + 0x1250}, {sp, top}, {fp, top + 0x20}}), of) ==
        "1250 1180 1010 complete");
}

TEST_CASE("unwinder: why a stack is broken") {
  Stack stack(4);
  stack.set(top + 0x18, base + 0x1250);
  const auto at = [&](uint64_t stack_end) {
    return stack.sample({{pc, base + 0x1250}, {sp, top}}, stack_end);
  };
  CHECK(unwound(at(UINT64_MAX)) == "1250 1250 cut");
  CHECK(unwound(at(top + 0x1000)) == "1250 1250 cut");
  CHECK(unwound(at(top + 0x20)) == "1250 1250 damaged");
  stack.set(top + 0x18, 0x1234);  // no code
  CHECK(unwound(at(UINT64_MAX)) == "1250 damaged");
  stack.set(top + 0x18, base + 0x1180);  // its rbp is below the stack
  stack.set(top + 0x10, top - 0x100);
  CHECK(unwound(at(UINT64_MAX)) == "1250 1180 damaged");
  stack.set(top + 0x18, base + 0x1680);
  CHECK(unwound(at(UINT64_MAX)) == "1250 1680 no table");
  CHECK(unwound(stack.sample({{sp, top}})) == "damaged");
  CHECK(unwound(stack.sample({{pc, 0x1234}, {sp, top}})) ==
        text_of({.pcs = std::vector{uint64_t{0x1234}}, .end = StackEnd::NoTable}));
  CHECK(unwound({}) == "damaged");

  Stack endless(64);
  for (uint64_t address = top; address < top + 0x200; address += 8)
    endless.set(address, base + 0x1250);
  Unwinder unwinder({module()}, {.most_frames = 10});
  const auto deep = unwinder.unwind(endless.sample({{pc, base + 0x1250}, {sp, top}}));
  CHECK(deep.end == StackEnd::TooDeep);
  CHECK(deep.pcs.size() == 10);
}

TEST_CASE("unwinder: code without a table") {
  std::string code(0x1000, '\x90');
  const auto call = [&](size_t from, size_t to) {  // ends at `from`
    const auto distance = static_cast<int32_t>(to - from);
    code[from - 0x1000 - 5] = '\xE8';
    std::memcpy(code.data() + from - 0x1000 - 4, &distance, sizeof distance);
  };
  call(0x1720, 0x1800);
  call(0x1020, 0x1700);
  UnwindModule of = module();
  of.code = {reinterpret_cast<const uint8_t*>(code.data()), code.size()};
  Stack stack(32);
  // The leaf 0x1800 has no frame; its caller 0x1720 has, and is called by _start.
  stack.set(top, base + 0x1720);
  stack.set(top + 0x40, 0);
  stack.set(top + 0x48, base + 0x1020);
  const std::map<size_t, uint64_t> in_leaf = {{pc, base + 0x1810}, {sp, top}, {fp, top + 0x40}};
  CHECK(unwound(stack.sample(in_leaf), of) == "1810 1720 1020 complete");
  Unwinder unwinder({of});
  unwinder.unwind(stack.sample(in_leaf));
  CHECK(unwinder.counts().repaired == 1);
  CHECK(unwinder.counts().frame_pointers == 1);
  // After a push.
  stack.set(top + 8, base + 0x1720);
  stack.set(top, 1);
  CHECK(unwound(stack.sample(in_leaf), of) == "1810 1720 1020 complete");
  // The word on top of the stack follows a call of another function: the frame pointer counts.
  stack.set(top + 8, 1);
  stack.set(top, base + 0x1020);
  CHECK(unwound(stack.sample(in_leaf), of) == "1810 1020 complete");
  // No call is before the word behind rbp.
  stack.set(top, 1);
  stack.set(top + 0x48, base + 0x1030);
  CHECK(unwound(stack.sample(in_leaf), of) == "1810 no table");
}

TEST_CASE("unwinder: counts and advice") {
  Unwinder unwinder({module()});
  CHECK(unwinder.counts().text("use more").empty());
  Stack stack(4);
  stack.set(top + 0x18, base + 0x1010);
  unwinder.unwind(stack.sample({{pc, base + 0x1250}, {sp, top}}));
  CHECK(unwinder.counts().text("use more").empty());
  unwinder.unwind(stack.sample({{pc, base + 0x1250}, {sp, top + 0x10}}));
  unwinder.unwind(stack.sample({{pc, base + 0x1680}, {sp, top}}));
  unwinder.unwind(stack.sample({{pc, base + 0x1680}, {sp, top}}));
  const UnwindCounts counts = unwinder.counts();
  CHECK(counts.stacks == 4);
  CHECK(counts.broken() == 3);
  CHECK(counts.of(StackEnd::NoTable) == 2);
  CHECK(counts.worst_module == "/program");
  CHECK(
      counts.text("use more") ==
      "25.0 % of the stacks are longer than their copy; use more\n"
      "50.0 % of the stacks end in code without call frame information, most of them in /program; "
      "install its debug information, or build it with -fasynchronous-unwind-tables or "
      "-fno-omit-frame-pointer\n");
}

TEST_CASE("registers of the functions of a stack") {
  constexpr size_t rbx = 3, rdi = 5;
  Stack stack(16);
  stack.set(top + 8, 0x33);  // rbx of the caller of 0x1200
  stack.set(top + 16, top + 40);
  stack.set(top + 24, base + 0x1110);
  stack.set(top + 32, 0x44);
  stack.set(top + 40, 0);
  stack.set(top + 48, base + 0x1010);
  const StackSample sample =
      stack.sample({{pc, base + 0x1250}, {sp, top}, {fp, 0x99}, {rbx, 0x22}, {rdi, 0x11}});
  Unwinder unwinder({module()});
  CHECK(text_of(unwinder.unwind(sample)) == "1250 1110 1010 complete");
  const auto innermost = unwinder.frame(sample, 0);
  REQUIRE(innermost);
  CHECK(innermost->cfa == top + 32);
  CHECK(innermost->registers.get(rdi) == 0x11);
  const auto caller = unwinder.frame(sample, 1);
  REQUIRE(caller);
  CHECK(caller->cfa == top + 56);
  CHECK(caller->registers.get(rbx) == 0x33);
  CHECK(caller->registers.get(fp) == top + 40);
  CHECK(caller->registers.get(sp) == top + 32);
  CHECK(caller->registers.get(pc) == base + 0x1110);
  CHECK_FALSE(caller->registers.get(rdi));  // it was not kept
  const auto first = unwinder.frame(sample, 2);
  REQUIRE(first);
  CHECK(first->cfa == 0);  // not known
  CHECK(first->registers.get(rbx) == 0x44);
  CHECK_FALSE(unwinder.frame(sample, 3));
}
