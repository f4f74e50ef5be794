#include "symbol/split_package.h"

#include <dwarf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "base/cursor.h"
#include "symbol/dwarf_attributes.h"
#include "symbol/elf_sections.h"
#include "symbol/elf_writer.h"

namespace skein {

namespace {

std::string_view text_at(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

uint32_t word_at(std::span<const uint8_t> words, size_t index) {
  Cursor cursor(words);
  cursor.skip(index * sizeof(uint32_t));
  return cursor.u32();
}

// What a section has from an offset on; not more than 4 MiB, as its end is unknown.
std::string_view rest_of(const LoadedSection& section, uint64_t offset) {
  constexpr uint64_t most = uint64_t{4} << 20;
  if (section.data == nullptr || section.data->d_buf == nullptr || offset >= section.data->d_size)
    return {};
  return {static_cast<const char*>(section.data->d_buf) + offset,
          std::min<uint64_t>(most, section.data->d_size - offset)};
}

// The texts of a unit: its offsets, as they are in a section that has no other texts.
struct OwnTexts {
  std::string offsets = {};
  std::string texts = {};
};

OwnTexts own_texts(std::span<const uint8_t> offsets, std::string_view texts, uint32_t version) {
  OwnTexts own{.offsets = std::string(text_at(offsets)), .texts = std::string(1, '\0')};
  const size_t header = version >= 5 ? 8 : 0;
  constexpr size_t most = size_t{256} << 20;
  for (size_t at = header; at + 4 <= own.offsets.size(); at += 4) {
    const uint32_t offset = word_at(offsets.subspan(at), 0);
    uint32_t replaced = 0;
    if (offset < texts.size() && own.texts.size() < most) {
      const size_t end = texts.find('\0', offset);
      replaced = static_cast<uint32_t>(own.texts.size());
      own.texts += texts.substr(offset, end == std::string_view::npos ? end : end - offset);
      own.texts += '\0';
    }
    std::memcpy(own.offsets.data() + at, &replaced, sizeof replaced);
  }
  return own;
}

void append_number(std::string& to, uint64_t value) {
  for (; value >= 128; value >>= 7) to += static_cast<char>(value | 128);
  to += static_cast<char>(value);
}

// The number at the beginning of an entry: g++'s most frequent forms have the lowest.
struct EntryCode {
  uint64_t value = 0;
  size_t size = 0;  // bytes
};
EntryCode entry_code(std::span<const uint8_t> bytes) {
  constexpr size_t longest = 4;
  EntryCode code;
  while (code.size < std::min(longest, bytes.size())) {
    const uint8_t byte = bytes[code.size];
    code.value |= uint64_t{byte & 127U} << 7 * code.size;
    code.size++;
    if (byte < 128) return code;
  }
  return {};
}

struct Declaration {
  size_t begin = 0;  // in the table of abbreviations
  size_t end = 0;
};

std::optional<Declaration> declaration_of(Dwarf_Die* unit, uint64_t code, size_t table_size) {
  constexpr int most = 100'000;
  size_t at = 0;
  for (int i = 0; i < most; i++) {
    size_t length = 0;
    Dwarf_Abbrev* abbreviation = dwarf_getabbrev(unit, at, &length);
    if (abbreviation == nullptr || abbreviation == DWARF_END_ABBREV || length == 0 ||
        length > table_size - at)
      return {};
    if (dwarf_getabbrevcode(abbreviation) == code) return Declaration{at, at + length};
    at += length;
  }
  return {};
}

}  // namespace

Result<SplitPackage> SplitPackage::open(Contents contents, const std::string& path) {
  SplitPackage package;
  package.contents_ = std::move(contents);
  package.elf_ = open_elf(package.contents_.bytes());
  if (package.elf_ == nullptr) return Error{.what = "no ELF file", .file = path};
  if (!package.read_index())
    return Error{.what = "no index of units, or a damaged one", .file = path};
  return package;
}

// A header; for each slot of a hash table an id, and then a row; the sections of the columns; rows
// of offsets, and rows of sizes.
bool SplitPackage::read_index() {
  const auto index = section_of(elf_.get(), contents_.bytes(), ".debug_cu_index");
  if (!index) return false;
  Cursor cursor(*index);
  version_ = cursor.u32() & 0xFFFF;
  columns_ = cursor.u32();
  units_ = cursor.u32();
  slots_ = cursor.u32();
  constexpr uint32_t most = 1 << 28;
  if (cursor.failed() || (version_ != 2 && version_ != 5) || columns_ == 0 ||
      columns_ >= most_sections || units_ > most || slots_ > most || (slots_ & (slots_ - 1)) != 0)
    return false;
  const size_t row = size_t{4} * columns_;
  ids_ = cursor.bytes(size_t{8} * slots_);
  rows_ = cursor.bytes(size_t{4} * slots_);
  sections_ = cursor.bytes(row);
  offsets_ = cursor.bytes(row * units_);
  sizes_ = cursor.bytes(row * units_);
  return !cursor.failed();
}

bool SplitPackage::find_parts(uint64_t id, Parts& parts) const {
  if (slots_ == 0) return false;
  const uint64_t mask = slots_ - 1;
  uint64_t slot = id & mask;
  const uint64_t step = (id >> 32 & mask) | 1;
  uint32_t row = 0;
  for (uint32_t tried = 0; tried < slots_ && row == 0; tried++, slot = (slot + step) & mask) {
    const uint32_t used = word_at(rows_, slot);
    if (used == 0) return false;
    Cursor own(ids_.subspan(slot * sizeof id));
    if (own.u64() == id) row = used;
  }
  if (row == 0 || row > units_) return false;
  constexpr std::pair<uint32_t, const char*> names[] = {{Info, ".debug_info.dwo"},
                                                        {Abbreviations, ".debug_abbrev.dwo"},
                                                        {StringOffsets, ".debug_str_offsets.dwo"}};
  for (uint32_t i = 0; i < columns_; i++) {
    const uint32_t section = word_at(sections_, i);
    if (section >= most_sections) continue;
    std::string name;
    for (const auto& [number, text] : names)
      if (number == section) name = text;
    if (section == Places) name = version_ == 5 ? ".debug_loclists.dwo" : ".debug_loc.dwo";
    if (section == Ranges && version_ == 5) name = ".debug_rnglists.dwo";
    if (name.empty()) continue;
    const auto whole = section_of(elf_.get(), contents_.bytes(), name);
    const size_t at = size_t{row - 1} * columns_ + i;
    const uint32_t offset = word_at(offsets_, at);
    const uint32_t size = word_at(sizes_, at);
    if (whole && offset <= whole->size() && size <= whole->size() - offset)
      parts.of[section] = whole->subspan(offset, size);
  }
  return !parts.of[Info].empty() && !parts.of[Abbreviations].empty();
}

std::unique_ptr<SplitUnit> SplitPackage::unit(Elf* program, Dwarf_Die* skeleton) const {
  uint64_t id = 0;
  Dwarf_Half version = 0;
  Parts parts;
  if (dwarf_cu_info(skeleton->cu, &version, nullptr, nullptr, nullptr, &id, nullptr, nullptr) !=
          0 ||
      (version >= 5) != (version_ == 5) || !find_parts(id, parts))
    return nullptr;
  const auto all_texts = section_of(elf_.get(), contents_.bytes(), ".debug_str.dwo");
  const OwnTexts texts = own_texts(parts.of[StringOffsets],
                                   all_texts ? text_at(*all_texts) : std::string_view(), version_);
  const bool is_new = version_ == 5;
  std::string addresses(rest_of(loaded_section(program, ".debug_addr"),
                                number_of(skeleton, is_new ? DW_AT_addr_base : DW_AT_GNU_addr_base)
                                    .value_or(is_new ? 8 : 0)));
  // The address on which its lists are based becomes the last one.
  addresses.resize(addresses.size() / 8 * 8);
  const auto last = static_cast<uint32_t>(addresses.size() / 8);
  Dwarf_Addr base = 0;
  if (dwarf_lowpc(skeleton, &base) != 0) base = 0;
  addresses.append(reinterpret_cast<const char*>(&base), sizeof base);
  const std::string_view old_ranges =
      is_new ? std::string_view()
             : rest_of(loaded_section(program, ".debug_ranges"),
                       number_of(skeleton, DW_AT_GNU_ranges_base).value_or(0));

  const auto write = [&](std::string_view info, std::string_view abbreviations) {
    auto unit = std::make_unique<SplitUnit>();
    ElfWriter elf;
    elf.add(".debug_info", info);
    elf.add(".debug_abbrev", abbreviations);
    elf.add(".debug_str_offsets", texts.offsets);
    elf.add(".debug_str", texts.texts);
    elf.add(".debug_addr", addresses);
    elf.add(is_new ? ".debug_loclists" : ".debug_loc", text_at(parts.of[Places]));
    if (is_new) elf.add(".debug_rnglists", text_at(parts.of[Ranges]));
    if (!old_ranges.empty()) elf.add(".debug_ranges", old_ranges);
    unit->bytes = elf.bytes();
    unit->elf = open_elf(unit->bytes);
    unit->dwarf.reset(dwarf_begin_elf(unit->elf.get(), DWARF_C_READ, nullptr));
    Dwarf_CU* first = nullptr;
    if (unit->dwarf == nullptr ||
        dwarf_get_units(unit->dwarf.get(), nullptr, &first, nullptr, nullptr, &unit->die,
                        nullptr) != 0 ||
        unit->die.addr == nullptr)
      unit.reset();
    return unit;
  };

  // The first form shows how many bytes the attributes of its entry have: its children follow. Its
  // header has the place of the table of abbreviations.
  std::string info(text_at(parts.of[Info]));
  const std::string_view table = text_at(parts.of[Abbreviations]);
  constexpr size_t header_size = 12;
  if (info.size() < header_size || word_at(parts.of[Info].subspan(is_new ? 8 : 6), 0) != 0)
    return nullptr;
  const std::unique_ptr<SplitUnit> plain = write(info, table);
  if (plain == nullptr) return nullptr;
  Dwarf_Die* die = &plain->die;
  Dwarf_Die child;
  const Elf_Data* loaded = loaded_section(plain->elf.get(), ".debug_info").data;
  if (loaded == nullptr || dwarf_child(die, &child) != 0) return nullptr;
  const auto* begin = static_cast<const uint8_t*>(loaded->d_buf);
  const auto entry = static_cast<size_t>(static_cast<const uint8_t*>(die->addr) - begin);
  const auto end = static_cast<size_t>(static_cast<const uint8_t*>(child.addr) - begin);
  if (end > info.size() || entry >= end) return nullptr;
  const EntryCode code = entry_code(parts.of[Info].subspan(entry, end - entry));
  const auto declaration = declaration_of(die, code.value, table.size());
  if (code.size == 0 || !declaration) return nullptr;
  const size_t at = entry + code.size;
  constexpr size_t shortest = 4;
  const size_t id_size = is_new ? 0 : sizeof id;  // DWARF 5 has it in the header of the unit
  constexpr size_t longest = 1000;
  if (end - at < shortest + id_size || end - at > longest) return nullptr;
  std::string declared;
  append_number(declared, code.value);
  append_number(declared, DW_TAG_compile_unit);
  declared += static_cast<char>(DW_CHILDREN_yes);
  append_number(declared, DW_AT_low_pc);
  append_number(declared, DW_FORM_addrx4);
  std::memcpy(info.data() + at, &last, sizeof last);
  if (id_size != 0) {
    append_number(declared, DW_AT_GNU_dwo_id);
    append_number(declared, DW_FORM_data8);
    std::memcpy(info.data() + at + sizeof last, &id, sizeof id);
  }
  for (size_t left = end - at - shortest - id_size; left != 0; left--) {
    append_number(declared, DW_AT_description);
    append_number(declared, DW_FORM_data1);
  }
  declared += std::string(2, '\0');
  return write(info, std::string(table.substr(0, declaration->begin)) + declared +
                         std::string(table.substr(declaration->end)));
}

}  // namespace skein
