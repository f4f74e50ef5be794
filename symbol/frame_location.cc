#include "symbol/frame_location.h"

#include <dwarf.h>

#include <algorithm>
#include <cstring>

#include "symbol/dwarf_attributes.h"

namespace skein {

namespace {

constexpr unsigned first_parameter = 5;  // rdi: System V ABI for AMD64, 3.2.3 and figure 3.36
constexpr size_t longest = 4096;         // bytes of a value

// Of an integer type, which DW_OP_convert gives; otherwise 64 bits. Extended to 64 bits.
struct Number {
  uint64_t value = 0;
  uint8_t bits = 64;
  bool is_signed = false;

  Number converted(uint64_t to_bits, bool to_signed) const {
    const auto unused = static_cast<int>(64 - to_bits);
    const uint64_t shifted = value << unused;
    return {to_signed ? static_cast<uint64_t>(static_cast<int64_t>(shifted) >> unused)
                      : shifted >> unused,
            static_cast<uint8_t>(to_bits), to_signed};
  }
};

// Nothing: another operation.
std::optional<uint64_t> computed(unsigned operation, uint64_t left, uint64_t right) {
  switch (operation) {
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
    default:
      return {};
  }
}

// DWARF 5, 2.5 and 2.6: an expression computes a value on a stack. Alone it is an address, unless
// DW_OP_stack_value ends it; DW_OP_piece makes what is before it the next bytes of the variable.
class Evaluation {
 public:
  Evaluation(Dwarf_Attribute* attribute, const FramePlace& place, bool is_resumed, uint64_t frame,
             const FrameMemory& memory)
      : attribute_(attribute),
        place_(place),
        is_resumed_(is_resumed),
        frame_(frame),
        memory_(memory) {}

  std::optional<FrameLocation> run(std::span<Dwarf_Op> expression) {
    bool has_pieces = false;
    for (Dwarf_Op& op : expression) {
      if (op.atom == DW_OP_piece) {
        if (!add_piece(op.number)) return {};
        has_pieces = true;
        begin_piece();
      } else {
        is_empty_ = false;
        if (is_known_ && !step(op)) is_known_ = false;
      }
    }
    if (has_pieces) {
      const auto& bytes = location_.bytes;
      if (std::any_of(bytes.begin(), bytes.end(), [](const auto& one) { return one.has_value(); }))
        return location_;
      return {};
    }
    if (!is_known_ || stack_.empty() || !is_usable()) return {};
    if (is_value_) {
      add_bytes(stack_.back().value, sizeof(uint64_t));
      return location_;
    }
    location_.address = stack_.back().value;
    return location_;
  }

 private:
  // Of an integer type, it is no address; clang 19 forgets to write that it is the value.
  bool is_usable() const {
    return is_value_ || (stack_.back().bits == 64 && !stack_.back().is_signed);
  }

  void begin_piece() {
    stack_.clear();
    is_known_ = is_empty_ = true;
    is_value_ = false;
  }

  void add_bytes(uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++)
      location_.bytes.push_back(i < sizeof value ? std::optional<uint8_t>(value >> 8 * i & 255)
                                                 : std::nullopt);
  }

  // False: it is too long.
  bool add_piece(uint64_t size) {
    if (size > longest || location_.bytes.size() + size > longest) return false;
    if (is_empty_ || !is_known_ || stack_.empty() || !is_usable()) {
      location_.bytes.resize(location_.bytes.size() + size);
    } else if (is_value_) {
      add_bytes(stack_.back().value, size);
    } else {
      std::vector<uint8_t> bytes(size);
      const size_t read = memory_(stack_.back().value, bytes);
      for (size_t i = 0; i < size; i++)
        location_.bytes.push_back(i < read ? std::optional(bytes[i]) : std::nullopt);
    }
    return true;
  }

  std::optional<Number> pop() {
    if (stack_.empty()) return {};
    const Number value = stack_.back();
    stack_.pop_back();
    return value;
  }

  // False: the result is unknown.
  bool step(Dwarf_Op& op) {
    constexpr size_t most = 64;
    if (stack_.size() == most || is_value_) return false;
    if (op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31)
      return push_register(op.atom - DW_OP_breg0, op.number);
    if (op.atom >= DW_OP_lit0 && op.atom <= DW_OP_lit31) {
      push(op.atom - DW_OP_lit0);
      return true;
    }
    switch (op.atom) {
      case DW_OP_const1u:
      case DW_OP_const1s:
      case DW_OP_const2u:
      case DW_OP_const2s:
      case DW_OP_const4u:
      case DW_OP_const4s:
      case DW_OP_const8u:
      case DW_OP_const8s:
      case DW_OP_constu:
      case DW_OP_consts:
        push(op.number);
        return true;
      case DW_OP_bregx:
        return push_register(op.number, op.number2);
      case DW_OP_GNU_entry_value:
      case DW_OP_entry_value:
        return push_entry_value(op);
      case DW_OP_stack_value:
        is_value_ = true;
        return !stack_.empty();
      case DW_OP_plus_uconst: {
        const auto number = pop();
        if (number) push_computed(*number, number->value + op.number);
        return number.has_value();
      }
      case DW_OP_convert:
      case DW_OP_GNU_convert:
        return convert(op);
      case DW_OP_deref: {
        const auto address = pop();
        uint8_t bytes[sizeof(uint64_t)];
        if (!address || memory_(address->value, bytes) != sizeof bytes) return false;
        uint64_t value = 0;
        std::memcpy(&value, bytes, sizeof value);
        push(value);
        return true;
      }
      default: {
        const auto right = pop();
        const auto left = pop();
        const auto result = left ? computed(op.atom, left->value, right->value) : std::nullopt;
        if (result) push_computed(*left, *result);
        return result.has_value();
      }
    }
  }

