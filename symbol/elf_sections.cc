#include "symbol/elf_sections.h"

#include <elfutils/libdwelf.h>

#include <algorithm>

namespace skein {

namespace {

// Calls `use` with each section, until it returns true.
template <typename Use>
void for_each_section(Elf* elf, const Use& use) {
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) != nullptr && use(section, header)) return;
  }
}

bool has_section_name(Elf* elf, size_t names, const GElf_Shdr& header, std::string_view name) {
  const char* own = elf_strptr(elf, names, header.sh_name);
  return own != nullptr && own == name;
}

uint64_t size_of_section(Elf_Scn* section, const GElf_Shdr& header) {
  GElf_Chdr compressed;
  return gelf_getchdr(section, &compressed) != nullptr ? compressed.ch_size : header.sh_size;
}

}  // namespace

std::string hexadecimal_text(std::span<const uint8_t> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : bytes) text += {digits[byte >> 4], digits[byte & 15]};
  return text;
}

LoadedSection loaded_section(Elf* elf, std::string_view name) {
  LoadedSection found;
  size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) return found;
  for_each_section(elf, [&](Elf_Scn* section, const GElf_Shdr& header) {
    if (header.sh_type == SHT_NOBITS || !has_section_name(elf, names, header, name)) return false;
    found = {elf_getdata(section, nullptr), header.sh_addr,
             (header.sh_flags & SHF_COMPRESSED) != 0};
    return true;
  });
  return found;
}

std::optional<std::span<const uint8_t>> section_of(Elf* elf, std::span<const uint8_t> bytes,
                                                   std::string_view name) {
  std::optional<std::span<const uint8_t>> found;
  size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) return found;
  for_each_section(elf, [&](Elf_Scn*, const GElf_Shdr& header) {
    if (header.sh_type == SHT_NOBITS || !has_section_name(elf, names, header, name)) return false;
    if (header.sh_offset <= bytes.size() && header.sh_size <= bytes.size() - header.sh_offset)
      found = bytes.subspan(header.sh_offset, header.sh_size);
    return true;
  });
  return found;
}

std::string build_id_of(Elf* elf) {
  const void* id = nullptr;
  const ssize_t size = elf == nullptr ? -1 : dwelf_elf_gnu_build_id(elf, &id);
  constexpr ssize_t longest = 64;  // bytes; SHA-1 has 20
  if (size <= 0 || size > longest) return {};
  return hexadecimal_text({static_cast<const uint8_t*>(id), static_cast<size_t>(size)});
}

bool has_all_symbols(Elf* elf) {
  bool found = false;
  if (elf == nullptr) return false;
  for_each_section(elf, [&](Elf_Scn*, const GElf_Shdr& header) {
    // The first entry of a table means nothing.
    found = header.sh_type == SHT_SYMTAB && header.sh_entsize != 0 &&
            header.sh_size > header.sh_entsize;
    return found;
  });
  return found;
}

uint64_t debug_information_size(Elf* elf) {
  uint64_t size = 0;
  size_t names = 0;
  if (elf == nullptr || elf_getshdrstrndx(elf, &names) != 0) return 0;
  for_each_section(elf, [&](Elf_Scn* section, const GElf_Shdr& header) {
    if (header.sh_type == SHT_NOBITS || !has_section_name(elf, names, header, ".debug_info"))
      return false;
    size = size_of_section(section, header);
    return true;
  });
  return size;
}

uint64_t decompressed_size(Elf* elf) {
  uint64_t sum = 0;
  for_each_section(elf, [&](Elf_Scn* section, const GElf_Shdr& header) {
    if ((header.sh_flags & SHF_COMPRESSED) == 0) return false;
    const uint64_t size = size_of_section(section, header);
    sum = size > UINT64_MAX - sum ? UINT64_MAX : sum + size;
    return false;
  });
  return sum;
}

}  // namespace skein
