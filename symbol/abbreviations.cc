#include "symbol/abbreviations.h"

#include <dwarf.h>

#include <optional>
#include <unordered_set>

#include "base/cursor.h"

namespace skein {

namespace {

// The number without its sign: only 0 and small numbers matter.
uint64_t leb128(Cursor& bytes) {
  uint64_t value = 0;
  for (unsigned shift = 0; !bytes.failed(); shift += 7) {
    const uint8_t byte = bytes.u8();
    if (shift < 64) value |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) break;
  }
  return value;
}

// The offset of the table of abbreviations; the cursor is then at the next unit.
std::optional<uint64_t> table_of_unit(Cursor& information) {
  constexpr uint32_t is_64_bit = 0xffffffff;
  uint64_t size = information.u32();
  const bool is_wide = size == is_64_bit;
  if (is_wide) size = information.u64();
  if (information.failed() || size > information.remaining()) return {};
  Cursor unit(information.bytes(size));
  const auto offset = [&] { return is_wide ? unit.u64() : unit.u32(); };
  const uint16_t version = unit.u16();
  constexpr uint16_t first_with_type = 5;
  if (version >= first_with_type) unit.skip(2);  // type, size of an address
  const uint64_t table = offset();
  if (unit.failed()) return {};
  return table;
}

class Tables {
 public:
  explicit Tables(std::span<const uint8_t> bytes)
      : bytes_(bytes), attributes_left_(2 * bytes.size()) {}

  bool is_hostile(uint64_t offset) {
    if (offset >= bytes_.size()) return false;  // libdw finds no abbreviations there
    Cursor table(bytes_.subspan(offset), offset);
    while (!table.failed() && seen_.insert(table.offset()).second && leb128(table) != 0) {
      leb128(table);  // the tag
      table.skip(1);  // whether it has children
      if (is_hostile_shape(table)) return true;
    }
    return false;
  }

 private:
  bool is_hostile_shape(Cursor& table) {
    constexpr int most_without_bytes = 32;
    int without_bytes = 0;
    while (!table.failed()) {
      const uint64_t name = leb128(table);
      const uint64_t form = leb128(table);
      if (form == DW_FORM_implicit_const) leb128(table);
      if (name == 0 && form == 0) return false;
      if (form == DW_FORM_implicit_const || form == DW_FORM_flag_present)
        if (++without_bytes > most_without_bytes) return true;
      // More than there are: tables overlap.
      if (attributes_left_-- == 0) return true;
    }
    return false;
  }

  std::span<const uint8_t> bytes_;
  uint64_t attributes_left_;
  std::unordered_set<uint64_t> seen_ = {};  // offsets of shapes
};

}  // namespace

bool has_hostile_abbreviations(std::span<const uint8_t> information,
                               std::span<const uint8_t> abbreviations) {
  Cursor units(information);
  Tables tables(abbreviations);
  while (!units.at_end()) {
    const std::optional<uint64_t> table = table_of_unit(units);
    if (!table) return false;
    if (tables.is_hostile(*table)) return true;
  }
  return false;
}

}  // namespace skein
