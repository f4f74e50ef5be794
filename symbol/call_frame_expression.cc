#include "symbol/call_frame_expression.h"

#include <dwarf.h>

#include <array>

#include "base/cursor.h"
#include "symbol/leb128.h"

namespace skein {

namespace {

class Evaluation {
 public:
  Evaluation(std::span<const uint8_t> expression, const UnwindRegisters& registers,
             const ReadWord& memory)
      : expression_(expression), registers_(registers), memory_(memory), bytes_(expression) {}

  std::optional<uint64_t> run(std::optional<uint64_t> first) {
    constexpr size_t most = 1000;
    if (first) push(*first);
    for (size_t steps = 0; !bytes_.at_end(); steps++)
      if (steps == most || !step(bytes_.u8()) || failed_ || bytes_.failed()) return {};
    if (count_ == 0) return {};
    return stack_[count_ - 1];
  }

 private:
  void push(uint64_t value) {
    if (count_ == stack_.size())
      failed_ = true;
    else
      stack_[count_++] = value;
  }
  uint64_t pop() {
    if (count_ == 0) {
      failed_ = true;
      return 0;
    }
    return stack_[--count_];
  }
  // From the top, which is number 0.
  uint64_t peek(size_t number) {
    if (number < count_) return stack_[count_ - 1 - number];
    failed_ = true;
    return 0;
  }
  void push_register(uint64_t number) {
    const int64_t offset = read_sleb128(bytes_);
    const auto value = registers_.get(number);
    if (!value) failed_ = true;
    push(value.value_or(0) + static_cast<uint64_t>(offset));
  }
  // The low `size` bytes of a word in memory.
  void read_memory(uint64_t size) {
    const auto word = memory_(pop());
    if (!word || size == 0 || size > 8) failed_ = true;
    uint64_t value = word.value_or(0);
    if (size < 8) value &= (uint64_t{1} << 8 * size) - 1;
    push(value);
  }
  void jump(int16_t distance) {
    const int64_t to = static_cast<int64_t>(bytes_.offset()) + distance;
    if (to < 0 || to > static_cast<int64_t>(expression_.size())) {
      failed_ = true;
      return;
    }
    bytes_ = Cursor(expression_.subspan(static_cast<size_t>(to)), static_cast<uint64_t>(to));
  }

  // False: an unknown operation.
  bool step(uint8_t code) {
    if (code >= DW_OP_lit0 && code <= DW_OP_lit31) {
      push(code - uint64_t{DW_OP_lit0});
      return true;
    }
    if (code >= DW_OP_breg0 && code <= DW_OP_breg31) {
      push_register(code - uint64_t{DW_OP_breg0});
      return true;
    }
    switch (code) {
      case DW_OP_nop:
        return true;
      case DW_OP_bregx:
        push_register(read_uleb128(bytes_));
        return true;
      case DW_OP_const1u:
        push(bytes_.u8());
        return true;
      case DW_OP_const1s:
        push(static_cast<uint64_t>(int64_t{static_cast<int8_t>(bytes_.u8())}));
        return true;
      case DW_OP_const2u:
        push(bytes_.u16());
        return true;
      case DW_OP_const2s:
        push(static_cast<uint64_t>(int64_t{static_cast<int16_t>(bytes_.u16())}));
        return true;
      case DW_OP_const4u:
        push(bytes_.u32());
        return true;
      case DW_OP_const4s:
        push(static_cast<uint64_t>(int64_t{static_cast<int32_t>(bytes_.u32())}));
        return true;
      case DW_OP_const8u:
      case DW_OP_const8s:
        push(bytes_.u64());
        return true;
      case DW_OP_constu:
        push(read_uleb128(bytes_));
        return true;
      case DW_OP_consts:
        push(static_cast<uint64_t>(read_sleb128(bytes_)));
        return true;
      case DW_OP_plus_uconst: {
        const uint64_t value = pop();
        push(value + read_uleb128(bytes_));
        return true;
      }
      case DW_OP_deref:
        read_memory(8);
        return true;
      case DW_OP_deref_size:
        read_memory(bytes_.u8());
        return true;
      case DW_OP_dup:
        push(peek(0));
        return true;
      case DW_OP_over:
        push(peek(1));
        return true;
      case DW_OP_pick:
        push(peek(bytes_.u8()));
        return true;
      case DW_OP_drop:
        pop();
        return true;
      case DW_OP_swap: {
        const uint64_t top = pop();
        const uint64_t below = pop();
        push(top);
        push(below);
        return true;
      }
      case DW_OP_rot: {
        const uint64_t top = pop();
        const uint64_t second = pop();
        const uint64_t third = pop();
        push(top);
        push(third);
        push(second);
        return true;
      }
      case DW_OP_neg:
        push(0 - pop());
        return true;
      case DW_OP_not:
        push(~pop());
        return true;
      case DW_OP_skip:
        jump(static_cast<int16_t>(bytes_.u16()));
        return true;
      case DW_OP_bra: {
        const auto distance = static_cast<int16_t>(bytes_.u16());
        if (pop() != 0) jump(distance);
        return true;
      }
      default: {
        const uint64_t right = pop();
        const auto result = computed(code, pop(), right);
        if (result) push(*result);
        return result.has_value();
      }
    }
  }

  // Comparisons are of signed numbers (DWARF 5, 2.5.1.5).
  static std::optional<uint64_t> computed(uint8_t code, uint64_t left, uint64_t right) {
    const auto signed_left = static_cast<int64_t>(left);
    const auto signed_right = static_cast<int64_t>(right);
    switch (code) {
      case DW_OP_plus:
        return left + right;
      case DW_OP_minus:
        return left - right;
      case DW_OP_mul:
        return left * right;
      case DW_OP_and:
        return left & right;
      case DW_OP_or:
        return left | right;
      case DW_OP_xor:
        return left ^ right;
      case DW_OP_shl:
        return right < 64 ? left << right : 0;
      case DW_OP_shr:
        return right < 64 ? left >> right : 0;
      case DW_OP_shra:
        return static_cast<uint64_t>(signed_left >> (right < 64 ? right : 63));
      case DW_OP_eq:
        return left == right;
      case DW_OP_ne:
        return left != right;
      case DW_OP_lt:
        return signed_left < signed_right;
      case DW_OP_le:
        return signed_left <= signed_right;
      case DW_OP_gt:
        return signed_left > signed_right;
      case DW_OP_ge:
        return signed_left >= signed_right;
      default:
        return {};
    }
  }

  std::span<const uint8_t> expression_;
  const UnwindRegisters& registers_;
  const ReadWord& memory_;
  Cursor bytes_;
  std::array<uint64_t, 32> stack_ = {};
  size_t count_ = 0;
  bool failed_ = false;
};

}  // namespace

std::optional<uint64_t> evaluate(std::span<const uint8_t> expression,
                                 const UnwindRegisters& registers, std::optional<uint64_t> first,
                                 const ReadWord& memory) {
  return Evaluation(expression, registers, memory).run(first);
}

}  // namespace skein
