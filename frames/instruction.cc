// Intel's manual, volume 2: chapter 2 for the format, appendix A for the maps of opcodes.
#include "frames/instruction.h"

#include <cstring>

namespace skein {

namespace {

using Map = Instruction::Map;
using Flow = Instruction::Flow;
constexpr uint8_t rax = 0;
constexpr uint8_t rcx = 1;
constexpr uint8_t rdx = 2;
constexpr uint8_t rsp = 4;
constexpr uint8_t rsi = 6;
constexpr uint8_t rdi = 7;

bool is_between(uint8_t opcode, uint8_t first, uint8_t last) {
  return opcode >= first && opcode <= last;
}

class Decoder {
 public:
  Decoder(std::span<const uint8_t> code, uint64_t address) : code_(code) { out_.address = address; }

  std::optional<Instruction> run() {
    if (!prefixes() || !opcode()) return {};
    if (has_modrm_ && !modrm()) return {};
    if (!immediate()) return {};
    constexpr size_t longest = 15;
    if (at_ > longest) return {};
    out_.size = static_cast<uint8_t>(at_);
    set_flow();
    return out_;
  }

 private:
  bool has(size_t bytes) const { return bytes <= code_.size() - at_; }

  template <typename Int>
  int64_t take() {
    Int value = 0;
    std::memcpy(&value, code_.data() + at_, sizeof value);
    at_ += sizeof value;
    return static_cast<int64_t>(value);
  }

  bool prefixes() {
    for (; at_ < code_.size(); at_++) {
      const uint8_t byte = code_[at_];
      if (byte == 0x66)
        out_.is_16_bits = true;
      else if (byte == 0x67)
        has_short_addresses_ = true;
      else if (byte == 0x64 || byte == 0x65)
        out_.has_segment = true;
      else if (byte != 0xF0 && byte != 0xF2 && byte != 0xF3 && byte != 0x2E && byte != 0x36 &&
               byte != 0x3E && byte != 0x26)
        break;
    }
    if (at_ < code_.size() && (code_[at_] & 0xF0) == 0x40) {
      rex_ = code_[at_++];
      out_.has_rex = true;
    }
    out_.is_64_bits = (rex_ & 8) != 0;
    return at_ < code_.size();
  }

  bool opcode() {
    out_.opcode = code_[at_++];
    if (out_.opcode == 0xC4 || out_.opcode == 0xC5 || out_.opcode == 0x62) return vector_opcode();
    if (out_.opcode != 0x0F) {
      has_modrm_ = has_modrm_in_one_byte_map();
      return !is_invalid();
    }
    if (!has(1)) return false;
    out_.opcode = code_[at_++];
    out_.map = Map::TwoBytes;
    if (out_.opcode == 0x38 || out_.opcode == 0x3A) {
      if (!has(1)) return false;
      has_immediate_byte_ = out_.opcode == 0x3A;
      out_.opcode = code_[at_++];
      out_.map = Map::Other;
      has_modrm_ = true;
      return true;
    }
    set_up_two_bytes();
    return true;
  }

  void set_up_two_bytes() {
    const uint8_t op = out_.opcode;
    const bool is_alone = is_between(op, 0x05, 0x09) || op == 0x0B || op == 0x0E ||
                          is_between(op, 0x30, 0x37) || op == 0x77 || is_between(op, 0x80, 0x8F) ||
                          is_between(op, 0xA0, 0xA2) || is_between(op, 0xA8, 0xAA) ||
                          is_between(op, 0xC8, 0xCF);
    has_modrm_ = !is_alone;
    if (is_between(op, 0xC8, 0xCF)) out_.rm = extended(op & 7, 1);
    has_immediate_byte_ = is_between(op, 0x70, 0x73) || op == 0xA4 || op == 0xAC || op == 0xBA ||
                          op == 0xC2 || is_between(op, 0xC4, 0xC6);
  }

