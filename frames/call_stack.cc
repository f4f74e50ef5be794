#include "frames/call_stack.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "target/elf.h"

namespace skein {

namespace {

constexpr size_t pc = Registers::pc_of(Architecture::X86_64);
constexpr size_t sp = Registers::sp_of(Architecture::X86_64);
constexpr uint8_t prologue[] = {0x55, 0x48, 0x89, 0xE5};  // push %rbp; mov %rsp,%rbp
static_assert(pc == return_address_register && sp == stack_pointer_register);

UnwindRegisters to_unwind(const Registers& from) {
  UnwindRegisters to;
  for (size_t number = 0; number < unwind_registers; number++)
    if (const auto value = from.get(number)) to.set(number, *value);
  return to;
}

Registers from_unwind(const UnwindRegisters& from) {
  Registers to;
  for (size_t number = 0; number < unwind_registers; number++)
    if (const auto value = from.get(number)) to.set(number, *value);
  return to;
}

}  // namespace

const CallStacks::Module* CallStacks::module_of(uint64_t address) {
  const Mapping* mapping = find_mapping(target_.mappings(), address);
  if (mapping == nullptr) return nullptr;
  const auto [at, is_new] = modules_.try_emplace(mapping->begin);
  Module& module = at->second;
  if (is_new) {
    if (const auto file = tables_.of(target_, *mapping))
      if (const auto bias = bias_of(file->elf, *mapping)) module = {file->table, *bias};
  }
  return module.table != nullptr ? &module : nullptr;
}

// Whether the code before a return address may have called the function of an instruction: E8 cd,
// or FF /2 of 2 to 7 bytes. A function with a frame pointer begins with push %rbp; mov %rsp,%rbp.
CallStacks::Fit CallStacks::fit(uint64_t address, uint64_t instruction) {
  if (!is_code(address)) return Fit::No;
  constexpr uint64_t longest = 7;
  uint8_t code[longest] = {};
  if (!memory_.read(address - longest, code, longest)) return Fit::No;
  if (code[longest - 5] == 0xE8) {
    int32_t distance = 0;
    std::memcpy(&distance, code + longest - 4, sizeof distance);
    const uint64_t called = address + static_cast<uint64_t>(int64_t{distance});
    // Code that jumps on is of the linker's.
    if (!has_frame_pointer(called)) return is_code(called) ? Fit::Possible : Fit::No;
    return is_in_function_at(called, instruction) ? Fit::Certain : Fit::No;
  }
  for (size_t at = 0; at + 2 <= longest; at++)
    if (code[at] == 0xFF && (code[at + 1] >> 3 & 7) == 2) return Fit::Possible;
  return Fit::No;
}

bool CallStacks::is_code(uint64_t address) const {
  const Mapping* mapping = find_mapping(target_.mappings(), address);
  return mapping != nullptr && mapping->executable;
}

bool CallStacks::has_frame_pointer(uint64_t function) {
  constexpr uint8_t endbr[] = {0xF3, 0x0F, 0x1E, 0xFA};
  uint8_t code[4] = {};
  if (!memory_.read(function, code, sizeof code)) return false;
  if (std::equal(code, code + 4, endbr) && !memory_.read(function + 4, code, sizeof code))
    return false;
  return std::equal(code, code + 4, prologue);
}

// No other function begins between.
bool CallStacks::is_in_function_at(uint64_t function, uint64_t instruction) {
  constexpr uint64_t largest = 1 << 16;
  if (instruction < function || instruction - function > largest) return false;
  std::vector<uint8_t> code(instruction - function);
  if (!memory_.read(function, code.data(), code.size())) return false;
  constexpr size_t own = 9;  // the beginning of its own ends before
  if (code.size() <= own) return true;
  return std::search(code.begin() + 5, code.end(), prologue, prologue + 4) == code.end();
}

// Continues `stack` with the callers of a function.
void CallStacks::walk(Registers at, bool is_return, Stack& stack, bool may_guess) {
  constexpr size_t most = 1000;
  const auto memory = [this](uint64_t address) -> std::optional<uint64_t> {
    uint64_t word = 0;
    if (!memory_.read(address, &word, sizeof word)) return {};
    return word;
  };
  while (stack.calls.size() < most) {
    const auto instruction = at.get(pc);
    const auto top = at.get(sp);
    if (!instruction || !top) return;
    stack.calls.push_back(
        {.pc = *instruction, .begin = *top, .is_return = is_return, .registers = at});
    const uint64_t address = *instruction - (is_return ? 1 : 0);
    const Module* module = module_of(address);
    if (module == nullptr) return;
    const auto caller = module->table->caller(to_unwind(at), address - module->bias, memory);
    if (!caller) {
      if (may_guess && !at.get(frame_pointer_register)) guess_frame_pointer(at, is_return, stack);
      return;
    }
    if (caller->is_none) {
      stack.is_complete = true;
      return;
    }
    const uint64_t end = caller->registers.get(sp).value_or(0);
    // A signal handler may have its own stack.
    if (end <= *top && !caller->is_interrupted) return;  // damaged
    stack.calls.back().end = std::max(end, *top);
    is_return = !caller->is_interrupted;
    at = from_unwind(caller->registers);
  }
}

// The frame pointer of a function at a call, if its beginning is push %rbp; mov %rsp,%rbp; pushes
// of other registers; sub $size,%rsp: code that is not optimised changes the stack pointer nowhere
// else.
std::optional<uint64_t> CallStacks::usual_frame_pointer(uint64_t instruction, uint64_t top) {
  constexpr uint64_t largest = 1 << 14;
  constexpr uint64_t longest = 32;  // of the beginning
  const uint64_t begin = instruction - std::min(largest, instruction);
  std::vector<uint8_t> code(instruction - begin + longest);
  uint64_t read = code.size();
  while (read > longest && !memory_.read(instruction + longest - read, code.data(), read))
    read /= 2;
  code.resize(read);
  const auto end = code.end() - static_cast<ptrdiff_t>(std::min(read, longest));
  const auto found = std::find_end(code.begin(), end, prologue, prologue + sizeof prologue);
  if (found == end) return {};
  uint64_t size = 0;
  auto at = found + sizeof prologue;
  while (code.end() - at >= 8) {
    if (at[0] == 0x41 && at[1] >= 0x50 && at[1] <= 0x57) {
      at += 2;
      size += 8;
    } else if (at[0] >= 0x50 && at[0] <= 0x57) {
      at += 1;
      size += 8;
    } else {
      break;
    }
  }
  if (code.end() - at < 8) return {};
  uint32_t more = 0;
  if (at[0] == 0x48 && at[1] == 0x83 && at[2] == 0xEC)
    more = at[3];
  else if (at[0] == 0x48 && at[1] == 0x81 && at[2] == 0xEC)
    std::memcpy(&more, &at[3], sizeof more);
  return top + size + more;
}

// Continues `stack` at its last call, whose frame pointer is not known: it is the address of an
// older one, before a return address, from which the stack can be read to its end. What earlier
// calls have left on the stack may look the same: a call of another function does not count, and
// several that are possible are none, unless one of them is where the function's beginning puts it.
void CallStacks::guess_frame_pointer(const Registers& at, bool is_return, Stack& stack) {
  constexpr uint64_t most = 4096;  // bytes
  const size_t known = stack.calls.size() - 1;
  const uint64_t begin = at.get(sp).value_or(0);
  const uint64_t instruction = at.get(pc).value_or(0);
  const std::optional<uint64_t> usual = usual_frame_pointer(instruction, begin);
  std::optional<Stack> possible;
  bool are_several = false;
  bool is_usual = false;
  for (uint64_t address = begin; address < begin + most; address += 8) {
    const Fit fits = fit(memory_.word(address + 8), instruction);
    if (fits == Fit::No) continue;
    Registers guess = at;
    guess.set(frame_pointer_register, address);
    Stack longer = stack;
    longer.calls.resize(known);
    walk(guess, is_return, longer, false);
    if (!longer.is_complete) continue;
    if (fits == Fit::Certain) {
      stack = std::move(longer);
      return;
    }
    if (is_usual) continue;
    is_usual = usual == address;
    are_several |= possible.has_value();
    possible = std::move(longer);
  }
  if (possible && (is_usual || !are_several)) stack = std::move(*possible);
}

CallStacks::Stack CallStacks::of(const Registers& registers) {
  Stack stack;
  if (target_.architecture() == Architecture::X86_64) walk(registers, false, stack, true);
  return stack;
}

}  // namespace skein
