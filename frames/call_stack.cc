#include "frames/call_stack.h"

#include <utility>

#include "target/elf.h"

namespace skein {

namespace {

constexpr size_t pc = Registers::pc_of(Architecture::X86_64);
constexpr size_t sp = Registers::sp_of(Architecture::X86_64);
constexpr size_t frame_pointer = 6;  // rbp

}  // namespace

const CallStacks::Module* CallStacks::module_of(uint64_t address) {
  const Mapping* mapping = find_mapping(target_.mappings(), address);
  if (mapping == nullptr || !mapping->has_file()) return nullptr;
  const auto [at, is_new] = modules_.try_emplace(mapping->file);
  Module& module = at->second;
  if (is_new) {
    if (Result<Contents> contents = target_.file_of(*mapping)) {
      module.contents = std::move(*contents);
      const Result<ElfHeader> elf = read_elf_header(module.contents.bytes(), mapping->file);
      const auto bias = elf ? bias_of(*elf, *mapping) : std::nullopt;
      Result<CallFrames> frames = CallFrames::read(module.contents.bytes(), mapping->file);
      if (bias && frames) {
        module.bias = *bias;
        module.frames = std::move(*frames);
      }
    }
  }
  return module.frames ? &module : nullptr;
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
void CallStacks::walk(Registers at, Stack& stack, bool may_guess) {
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
    stack.calls.push_back({.pc = *instruction, .begin = *top, .registers = at});
    const Module* module = module_of(*instruction);
    if (module == nullptr) return;
    const auto caller = module->frames->caller(at, module->bias, stack.calls.size() > 1, memory);
    if (!caller) {
      if (may_guess && !at.get(frame_pointer)) guess_frame_pointer(at, stack);
      return;
    }
    const uint64_t end = caller->registers.get(sp).value_or(0);
    if (end <= *top) return;  // damaged
    stack.calls.back().end = end;
    if (caller->is_none) {
      stack.is_complete = true;
      return;
    }
    at = caller->registers;
  }
}

// Continues `stack` at its last call, whose frame pointer is not known: it is the address of an
// older one, before a return address, from which the stack can be read to its end.
void CallStacks::guess_frame_pointer(const Registers& at, Stack& stack) {
  constexpr uint64_t most = 4096;  // bytes
  const size_t known = stack.calls.size() - 1;
  const uint64_t begin = at.get(sp).value_or(0);
  for (uint64_t address = begin; address < begin + most; address += 8) {
    if (!is_behind_call(memory_.word(address + 8))) continue;
    Registers guess = at;
    guess.set(frame_pointer, address);
    Stack longer = stack;
    longer.calls.resize(known);
    walk(guess, longer, false);
    if (!longer.is_complete) continue;
    stack = std::move(longer);
    return;
  }
}

CallStacks::Stack CallStacks::of(const Registers& registers) {
  Stack stack;
  if (target_.architecture() == Architecture::X86_64) walk(registers, stack, true);
  return stack;
}

}  // namespace skein
