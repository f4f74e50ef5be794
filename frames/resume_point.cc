// Instructions by Intel's manual, volume 2. g++ 12 emits for the switch, at -O1 and above:
//
//   lea TABLE(%rip),%rdx; movslq (%rdx,%rax,4),%rax; add %rdx,%rax; jmp *%rax position-independent
//   jmp *TABLE(,%rax,8)                                                          otherwise
//   cmp $4,%ax; je TARGET                                                        few points
//
// One switch has the even numbers and one the odd ones, by which a frame is destroyed; numbers that
// a table lacks lead to ud2.
#include "frames/resume_point.h"

#include <algorithm>
#include <cstring>

namespace skein {

namespace {

constexpr size_t most_dispatch = 512;  // bytes of code before the first point

template <typename Int>
std::optional<Int> integer_at(std::span<const uint8_t> bytes, size_t at) {
  Int value{};
  if (at > bytes.size() || sizeof value > bytes.size() - at) return {};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

class Dispatch {
 public:
  Dispatch(const Code& code, uint32_t point) : code_(code), bytes_(code.bytes), point_(point) {}

  std::optional<uint64_t> target() const {
    for (size_t at = 0; at + 2 < std::min(bytes_.size(), most_dispatch); at++) {
      std::optional<uint64_t> found = by_relative_table(at);
      if (!found) found = by_absolute_table(at);
      if (!found) found = by_comparison(at);
      if (found && is_target(*found)) return found;
    }
    return {};
  }

 private:
  uint8_t byte(size_t at) const { return at < bytes_.size() ? bytes_[at] : 0; }

  bool is_target(uint64_t address) const {
    const uint64_t at = address - code_.address;
    return at < bytes_.size() && !(byte(at) == 0x0F && byte(at + 1) == 0x0B);
  }

  // What is subtracted from the number before it is used as an index by code right before `at`: 1
  // for the odd numbers with -Os. FF /1: dec register. 83 /5 ib: sub register, imm8.
  uint32_t lowest_of_table(size_t at) const {
    constexpr size_t near = 32;
    for (size_t back = 2; back <= std::min(near, at); back++) {
      const uint8_t opcode = byte(at - back);
      const uint8_t operand = byte(at - back + 1);
      if (opcode == 0xFF && (operand & 0xF8) == 0xE0) break;  // the jump of another table
      if (opcode == 0xFF && (operand & 0xF8) == 0xC8) return 1;
      if (opcode == 0x83 && (operand & 0xF8) == 0xE8) return byte(at - back + 2);
    }
    return 0;
  }

  template <typename Int>
  std::optional<Int> entry(uint64_t table, uint32_t lowest) const {
    if (!code_.file || lowest % 2 != 0 || lowest > point_) return {};
    return integer_at<Int>(code_.file(table + (point_ - lowest) * sizeof(Int), sizeof(Int)), 0);
  }

  // REX.W 8D /r: lea disp32(%rip). FF /4: jmp *register, of which 41 is a prefix for r8 to r15.
  std::optional<uint64_t> by_relative_table(size_t at) const {
    if ((byte(at) & 0xFB) != 0x48 || byte(at + 1) != 0x8D || (byte(at + 2) & 0xC7) != 5) return {};
    const auto distance = integer_at<int32_t>(bytes_, at + 3);
    constexpr size_t near = 24;
    bool jumps = false;
    for (size_t next = at + 7; next < at + 7 + near && !jumps; next++)
      jumps = byte(next) == 0xFF && (byte(next + 1) & 0xF8) == 0xE0;
    if (!jumps || !distance) return {};
    const uint64_t table = code_.address + at + 7 + static_cast<uint64_t>(int64_t{*distance});
    const auto found = entry<int32_t>(table, lowest_of_table(at));
    if (!found) return {};
    return table + static_cast<uint64_t>(int64_t{*found});
  }

  // FF /4 with a SIB byte of scale 8 and no base: jmp *disp32(,register,8).
  std::optional<uint64_t> by_absolute_table(size_t at) const {
    if (byte(at) != 0xFF || byte(at + 1) != 0x24 || (byte(at + 2) & 0xC7) != 0xC5) return {};
    const auto table = integer_at<int32_t>(bytes_, at + 3);
    if (!table || *table <= 0) return {};
    return entry<uint64_t>(static_cast<uint64_t>(*table), lowest_of_table(at));
  }

  // 83 /7 ib: cmp register or memory, imm8.
  std::optional<uint64_t> by_comparison(size_t at) const {
    if (byte(at) != 0x83 || (byte(at + 1) >> 3 & 7) != 7 || point_ > 127) return {};
    const uint8_t mode = byte(at + 1) >> 6;
    if ((byte(at + 1) & 7) == 4 && mode != 3) return {};
    const size_t end = at + 2 + (mode == 1 ? 1 : mode == 2 ? 4 : 0);
    if (mode == 0 || byte(end) != point_) return {};
    size_t next = end + 1;
    if (const size_t above = end_of_jump(next); above != 0 && !is_equality(next)) next = above;
    const size_t behind = end_of_jump(next);
    if (behind == 0 || !is_equality(next)) return {};
    const bool is_near = byte(next) == 0x0F;
    const bool if_equal = (byte(is_near ? next + 1 : next) & 1) == 0;
    if (!if_equal) return code_.address + behind;
    const int64_t distance = is_near ? int64_t{integer_at<int32_t>(bytes_, next + 2).value_or(0)}
                                     : int64_t{integer_at<int8_t>(bytes_, next + 1).value_or(0)};
    return code_.address + behind + static_cast<uint64_t>(distance);
  }

  // 70 to 7F cb, 0F 80 to 0F 8F cd: conditional jumps; 0: there is none.
  size_t end_of_jump(size_t at) const {
    if ((byte(at) & 0xF0) == 0x70) return at + 2;
    return byte(at) == 0x0F && (byte(at + 1) & 0xF0) == 0x80 ? at + 6 : 0;
  }
  // je or jne.
  bool is_equality(size_t at) const {
    const uint8_t condition = byte(byte(at) == 0x0F ? at + 1 : at) & 0x0F;
    return condition == 4 || condition == 5;
  }

  const Code& code_;
  std::span<const uint8_t> bytes_;
  uint32_t point_;
};

}  // namespace

std::optional<uint64_t> resume_target(const Code& code, uint32_t point) {
  return Dispatch(code, point).target();
}

}  // namespace skein