  // C5: one more byte; C4: two; 62: three. The last of them is before the opcode.
  bool vector_opcode() {
    const uint8_t kind = out_.opcode;
    const size_t payload = kind == 0xC5 ? 1 : kind == 0xC4 ? 2 : 3;
    if (!has(payload + 1)) return false;
    const uint8_t first = code_[at_];
    const unsigned map = kind == 0xC5 ? 1 : first & (kind == 0xC4 ? 0x1F : 0x07);
    // The bits are inverted: R, X, B.
    rex_ = static_cast<uint8_t>((~first >> 5) & (kind == 0xC5 ? 4 : 7));
    at_ += payload;
    out_.opcode = code_[at_++];
    out_.is_vector = true;
    out_.map = Map::Other;
    const uint8_t op = out_.opcode;
    has_modrm_ = !(map == 1 && op == 0x77);
    has_immediate_byte_ =
        map == 3 ||
        (map == 1 && (is_between(op, 0x70, 0x73) || op == 0xC2 || is_between(op, 0xC4, 0xC6)));
    return map != 0;
  }

  bool is_invalid() const {
    const uint8_t op = out_.opcode;
    return (op < 0x40 && (op & 7) >= 6) || op == 0x60 || op == 0x61 || op == 0x82 || op == 0x9A ||
           op == 0xEA || op == 0xD6 || op == 0xCE || op == 0xD4 || op == 0xD5;
  }

  bool has_modrm_in_one_byte_map() {
    const uint8_t op = out_.opcode;
    if (is_between(op, 0x50, 0x5F) || is_between(op, 0x90, 0x97) || is_between(op, 0xB0, 0xBF))
      out_.rm = extended(op & 7, 1);
    if (op < 0x40) return (op & 7) < 4;
    return op == 0x63 || op == 0x69 || op == 0x6B || is_between(op, 0x80, 0x8F) || op == 0xC0 ||
           op == 0xC1 || op == 0xC6 || op == 0xC7 || is_between(op, 0xD0, 0xD3) ||
           is_between(op, 0xD8, 0xDF) || op == 0xF6 || op == 0xF7 || op == 0xFE || op == 0xFF;
  }

  // `bit` of the prefix, for r8 to r15.
  uint8_t extended(unsigned low, unsigned bit) const {
    return static_cast<uint8_t>(low | ((rex_ & bit) != 0 ? 8U : 0U));
  }

  bool modrm() {
    if (!has(1)) return false;
    const uint8_t byte = code_[at_++];
    const unsigned mode = byte >> 6;
    const unsigned low = byte & 7;
    out_.reg = extended((byte >> 3) & 7, 4);
    if (mode == 3) {
      out_.rm = extended(low, 1);
      return true;
    }
    Instruction::Memory memory{.base = extended(low, 1)};
    bool has_base = true;
    if (low == 4) {
      if (!has(1)) return false;
      const uint8_t sib = code_[at_++];
      memory.base = extended(sib & 7, 1);
      memory.scale = static_cast<uint8_t>(1 << (sib >> 6));
      if (const uint8_t index = extended((sib >> 3) & 7, 2); index != rsp) memory.index = index;
      has_base = mode != 0 || (sib & 7) != 5;
      if (!has_base) memory.base = Instruction::none;
    } else if (mode == 0 && low == 5) {
      has_base = false;
      memory.base = Instruction::rip;
    }
    if (mode == 1) {
      if (!has(1)) return false;
      memory.displacement = take<int8_t>();
    } else if (mode == 2 || !has_base) {
      if (!has(4)) return false;
      memory.displacement = take<int32_t>();
    }
    out_.memory = memory;
    return true;
  }

  // Of the operand, in bytes.
  size_t immediate_size() const {
    if (has_immediate_byte_) return 1;
    const size_t usual = out_.is_16_bits && !out_.is_64_bits ? 2 : 4;
    const uint8_t op = out_.opcode;
    if (out_.map == Map::TwoBytes) return is_between(op, 0x80, 0x8F) ? 4 : 0;
    if (out_.map != Map::OneByte) return 0;
    if (op < 0x40) return (op & 7) == 4 ? 1 : (op & 7) == 5 ? usual : 0;
    if (is_between(op, 0x70, 0x7F) || is_between(op, 0xB0, 0xB7) || is_between(op, 0xE0, 0xE7))
      return 1;
    if (is_between(op, 0xB8, 0xBF)) return out_.is_64_bits ? 8 : usual;
    if (is_between(op, 0xA0, 0xA3)) return has_short_addresses_ ? 4 : 8;
    switch (op) {
      case 0x6A:
      case 0x6B:
      case 0x80:
      case 0x83:
      case 0xA8:
      case 0xC0:
      case 0xC1:
      case 0xC6:
      case 0xCD:
      case 0xEB:
        return 1;
      case 0x68:
      case 0x69:
      case 0x81:
      case 0xA9:
      case 0xC7:
        return usual;
      case 0xE8:
      case 0xE9:
        return 4;
      case 0xC2:
      case 0xCA:
        return 2;
      case 0xC8:
        return 3;
      case 0xF6:
        return out_.digit() < 2 ? 1 : 0;
      case 0xF7:
        return out_.digit() < 2 ? usual : 0;
      default:
        return 0;
    }
  }

