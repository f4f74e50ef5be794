#include "symbol/code_ranges.h"

#include <dwarf.h>

#include <algorithm>
#include <cstring>

#include "symbol/elf_sections.h"

namespace skein {

namespace {

// How the functions of a CIE give their addresses (LSB, "Augmentation String Format"); the default
// is an absolute address.
uint8_t encoding_of(const Dwarf_CIE& cie) {
  const uint8_t* data = cie.augmentation_data;
  const char* letters = cie.augmentation;
  if (letters == nullptr || *letters != 'z' || data == nullptr) return DW_EH_PE_absptr;
  size_t left = cie.augmentation_data_size;
  for (letters++; *letters != '\0' && left != 0; letters++) {
    if (*letters == 'R') return *data;
    // A personality's address: its encoding, and 4 or 8 bytes.
    size_t skipped = 1;
    if (*letters == 'P') skipped += (*data & 7) == DW_EH_PE_udata4 ? 4 : 8;
    if (*letters == 'S' || *letters == 'B') skipped = 0;
    if (skipped > left) break;
    data += skipped;
    left -= skipped;
  }
  return DW_EH_PE_absptr;
}

// The range of an FDE, whose first field is at `at` of the section; empty: another encoding.
CodeRange range_of(const LoadedSection& section, size_t at, uint8_t encoding) {
  const auto* bytes = static_cast<const uint8_t*>(section.data->d_buf);
  const size_t left = section.data->d_size - at;
  const bool is_relative = (encoding & 0x70) == DW_EH_PE_pcrel;
  const uint64_t base = is_relative ? section.address + at : 0;
  if ((encoding & 0x0F) == DW_EH_PE_sdata4 && left >= 8) {
    int32_t begin = 0;
    uint32_t size = 0;
    std::memcpy(&begin, bytes + at, sizeof begin);
    std::memcpy(&size, bytes + at + 4, sizeof size);
    const uint64_t address = base + static_cast<uint64_t>(int64_t{begin});
    return {address, address + size};
  }
  if ((encoding & 0x0F) == DW_EH_PE_absptr && left >= 16) {
    uint64_t begin = 0;
    uint64_t size = 0;
    std::memcpy(&begin, bytes + at, sizeof begin);
    std::memcpy(&size, bytes + at + 8, sizeof size);
    return {base + begin, base + begin + size};
  }
  return {};
}

}  // namespace

std::vector<CodeRange> code_ranges(std::span<const uint8_t> bytes) {
  std::vector<CodeRange> found;
  const ElfHandle elf = open_elf(bytes);
  if (elf == nullptr) return found;
  size_t size = 0;
  const auto* ident = reinterpret_cast<const uint8_t*>(elf_getident(elf.get(), &size));
  const LoadedSection section = loaded_section(elf.get(), ".eh_frame");
  if (ident == nullptr || size < EI_NIDENT || section.data == nullptr) return found;
  Dwarf_Off cie_at = DW_CIE_ID_64;
  uint8_t encoding = DW_EH_PE_absptr;
  Dwarf_Off next = 0;
  for (Dwarf_Off at = 0;; at = next) {
    Dwarf_CFI_Entry entry;
    const int status = dwarf_next_cfi(ident, section.data, true, at, &next, &entry);
    if (status > 0 || next <= at || next == static_cast<Dwarf_Off>(-1)) break;
    if (status < 0) continue;  // this entry only
    if (dwarf_cfi_cie_p(&entry)) {
      cie_at = at;
      encoding = encoding_of(entry.cie);
      continue;
    }
    if (entry.fde.CIE_pointer != cie_at) {
      Dwarf_CFI_Entry cie;
      Dwarf_Off end = 0;
      cie_at = entry.fde.CIE_pointer;
      encoding = dwarf_next_cfi(ident, section.data, true, cie_at, &end, &cie) == 0 &&
                         dwarf_cfi_cie_p(&cie)
                     ? encoding_of(cie.cie)
                     : uint8_t{DW_EH_PE_omit};
    }
    const auto* begin = static_cast<const uint8_t*>(section.data->d_buf);
    const CodeRange range =
        range_of(section, static_cast<size_t>(entry.fde.start - begin), encoding);
    if (range.begin < range.end) found.push_back(range);
  }
  std::sort(found.begin(), found.end(),
            [](const CodeRange& a, const CodeRange& b) { return a.begin < b.begin; });
  return found;
}

const CodeRange* range_at(std::span<const CodeRange> ranges, uint64_t begin) {
  const auto at = std::lower_bound(ranges.begin(), ranges.end(), begin,
                                   [](const CodeRange& a, uint64_t b) { return a.begin < b; });
  return at != ranges.end() && at->begin == begin ? &*at : nullptr;
}

bool is_compiled_by(std::span<const uint8_t> bytes, std::string_view compiler) {
  const ElfHandle elf = open_elf(bytes);
  const LoadedSection section = loaded_section(elf.get(), ".comment");
  if (section.data == nullptr || section.data->d_buf == nullptr) return false;
  const std::string_view text(static_cast<const char*>(section.data->d_buf), section.data->d_size);
  return text.find(compiler) != std::string_view::npos;
}

}  // namespace skein
