#include "frames/resume_index.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "frames/index_stores.h"
#include "frames/register_flow.h"

namespace skein {

namespace {

// The displacement behind a ModRM byte with a base register other than rsp, or nothing.
std::optional<uint64_t> displacement(std::span<const uint8_t> code, size_t modrm, size_t& end) {
  if (modrm >= code.size() || (code[modrm] & 7) == 4) return {};
  const uint8_t mode = code[modrm] >> 6;
  if (mode == 1 && modrm + 1 < code.size() && code[modrm + 1] < 128) {
    end = modrm + 2;
    return code[modrm + 1];
  }
  if (mode == 2 && modrm + 4 < code.size()) {
    int32_t value = 0;
    std::memcpy(&value, code.data() + modrm + 1, sizeof value);
    end = modrm + 5;
    // AddressSanitizer's shadow memory is at 0x7fff8000.
    constexpr int32_t largest_frame = 1 << 28;
    if (value >= 0 && value < largest_frame) return static_cast<uint64_t>(value);
  }
  return {};
}

int32_t signed_word(std::span<const uint8_t> code, size_t at) {
  int32_t value = 0;
  std::memcpy(&value, code.data() + at, sizeof value);
  return value;
}

constexpr uint8_t no_register = 16;

// The base of an instruction whose ModRM byte `modrm` has no displacement and no SIB byte.
uint8_t plain_base(uint8_t modrm, uint8_t rex) {
  const uint8_t low = modrm & 7;
  if (modrm >> 6 != 0 || low == 4 || low == 5) return no_register;
  return static_cast<uint8_t>(low | (rex & 1) << 3);
}

}  // namespace

// Intel's manual, volume 2: 66 83 /1 ib is `or r/m16, imm8`; 0F B7 /r is `movzx r32, r/m16`;
// 83 /1 ib with a register is `or r32, imm8`.
std::optional<ResumeIndex> index_in_destroy(std::span<const uint8_t> code) {
  std::optional<uint64_t> loaded;
  for (size_t i = 0; i + 2 < code.size(); i++) {
    size_t end = 0;
    if (code[i] == 0x66 && code[i + 1] == 0x83 && (code[i + 2] >> 3 & 7) == 1) {
      const auto offset = displacement(code, i + 2, end);
      if (offset && end < code.size() && code[end] == 1) return ResumeIndex{.offset = *offset};
    }
    if (code[i] == 0x0F && code[i + 1] == 0xB7)
      if (const auto offset = displacement(code, i + 2, end)) loaded = offset;
    if (loaded && code[i] == 0x83 && (code[i + 1] & 0xF8) == 0xC8 && code[i + 2] == 1)
      return ResumeIndex{.offset = *loaded};
  }
  return {};
}

// 0F B6 /r: movzx r32, r/m8. 80 /7 ib: cmp r/m8, imm8. 8A /r: mov r8, r/m8. The base is rdi, the
// parameter, or rbx, in which it is kept.
std::optional<ResumeIndex> index_in_resume(std::span<const uint8_t> code) {
  for (size_t i = 0; i + 2 < code.size(); i++) {
    size_t end = 0;
    size_t modrm = 0;
    if (code[i] == 0x0F && code[i + 1] == 0xB6) modrm = i + 2;
    if (code[i] == 0x80 && (code[i + 1] >> 3 & 7) == 7) modrm = i + 1;
    if (code[i] == 0x8A) modrm = i + 1;
    const bool is_extended = i > 0 && (code[i - 1] & 0xF1) == 0x41;  // r15, r11
    if (modrm == 0 || is_extended || ((code[modrm] & 7) != 7 && (code[modrm] & 7) != 3)) continue;
    if (const auto offset = displacement(code, modrm, end); offset && *offset >= 16)
      return ResumeIndex{.offset = *offset, .size = 1};
  }
  return {};
}

bool is_awaiter_of_point(std::string_view member, uint32_t point) {
  constexpr uint32_t first = first_point_of_gcc + 2;
  return point >= first && member == "Aw" + std::to_string((point - first) / 2);
}

std::optional<ResumeIndex> index_that_is_followed(const Code& code, const Code& storing,
                                                  CoroutineFunction::Compiler compiler) {
  constexpr uint64_t dispatch = 1024;  // bytes
  constexpr int64_t header = 16;
  constexpr uint32_t highest = 0x1000;  // number of a point
  const uint64_t size = compiler == CoroutineFunction::Compiler::Gcc ? 2 : 1;
  std::optional<ResumeIndex> found;
  RegisterFlow(code).visit([&](const Instruction& one, const RegisterFlow::State& before) {
    const RegisterFlow::Value address = before.address(one);
    if (!found && address.base == RegisterFlow::Base::Parameter && address.offset >= header &&
        one.address - code.address < dispatch && access_size(one) == size && !is_store(one))
      found = ResumeIndex{.offset = static_cast<uint64_t>(address.offset), .size = size};
  });
  if (!found) return {};
  for (const Store& store : follow_stores(storing, compiler, found->offset))
    if (store.point != 0 && store.point < highest) return found;
  return {};
}

namespace {

// Of code that was not understood: by the register by which it stores `resume`.
// REX.W 8D /r with ModRM 05+8r: lea r64, [rip + disp32]. REX.W 89 /r: mov r/m64, r64. REX.W C7 /0
// id: mov r/m64, imm32. C6 /0 ib: mov r/m8, imm8.
std::optional<ResumeIndex> index_by_register(std::span<const uint8_t> code, uint64_t address,
                                             uint64_t resume, uint64_t least) {
  uint8_t loaded = no_register;  // has the address of NAME.resume
  uint8_t frame = no_register;
  std::optional<ResumeIndex> found;
  for (size_t i = 0; i + 3 <= code.size(); i++) {
    const uint8_t rex = code[i];
    const uint8_t modrm = code[i + 2];
    const auto number = static_cast<uint8_t>((modrm >> 3 & 7) | (rex & 4) << 1);
    if ((rex & 0xF8) == 0x48 && frame == no_register && i + 7 <= code.size()) {
      if (code[i + 1] == 0x8D && (modrm & 0xC7) == 5 &&
          address + i + 7 + static_cast<uint64_t>(int64_t{signed_word(code, i + 3)}) == resume)
        loaded = number;
      else if ((code[i + 1] == 0x89 && loaded != no_register && number == loaded) ||
               (code[i + 1] == 0xC7 && (modrm & 0x38) == 0 &&
                static_cast<uint64_t>(int64_t{signed_word(code, i + 3)}) == resume))
        frame = plain_base(modrm, rex);
    }
    if (frame == no_register || code[i] != 0xC6 || (code[i + 1] & 0x38) != 0) continue;
    const bool is_extended = i > 0 && code[i - 1] == 0x41;
    size_t end = 0;
    const auto offset = displacement(code, i + 1, end);
    if (!offset || *offset < least || end >= code.size() || code[end] != 0 ||
        ((code[i + 1] & 7) | (is_extended ? 8 : 0)) != frame)
      continue;
    if (found && found->offset != *offset) return {};
    found = ResumeIndex{.offset = *offset, .size = 1};
  }
  return found;
}

// The bytes of the frame that code reads, or takes the address of.
std::set<uint64_t> bytes_read(const Code& resuming) {
  constexpr int64_t largest_frame = 1 << 28;
  constexpr uint8_t lea = 0x8D;
  std::set<uint64_t> read;
  RegisterFlow(resuming).visit([&](const Instruction& one, const RegisterFlow::State& before) {
    const RegisterFlow::Value address = before.address(one);
    if (address.base != RegisterFlow::Base::Parameter || address.offset < 0 ||
        address.offset >= largest_frame || is_store(one))
      return;
    const bool is_address = one.map == Instruction::Map::OneByte && one.opcode == lea;
    const uint64_t size = is_address ? 1 : access_size(one);
    for (uint64_t i = 0; i < size; i++) read.insert(static_cast<uint64_t>(address.offset) + i);
  });
  return read;
}

// The bytes 0 of what an instruction stores, of up to 4 bytes: a bit of each.
unsigned zeros_stored(const Instruction& one, const RegisterFlow::State& before) {
  if (!is_store(one) || one.map != Instruction::Map::OneByte || one.is_64_bits) return 0;
  const bool is_high_byte = one.opcode == 0x88 && !one.has_rex && one.reg >= 4;
  int64_t value = one.immediate;
  if (one.opcode == 0x88 || one.opcode == 0x89) {  // of a register
    const RegisterFlow::Value& stored = before.registers[one.reg];
    if (stored.base != RegisterFlow::Base::Number || is_high_byte) return 0;
    value = stored.offset;
  }
  unsigned zeros = 0;
  for (unsigned i = 0; i < access_size(one); i++)
    if ((static_cast<uint64_t>(value) >> (8 * i) & 0xFF) == 0) zeros |= 1U << i;
  return zeros;
}

}  // namespace

std::optional<ResumeIndex> index_in_creation(const Code& code, uint64_t least,
                                             const Code& resuming) {
  constexpr uint64_t largest_frame = 1 << 28;
  const RegisterFlow flow(code);
  if (!flow.is_complete()) return index_by_register(code.bytes, code.address, code.creates, least);
  const std::vector<RegisterFlow::Value> frames = frames_of(code, flow);
  std::set<uint64_t> alone;  // stored by instructions that store one byte
  std::set<uint64_t> all;
  std::map<uint64_t, uint64_t> stores;  // the address of the last one, by offset
  flow.visit([&](const Instruction& one, const RegisterFlow::State& before) {
    const unsigned zeros = zeros_stored(one, before);
    if (zeros == 0) return;
    const RegisterFlow::Value address = before.address(one);
    for (const RegisterFlow::Value& frame : frames) {
      const uint64_t offset =
          static_cast<uint64_t>(address.offset) - static_cast<uint64_t>(frame.offset);
      if (address.base != frame.base || address.origin != frame.origin || offset >= largest_frame)
        continue;
      for (unsigned i = 0; i < 4; i++)
        if ((zeros >> i & 1) != 0 && offset + i >= least) {
          all.insert(offset + i);
          stores[offset + i] = one.address;
        }
      if (one.opcode == 0xC6 && offset >= least) alone.insert(offset);
    }
  });
  if (all.size() > 1)
    for (const uint64_t read : bytes_read(resuming)) all.erase(read);
  // Beside a variable that is not used later: clang has the number first.
  if (all.size() > 1 && !resuming.bytes.empty() &&
      std::all_of(all.begin(), all.end(),
                  [&](uint64_t each) { return stores[each] == stores[*all.begin()]; }))
    all = {*all.begin()};
  for (const std::set<uint64_t>* offsets : {&all, &alone})
    if (offsets->size() == 1) return ResumeIndex{.offset = *offsets->begin(), .size = 1};
  return {};
}

}  // namespace skein
