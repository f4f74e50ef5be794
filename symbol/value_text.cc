#include "symbol/value_text.h"

#include <dwarf.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

#include "base/escape.h"
#include "symbol/dwarf_attributes.h"

namespace skein {

namespace {

constexpr size_t longest_value = 200;

class ValueText {
 public:
  ValueText(const FrameMemory& memory, const CodeNames& names) : memory_(memory), names_(names) {}

  std::string of(Dwarf_Die type, uint64_t address) {
    left_ = 64;
    std::string text = value(type, address, 0);
    if (text.size() > longest_value) text = text.substr(0, longest_value - 2) + "..";
    return text;
  }

 private:
  template <typename Number>
  std::optional<Number> read(uint64_t address) const {
    Number number = {};
    uint8_t bytes[sizeof(Number)];
    if (memory_(address, bytes) != sizeof bytes) return {};
    std::memcpy(&number, bytes, sizeof bytes);
    return number;
  }

  std::optional<uint64_t> read_sized(uint64_t address, uint64_t size) const {
    switch (size) {
      case 1:
        return read<uint8_t>(address);
      case 2:
        return read<uint16_t>(address);
      case 4:
        return read<uint32_t>(address);
      case 8:
        return read<uint64_t>(address);
      default:
        return {};
    }
  }

  static std::string hexadecimal(uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
  }

  // Up to a NUL; `most` bytes.
  std::string quoted(uint64_t address, uint64_t most, bool ends_at_nul) const {
    constexpr uint64_t shown = 60;
    std::vector<uint8_t> bytes(std::min(most, shown));
    bytes.resize(memory_(address, bytes));
    std::string text(bytes.begin(), bytes.end());
    const size_t end = ends_at_nul ? text.find('\0') : std::string::npos;
    const bool is_cut = end == std::string::npos && most > shown;
    if (end != std::string::npos) text.resize(end);
    return '"' + escaped(text) + '"' + (is_cut ? ".." : "");
  }

  static bool is_char(Dwarf_Die* type) {
    const auto encoding = number_of(type, DW_AT_encoding);
    return dwarf_tag(type) == DW_TAG_base_type && dwarf_bytesize(type) == 1 &&
           (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char);
  }

  std::string value(Dwarf_Die of, uint64_t address, int depth) {
    Dwarf_Die type = plain_type(of);
    if (left_ == 0) return "..";
    left_--;
    switch (dwarf_tag(&type)) {
      case DW_TAG_base_type:
        return base(&type, address);
      case DW_TAG_enumeration_type:
        return enumerator(&type, address);
      case DW_TAG_pointer_type:
        return pointer(&type, address);
      case DW_TAG_reference_type:
      case DW_TAG_rvalue_reference_type:
        return reference(&type, address, depth);
      case DW_TAG_array_type:
        return array(&type, address, depth);
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
      case DW_TAG_union_type:
        return object(&type, address, depth);
      case DW_TAG_ptr_to_member_type: {  // of a function, it is two words: its address is the first
        const auto first = read<uint64_t>(address);
        return first ? hexadecimal(*first) : unreadable_value;
      }
      default:
        return unreadable_value;
    }
  }

  std::string base(Dwarf_Die* type, uint64_t address) const {
    const int size = dwarf_bytesize(type);
    const uint64_t encoding = number_of(type, DW_AT_encoding).value_or(0);
    if (encoding == DW_ATE_float) {
      char text[40] = "?";
      if (size == sizeof(long double)) {
        if (const auto number = read<long double>(address))
          std::snprintf(text, sizeof text, "%Lg", *number);
        return text;
      }
      const auto number = size == 8   ? read<double>(address)
                          : size == 4 ? std::optional<double>(read<float>(address).value_or(0))
                                      : std::nullopt;
      if (number) std::snprintf(text, sizeof text, "%g", *number);
      return text;
    }
    if (size == 16) return wide(address);
    const auto number = size <= 0 ? std::nullopt : read_sized(address, static_cast<uint64_t>(size));
    if (!number) return unreadable_value;
    return integer(type, *number, 8 * size);
  }

