#include "frames/call_stack.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "target/elf.h"

namespace skein {

namespace {

constexpr size_t pc = Registers::pc_of(Architecture::X86_64);
constexpr size_t sp = Registers::sp_of(Architecture::X86_64);
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

// Whether a call ends at this address: E8 cd, or FF /2 of 2 to 7 bytes.
bool CallStacks::is_behind_call(uint64_t address) {
  const Mapping* mapping = find_mapping(target_.mappings(), address);
  if (mapping == nullptr || !mapping->executable) return false;
  constexpr uint64_t longest = 7;
  uint8_t code[longest] = {};
  if (!memory_.read(address - longest, code, longest)) return false;
  if (code[longest - 5] == 0xE8) return true;
  for (size_t at = 0; at + 2 <= longest; at++)
    if (code[at] == 0xFF && (code[at + 1] >> 3 & 7) == 2) return true;
  return false;
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

// Continues `stack` at its last call, whose frame pointer is not known: it is the address of an
// older one, before a return address, from which the stack can be read to its end.
void CallStacks::guess_frame_pointer(const Registers& at, bool is_return, Stack& stack) {
  constexpr uint64_t most = 4096;  // bytes
  const size_t known = stack.calls.size() - 1;
  const uint64_t begin = at.get(sp).value_or(0);
  for (uint64_t address = begin; address < begin + most; address += 8) {
    if (!is_behind_call(memory_.word(address + 8))) continue;
    Registers guess = at;
    guess.set(frame_pointer_register, address);
    Stack longer = stack;
    longer.calls.resize(known);
    walk(guess, is_return, longer, false);
    if (!longer.is_complete) continue;
    stack = std::move(longer);
    return;
  }
}

CallStacks::Stack CallStacks::of(const Registers& registers) {
  Stack stack;
  if (target_.architecture() == Architecture::X86_64) walk(registers, false, stack, true);
  return stack;
}

}  // namespace skein