  bool immediate() {
    const size_t size = immediate_size();
    if (!has(size)) return false;
    switch (size) {
      case 1:
        out_.immediate = take<int8_t>();
        break;
      case 2:
        out_.immediate = take<int16_t>();
        break;
      case 4:
        out_.immediate = take<int32_t>();
        break;
      case 8:
        out_.immediate = take<int64_t>();
        break;
      default:
        at_ += size;
    }
    return true;
  }

  void set_flow() {
    const uint8_t op = out_.opcode;
    const uint64_t target = out_.end() + static_cast<uint64_t>(out_.immediate);
    if (out_.map == Map::TwoBytes) {
      if (is_between(op, 0x80, 0x8F)) set_flow(Flow::Branch, target);
      if (op == 0x0B) out_.flow = Flow::Stop;
    }
    if (out_.map != Map::OneByte) return;
    if (is_between(op, 0x70, 0x7F) || is_between(op, 0xE0, 0xE3)) set_flow(Flow::Branch, target);
    if (op == 0xE8) set_flow(Flow::Call, target);
    if (op == 0xE9 || op == 0xEB) set_flow(Flow::Jump, target);
    if (op == 0xC2 || op == 0xC3 || op == 0xCC || op == 0xF4) out_.flow = Flow::Stop;
    if (op == 0xFF && (out_.digit() == 2 || out_.digit() == 3)) out_.flow = Flow::Call;
    if (op == 0xFF && (out_.digit() == 4 || out_.digit() == 5)) out_.flow = Flow::Jump;
  }
  void set_flow(Flow flow, uint64_t target) {
    out_.flow = flow;
    out_.target = target;
  }