  // __int128
  std::string wide(uint64_t address) const {
    const auto low = read<uint64_t>(address);
    const auto high = read<uint64_t>(address + 8);
    if (!low || !high) return unreadable_value;
    char text[40];
    std::snprintf(text, sizeof text, "0x%016llx%016llx", static_cast<unsigned long long>(*high),
                  static_cast<unsigned long long>(*low));
    return text;
  }

  // The lowest bits of the number.
  std::string integer(Dwarf_Die* type, uint64_t number, int bits) const {
    const uint64_t encoding = number_of(type, DW_AT_encoding).value_or(0);
    if (encoding == DW_ATE_boolean) return number == 0 ? "false" : number == 1 ? "true" : "?";
    if (is_char(type) && bits == 8 && number >= 32 && number < 127)
      return std::string("'") + static_cast<char>(number) + "'";
    if (encoding != DW_ATE_signed && encoding != DW_ATE_signed_char) return std::to_string(number);
    const int shift = 64 - bits;
    return std::to_string(static_cast<int64_t>(number << shift) >> shift);
  }

  // Where a bit-field begins, in bits from the beginning of the object; nothing: it is none.
  static std::optional<uint64_t> begin_of_bits(Dwarf_Die* member, uint64_t bits) {
    if (const auto begin = number_of(member, DW_AT_data_bit_offset)) return begin;
    // Until DWARF 4: from the highest bit of the number that it is stored in.
    const auto from_top = number_of(member, DW_AT_bit_offset);
    const auto bytes = number_of(member, DW_AT_byte_size);
    const auto offset = number_of(member, DW_AT_data_member_location);
    if (!from_top || !bytes || !offset || *from_top + bits > 8 * *bytes) return {};
    return 8 * (*offset + *bytes) - *from_top - bits;
  }

  std::string bit_field(Dwarf_Die* member, Dwarf_Die of, uint64_t address, uint64_t bits) const {
    const auto begin = begin_of_bits(member, bits);
    if (!begin || bits == 0 || bits > 64 || left_ == 0) return unreadable_value;
    uint64_t number = 0;
    for (uint64_t i = 0; i < bits; i++) {
      const auto byte = read<uint8_t>(address + (*begin + i) / 8);
      if (!byte) return unreadable_value;
      number |= uint64_t{(*byte >> (*begin + i) % 8) & 1U} << i;
    }
    Dwarf_Die type = plain_type(of);
    return dwarf_tag(&type) == DW_TAG_enumeration_type
               ? enumerator_of(&type, number)
               : integer(&type, number, static_cast<int>(bits));
  }

  std::string enumerator(Dwarf_Die* type, uint64_t address) const {
    const int size = dwarf_bytesize(type);
    const auto number = size <= 0 ? std::nullopt : read_sized(address, static_cast<uint64_t>(size));
    return number ? enumerator_of(type, *number) : unreadable_value;
  }

  std::string enumerator_of(Dwarf_Die* type, uint64_t number) const {
    Dwarf_Die child;
    constexpr int most = 10'000;
    int count = 0;
    if (dwarf_child(type, &child) == 0) {
      do {
        if (number_of(&child, DW_AT_const_value) == number) return escaped(name_of(&child));
      } while (++count < most && dwarf_siblingof(&child, &child) == 0);
    }
    return std::to_string(number);
  }

  std::string pointer(Dwarf_Die* type, uint64_t address) const {
    const auto target = read<uint64_t>(address);
    if (!target) return unreadable_value;
    if (*target == 0) return "nullptr";
    Dwarf_Die pointee;
    if (type_of(type, &pointee)) {
      pointee = plain_type(pointee);
      uint8_t first = 0;
      if (is_char(&pointee) && memory_(*target, {&first, 1}) == 1)
        return quoted(*target, 1 << 20, true);
    }
    return hexadecimal(*target);
  }

  std::string reference(Dwarf_Die* type, uint64_t address, int depth) {
    const auto target = read<uint64_t>(address);
    if (!target || *target == 0) return unreadable_value;
    Dwarf_Die referred;
    std::string text = "@" + hexadecimal(*target);
    if (depth < 2 && type_of(type, &referred)) text += ' ' + value(referred, *target, depth + 1);
    return text;
  }

