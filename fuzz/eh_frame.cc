// Call frame information, and stacks unwound with it. The first byte: bit 0, .debug_frame; bit 1,
// two sections; bit 2, an ELF file; bits 3 to 7, by 8 the size of the stack. Then registers and a
// stack, the rest is the section or the file.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "profile/unwind/unwinder.h"
#include "symbol/call_frame_info.h"
#include "symbol/unwind_table.h"

using namespace skein;

namespace {

constexpr uint64_t address = 0x2000;
constexpr uint64_t stack_begin = 0x7000;
constexpr size_t longest_stack = 8 * 31;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_rows(const CallFrameSection& section) {
  const CallFrameInfo info = CallFrameInfo::read(section);
  for (const CallFrameInfo::Function& function : info.functions()) {
    require(function.begin < function.end);
    uint64_t last = function.begin;
    info.for_each_row(function, [&](uint64_t begin, uint64_t end, const CallFrameRow& row) {
      require(begin >= last && begin < end && end <= function.end);
      require(row.cfa.kind != RegisterRule::Kind::Undefined);
      last = end;
    });
  }
}

// A table, compared with its own other ways of use.
void check_table(const UnwindTable& table, const StackSample& sample) {
  const auto shared = std::make_shared<const UnwindTable>(table);
  const auto of = [&](size_t cached_rules) {
    return Unwinder({{.begin = 0x1000, .end = 0x5000, .table = shared}},
                    {.most_frames = 64, .cached_rules = cached_rules});
  };
  Unwinder fast = of(16);
  Unwinder slow = of(1);
  const UnwoundStack first = fast.unwind(sample);
  const UnwoundStack second = slow.unwind(sample);
  require(first.end == second.end);
  require(std::equal(first.pcs.begin(), first.pcs.end(), second.pcs.begin(), second.pcs.end()));
  require(first.pcs.size() <= 64);

  // All registers of each caller: the same stack, unless it is one that only the unwinder finds:
  // without a table, or with registers below the stack.
  UnwindRegisters registers = sample.registers;
  bool is_exact = true;
  const auto memory = [&](uint64_t at) -> std::optional<uint64_t> {
    uint64_t word = 0;
    const uint64_t offset = at - sample.stack_begin;
    if (sample.stack.size() < 8 || offset > sample.stack.size() - 8) return {};
    std::memcpy(&word, sample.stack.data() + offset, 8);
    return word;
  };
  for (size_t i = 0; i < first.pcs.size(); i++) {
    const auto pc = registers.get(return_address_register);
    require(pc && *pc == first.pcs[i]);
    const auto caller = table.caller(registers, *pc - (is_exact ? 0 : 1), memory);
    if (!caller || caller->is_none) break;
    registers = caller->registers;
    is_exact = caller->is_interrupted;
    if (!registers.get(frame_pointer_register)) break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::span<const uint8_t> input(data, size);
  if (input.empty()) return 0;
  const uint8_t kind = input[0];
  input = input.subspan(1);
  const size_t stack_size = kind & 0xF8U;
  constexpr size_t registers_size = 4;
  if (input.size() < registers_size + stack_size) return 0;
  static_assert(longest_stack == 0xF8);
  StackSample sample;
  sample.registers.set(return_address_register, 0x1000 + (input[0] | input[1] << 8) % 0x1000U);
  sample.registers.set(stack_pointer_register, stack_begin + input[2] % 64);
  sample.registers.set(frame_pointer_register, stack_begin + input[3]);
  sample.registers.set(3, stack_begin + input[3] / 2);
  sample.stack_begin = stack_begin;
  sample.stack = input.subspan(registers_size, stack_size);
  input = input.subspan(registers_size + stack_size);
  if ((kind & 4) != 0) {
    const auto table = UnwindTable::read(input, "/x");
    if (table) check_table(*table, sample);
    return 0;
  }
  const CallFrameSection section{
      .bytes = input, .address = address, .is_debug_frame = (kind & 1) != 0};
  check_rows(section);
  std::vector<CallFrameSection> sections = {section};
  if ((kind & 2) != 0)
    sections.push_back({.bytes = input.subspan(input.size() / 2), .address = address});
  check_table(UnwindTable::of(sections), sample);
  return 0;
}