  std::span<const uint8_t> code_;
  size_t at_ = 0;
  Instruction out_ = {};
  uint8_t rex_ = 0;
  bool has_short_addresses_ = false;
  bool has_modrm_ = false;
  bool has_immediate_byte_ = false;
};

uint8_t usual_size(const Instruction& one) { return one.is_64_bits ? 8 : one.is_16_bits ? 2 : 4; }

// add, or, adc, sbb, and, sub, xor, cmp.
bool is_arithmetic(const Instruction& one) {
  return one.map == Map::OneByte && one.opcode < 0x40 && (one.opcode & 7) < 4;
}
bool is_compare(const Instruction& one) {
  if (one.map != Map::OneByte) return false;
  const uint8_t op = one.opcode;
  return is_between(op, 0x38, 0x3D) || op == 0x84 || op == 0x85 || op == 0xA8 || op == 0xA9 ||
         (is_between(op, 0x80, 0x83) && one.digit() == 7) ||
         ((op == 0xF6 || op == 0xF7) && one.digit() < 2);
}

}  // namespace

std::optional<Instruction> decode_one(std::span<const uint8_t> code, uint64_t address) {
  return Decoder(code, address).run();
}

std::vector<Instruction> decode(std::span<const uint8_t> code, uint64_t address) {
  std::vector<Instruction> all;
  for (size_t at = 0; at < code.size();) {
    const auto one = decode_one(code.subspan(at), address + at);
    if (!one) break;
    all.push_back(*one);
    at += one->size;
  }
  return all;
}

uint8_t access_size(const Instruction& one) {
  if (!one.memory) return 0;
  const uint8_t op = one.opcode;
  if (one.map == Map::OneByte) {
    if (op == 0x8D) return 0;
    if (op == 0x63) return 4;
    if (op == 0xFF && one.digit() >= 2) return 8;
    if (is_arithmetic(one) || is_between(op, 0x84, 0x8B))
      return (op & 1) == 0 ? 1 : usual_size(one);
    if (op == 0x80 || op == 0xC0 || op == 0xC6 || op == 0xD0 || op == 0xD2 || op == 0xF6 ||
        op == 0xFE)
      return 1;
    if (op == 0x8F) return 8;
    return op >= 0xD8 && op <= 0xDF ? 0 : usual_size(one);
  }
  constexpr uint8_t vector = 16;  // at least
  if (one.map == Map::TwoBytes) {
    if (op == 0xB6 || op == 0xBE || is_between(op, 0x90, 0x9F) || op == 0xB0 || op == 0xC0)
      return 1;
    if (op == 0xB7 || op == 0xBF) return 2;
    if (op == 0xD6 || op == 0x13 || op == 0x17) return 8;
    if (op == 0x10 || op == 0x11 || op == 0x28 || op == 0x29 || op == 0x6F || op == 0x7F)
      return vector;
    return usual_size(one);
  }
  return one.is_vector ? vector : 0;
}

bool is_store(const Instruction& one) {
  if (!one.memory) return false;
  const uint8_t op = one.opcode;
  if (one.map == Map::OneByte) return op == 0x88 || op == 0x89 || op == 0xC6 || op == 0xC7;
  return op == 0x11 || op == 0x29 || op == 0x7F || op == 0x7E || op == 0xD6 || op == 0x13 ||
         op == 0x17 || op == 0xE7 || op == 0x2B;
}

bool may_change(const Instruction& one, uint8_t number) {
  if (one.flow == Flow::Call) {
    return number <= rdx || number == rsi || number == rdi || (number >= 8 && number <= 11);
  }
  const uint8_t op = one.opcode;
  if (one.map == Map::OneByte) {
    if (one.flow != Flow::Next || is_compare(one)) return false;
    if (is_between(op, 0x50, 0x57)) return number == rsp;
    if (is_between(op, 0x58, 0x5F)) return number == rsp || number == one.rm;
    if (is_between(op, 0x90, 0x97)) return number == one.rm || (number == rax && one.rm != rax);
    if (is_between(op, 0xB0, 0xBF)) return number == one.rm;
    if (op < 0x40 && (op & 7) >= 4) return number == rax;
    if (op == 0x68 || op == 0x6A) return number == rsp;
    if (op == 0x98) return number == rax;
    if (op == 0x99) return number == rdx;
    if (is_between(op, 0xA4, 0xAF) || is_between(op, 0x6C, 0x6F))
      return number == rsi || number == rdi || number == rcx || number == rax;
    if (op == 0xC9) return number == rsp || number == 5;
    if (is_between(op, 0xE4, 0xE5) || op == 0xEC || op == 0xED || is_between(op, 0xA0, 0xA1))
      return number == rax;
    // The first operand is ModRM's `rm`, the second its `reg`.
    if (op == 0x86 || op == 0x87) return number == one.rm || number == one.reg;
    if (is_arithmetic(one) || op == 0x88 || op == 0x89 || op == 0x8A || op == 0x8B)
      return number == ((op & 2) != 0 ? one.reg : one.rm);
    if (op == 0x8D || op == 0x63 || op == 0x69 || op == 0x6B) return number == one.reg;
    if (op == 0xF6 || op == 0xF7) {
      if (one.digit() >= 4) return number == rax || number == rdx;
      return number == one.rm;
    }
    if (op == 0xFF && one.digit() == 6) return number == rsp;
    if (op == 0x8F) return number == rsp || number == one.rm;
    return number == one.rm;  // shifts, immediates, inc, dec
  }
  if (one.map == Map::TwoBytes) {
    if (is_between(op, 0x90, 0x9F)) return number == one.rm;
    if (op == 0xA3 || op == 0x1F || op == 0x1E || op == 0x18 || op == 0x0D ||
        is_between(op, 0x80, 0x8F))
      return false;
    if (op == 0xA2 || op == 0x05 || op == 0x31 || op == 0x01) return number <= 3 || number == 11;
    // Of vectors: their registers have the same numbers.
    const bool is_vector = is_between(op, 0x10, 0x17) || is_between(op, 0x28, 0x2B) || op == 0x2E ||
                           op == 0x2F || (is_between(op, 0x51, 0x7F) && op != 0x7E) || op == 0xC2 ||
                           op == 0xC4 || op == 0xC6 || (op >= 0xD0 && op != 0xD7);
    if (is_vector) return false;
    if (op == 0x7E) return number == one.rm;
    if (op == 0xB0 || op == 0xB1 || op == 0xC7)
      return number == rax || number == rdx || number == one.rm;
  }
  // Of the others, either.
  return number == one.reg || number == one.rm;
}

}  // namespace skein
