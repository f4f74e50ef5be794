#include "frames/call_frames.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstdlib>
#include <utility>

#include "symbol/dwarf_file.h"

namespace skein {

namespace {

constexpr size_t pc = Registers::pc_of(Architecture::X86_64);
constexpr size_t sp = Registers::sp_of(Architecture::X86_64);

struct Freed {
  void operator()(Dwarf_Frame* frame) const { std::free(frame); }
};

// "register + number", the only form of a frame's address outside of PLTs.
std::optional<uint64_t> frame_address(Dwarf_Frame* frame, const Registers& callee) {
  Dwarf_Op* ops = nullptr;
  size_t count = 0;
  if (dwarf_frame_cfa(frame, &ops, &count) != 0 || count != 1) return {};
  size_t number = 0;
  uint64_t offset = ops[0].number;
  if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31) {
    number = ops[0].atom - DW_OP_breg0;
  } else if (ops[0].atom == DW_OP_bregx) {
    number = ops[0].number;
    offset = ops[0].number2;
  } else {
    return {};
  }
  const std::optional<uint64_t> base = callee.get(number);
  if (!base) return {};
  return *base + offset;
}

// Functions keep these for their callers (System V ABI, figure 3.4): rbx, rbp, r12 to r15.
bool is_kept(size_t number) { return number == 3 || number == 6 || (number >= 12 && number <= 15); }

}  // namespace

struct CallFrames::State {
  DwarfFile file = {};
  Dwarf_CFI* frames = nullptr;        // of `file.elf`: .eh_frame
  Dwarf_CFI* debug_frames = nullptr;  // of `file.dwarf`: .debug_frame

  ~State() {
    if (frames != nullptr) dwarf_cfi_end(frames);
  }
};

CallFrames::CallFrames(std::unique_ptr<State> state) : state_(std::move(state)) {}
CallFrames::CallFrames(CallFrames&&) noexcept = default;
CallFrames& CallFrames::operator=(CallFrames&&) noexcept = default;
CallFrames::~CallFrames() = default;

Result<CallFrames> CallFrames::read(std::span<const uint8_t> bytes, const std::string& path) {
  auto state = std::make_unique<State>();
  auto file = open_dwarf(bytes, path, {}, nullptr, DwarfUse::Lines);
  if (!file) return file.error();
  state->file = std::move(*file);
  state->frames = dwarf_getcfi_elf(state->file.elf.get());
  if (state->file.dwarf != nullptr)
    state->debug_frames = dwarf_getcfi(state->file.dwarf.get());
  if (state->frames == nullptr && state->debug_frames == nullptr)
    return Error{.what = "no call frame information", .file = path};
  return CallFrames(std::move(state));
}

std::optional<CallFrames::Caller> CallFrames::caller(const Registers& callee, uint64_t bias,
                                                     bool is_return, const ReadWord& memory) const {
  const std::optional<uint64_t> at = callee.get(pc);
  if (!at) return {};
  const uint64_t address = *at - bias - (is_return ? 1 : 0);
  Dwarf_Frame* read = nullptr;
  for (Dwarf_CFI* cfi : {state_->frames, state_->debug_frames})
    if (read == nullptr && cfi != nullptr && dwarf_cfi_addrframe(cfi, address, &read) != 0)
      read = nullptr;
  const std::unique_ptr<Dwarf_Frame, Freed> frame(read);
  if (frame == nullptr) return {};
  const std::optional<uint64_t> cfa = frame_address(frame.get(), callee);
  if (!cfa) return {};
  Caller caller;
  for (size_t number = 0; number <= pc; number++) {
    if (number == sp) continue;
    Dwarf_Op space[3];
    Dwarf_Op* ops = nullptr;
    size_t count = 0;
    if (dwarf_frame_register(frame.get(), static_cast<int>(number), space, &ops, &count) != 0)
      continue;
    if (count == 0) {
      // libdw.h: null is the same value as in the callee, `space` is undefined; but it is what a
      // function has, too, that does not mention a register which it must leave alone.
      if (ops == nullptr || is_kept(number)) {
        if (const auto same = callee.get(number)) caller.registers.set(number, *same);
      } else if (number == pc) {
        caller.is_none = true;  // as in _start
      }
      continue;
    }
    // At the frame's address plus a number.
    if (ops[0].atom != DW_OP_call_frame_cfa || count > 2) continue;
    if (count == 2 && ops[1].atom != DW_OP_plus_uconst) continue;
    const auto value = memory(*cfa + (count == 2 ? ops[1].number : 0));
    if (value) caller.registers.set(number, *value);
  }
  caller.registers.set(sp, *cfa);
  if (!caller.registers.get(pc) && !caller.is_none) return {};
  return caller;
}

}  // namespace skein
