#include "frames/resume_index.h"

#include <cstring>

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
    if (value >= 0) return static_cast<uint64_t>(value);
  }
  return {};
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
    if (modrm == 0 || ((code[modrm] & 7) != 7 && (code[modrm] & 7) != 3)) continue;
    if (const auto offset = displacement(code, modrm, end); offset && *offset >= 16)
      return ResumeIndex{.offset = *offset, .size = 1};
  }
  return {};
}

}  // namespace skein