  void push(uint64_t value) { stack_.push_back({.value = value}); }
  // Of the type of an operand.
  void push_computed(const Number& operand, uint64_t value) {
    stack_.push_back(Number{.value = value}.converted(operand.bits, operand.is_signed));
  }

  bool convert(Dwarf_Op& op) {
    const auto number = pop();
    if (!number) return false;
    if (op.number == 0) {  // to 64 bits without a type
      push(number->value);
      return true;
    }
    Dwarf_Die type;
    if (dwarf_getlocation_die(attribute_, &op, &type) != 0) return false;
    const auto size = number_of(&type, DW_AT_byte_size);
    const auto encoding = number_of(&type, DW_AT_encoding);
    const bool is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
    if (!size || *size == 0 || *size > 8 ||
        (!is_signed && encoding != DW_ATE_unsigned && encoding != DW_ATE_unsigned_char))
      return false;
    stack_.push_back(number->converted(8 * *size, is_signed));
    return true;
  }

  bool push_register(uint64_t number, uint64_t offset) {
    if (number != place_.register_number) return false;
    push(frame_ + offset);
    return true;
  }

  // That of a register when the function was called.
  bool push_entry_value(Dwarf_Op& op) {
    Dwarf_Attribute inner;
    Dwarf_Op* ops = nullptr;
    size_t count = 0;
    if (!is_resumed_ || dwarf_getlocation_attr(attribute_, &op, &inner) != 0 ||
        dwarf_getlocation(&inner, &ops, &count) != 0 || count != 1 ||
        ops[0].atom != DW_OP_reg0 + first_parameter)
      return false;
    push(frame_);
    return true;
  }

  Dwarf_Attribute* attribute_;
  const FramePlace& place_;
  bool is_resumed_;
  uint64_t frame_;
  const FrameMemory& memory_;
  FrameLocation location_ = {};
  std::vector<Number> stack_ = {};
  bool is_known_ = true;
  bool is_empty_ = true;
  bool is_value_ = false;
};

std::optional<FrameLocation> constant(Dwarf_Attribute* attribute) {
  FrameLocation found;
  Dwarf_Block block;
  Dwarf_Sword number = 0;
  if (dwarf_formblock(attribute, &block) == 0) {
    for (size_t i = 0; i < std::min<size_t>(block.length, longest); i++)
      found.bytes.emplace_back(block.data[i]);
    return found;
  }
  if (dwarf_formsdata(attribute, &number) != 0) return {};
  for (size_t i = 0; i < sizeof number; i++)
    found.bytes.emplace_back(static_cast<uint8_t>(static_cast<uint64_t>(number) >> 8 * i & 255));
  return found;
}

}  // namespace

std::optional<FrameLocation> locate(Dwarf_Die* variable, const FramePlace& place, bool is_resumed,
                                    uint64_t frame, const FrameMemory& memory) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(variable, DW_AT_const_value, &attribute) != nullptr)
    return constant(&attribute);
  if (dwarf_attr(variable, DW_AT_location, &attribute) == nullptr) return {};
  Dwarf_Op* expression = nullptr;
  size_t length = 0;
  if (dwarf_getlocation_addr(&attribute, place.address, &expression, &length, 1) != 1) return {};
  return Evaluation(&attribute, place, is_resumed, frame, memory).run({expression, length});
}

std::optional<uint64_t> locate_elsewhere(Dwarf_Die* variable, const FramePlace& place,
                                         uint64_t frame) {
  constexpr int most = 1000;  // entries of a list
  Dwarf_Attribute attribute;
  if (dwarf_attr(variable, DW_AT_location, &attribute) == nullptr) return {};
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  Dwarf_Op* expression = nullptr;
  size_t length = 0;
  ptrdiff_t at = 0;
  for (int i = 0; i < most; i++) {
    at = dwarf_getlocations(&attribute, at, &base, &begin, &end, &expression, &length);
    if (at <= 0) return {};
    if (length == 1 && expression->atom == DW_OP_breg0 + place.register_number)
      return frame + expression->number;
  }
  return {};
}

}  // namespace skein