  std::string array(Dwarf_Die* type, uint64_t address, int depth) {
    Dwarf_Die element;
    Dwarf_Die range;
    if (!type_of(type, &element) || dwarf_child(type, &range) != 0) return unreadable_value;
    const auto last = number_of(&range, DW_AT_upper_bound);
    const auto counted = number_of(&range, DW_AT_count);
    const uint64_t count = counted ? *counted : last ? *last + 1 : 0;
    Dwarf_Die plain = plain_type(element);
    if (is_char(&plain)) return quoted(address, count, true);
    Dwarf_Word size = 0;
    if (dwarf_aggregate_size(&plain, &size) != 0 || size == 0) return unreadable_value;
    constexpr uint64_t shown = 8;
    std::string text = "{";
    for (uint64_t i = 0; i < std::min(count, shown) && left_ != 0; i++)
      text += (i == 0 ? "" : ", ") + value(element, address + i * size, depth + 1);
    return text + (count > shown ? ", ..}" : "}");
  }

  std::string standard(const StandardValue& found, int depth) {
    constexpr int deepest = 2;
    switch (found.form) {
      case StandardValue::Form::Text:
        return found.text;
      case StandardValue::Form::Character:
        return quoted(found.address, found.count, false);
      case StandardValue::Form::One:
        return found.text + value(found.elements[0].type, found.elements[0].address, depth) +
               found.end;
      default:
        return depth == deepest && found.count != 0 ? "{..}" : elements(found, depth);
    }
  }

  std::string elements(const StandardValue& found, int depth) {
    const bool has_keys = found.form == StandardValue::Form::Pairs;
    const uint64_t shown = found.elements.size() / (has_keys ? 2 : 1);
    std::string text =
        found.count > shown ? "size " + std::to_string(found.count) + " {" : std::string("{");
    for (size_t i = 0; i < found.elements.size(); i++) {
      const bool is_value = has_keys && i % 2 == 1;
      if (i != 0) text += is_value ? " = " : ", ";
      const std::string one = value(found.elements[i].type, found.elements[i].address, depth + 1);
      text += has_keys && !is_value ? '[' + one + ']' : one;
    }
    const bool is_all = found.count == shown && found.is_count_known;
    return text + (is_all ? "}" : ", ..}");
  }

  std::string object(Dwarf_Die* type, uint64_t address, int depth) {
    constexpr int deepest = 2;
    constexpr int most = 8;
    if (const auto found = standard_value(memory_, names_, *type, address))
      return standard(*found, depth);
    if (depth == deepest) return "{..}";
    std::string text = "{";
    int count = 0;
    Dwarf_Die child;
    if (dwarf_child(type, &child) == 0) {
      do {
        const int tag = dwarf_tag(&child);
        if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
        const auto bits = number_of(&child, DW_AT_bit_size);
        auto offset = number_of(&child, DW_AT_data_member_location);
        if (!offset && (bits || dwarf_tag(type) == DW_TAG_union_type)) offset = 0;
        Dwarf_Die member;
        if (!offset || !type_of(&child, &member)) continue;  // a static one
        if (++count > most || left_ == 0) {
          text += ", ..";
          break;
        }
        if (count > 1) text += ", ";
        const std::string name = tag == DW_TAG_member ? name_of(&child) : "";
        if (!name.empty()) text += escaped(name) + " = ";  // not of an anonymous union
        text += bits ? bit_field(&child, member, address, *bits)
                     : value(member, address + *offset, depth + 1);
      } while (dwarf_siblingof(&child, &child) == 0);
    }
    return text + '}';
  }

  const FrameMemory& memory_;
  const CodeNames& names_;
  int left_ = 0;  // values
};

}  // namespace

std::string value_text(const FrameMemory& memory, Dwarf_Die type, uint64_t address,
                       const CodeNames& names) {
  return ValueText(memory, names).of(type, address);
}

}  // namespace skein
