#include "symbol/dwarf_file.h"

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <utility>

#include "symbol/abbreviations.h"
#include "symbol/elf_sections.h"
#include "symbol/elf_writer.h"

namespace skein {

namespace {

// Debug information without anything in it. libdw searches for dwz's file itself, opens whatever
// has its name and does not compare build ids, unless it is given one.
std::span<const uint8_t> empty_debug_information() {
  static const std::vector<uint8_t> file = [] {
    ElfWriter elf;
    elf.add(".debug_line", std::string_view("\0\0\0\0", 4));
    return elf.bytes();
  }();
  return file;
}

// libdw unpacks all sections at once. The places of variables are a fifth.
void hide_unused_sections(std::vector<uint8_t>& bytes, DwarfUse use) {
  std::vector<uint64_t> places;  // of sh_type in the file
  {
    const ElfHandle elf = open_elf(bytes);
    GElf_Ehdr header;
    size_t names = 0;
    if (elf == nullptr || gelf_getclass(elf.get()) != ELFCLASS64 ||
        gelf_getehdr(elf.get(), &header) == nullptr || elf_getshdrstrndx(elf.get(), &names) != 0)
      return;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
      GElf_Shdr own;
      if (gelf_getshdr(section, &own) == nullptr || (own.sh_flags & SHF_COMPRESSED) == 0) continue;
      const char* name = elf_strptr(elf.get(), names, own.sh_name);
      if (name == nullptr) continue;
      const std::string_view text = name;
      const bool is_of_places = text == ".debug_loclists" || text == ".debug_loc";
      if (text == ".debug_macro" || (is_of_places && use == DwarfUse::Lines))
        places.push_back(header.e_shoff + elf_ndxscn(section) * sizeof(Elf64_Shdr) +
                         offsetof(Elf64_Shdr, sh_type));
    }
  }
  constexpr uint32_t nothing = SHT_NOBITS;
  for (const uint64_t at : places)
    if (at <= bytes.size() - sizeof nothing)
      std::memcpy(bytes.data() + at, &nothing, sizeof nothing);
}

std::span<const uint8_t> bytes_of(const LoadedSection& section) {
  if (section.data == nullptr || section.data->d_buf == nullptr) return {};
  return {static_cast<const uint8_t*>(section.data->d_buf), section.data->d_size};
}

// Of one that libdw has opened: its sections are not packed anymore.
bool is_hostile(Elf* elf) {
  for (const std::string suffix : {"", ".dwo"})
    if (has_hostile_abbreviations(bytes_of(loaded_section(elf, ".debug_info" + suffix)),
                                  bytes_of(loaded_section(elf, ".debug_abbrev" + suffix))))
      return true;
  return false;
}

}  // namespace

Result<DwarfFile> open_dwarf(std::span<const uint8_t> bytes, const std::string& path,
                             const DebugFilePlaces& places, Files* files, DwarfUse use) {
  DwarfFile file;
  file.elf = open_elf(bytes);
  if (file.elf == nullptr) return Error{.what = "no ELF file", .file = path};
  if (const uint64_t size = decompressed_size(file.elf.get()); size != 0) {
    constexpr uint64_t usual_ratio = 16;
    constexpr uint64_t small = uint64_t{16} << 20;
    if (size > small && size / usual_ratio > bytes.size())
      return Error{.what = "debug information that unpacks to " + std::to_string(size) + " bytes",
                   .file = path};
    file.elf.reset();
    file.copy.assign(bytes.begin(), bytes.end());
    hide_unused_sections(file.copy, use);
    file.elf = open_elf(file.copy);
  }
  const bool has_common = section_of(file.elf.get(), bytes, ".gnu_debugaltlink").has_value();
  file.dwarf.reset(dwarf_begin_elf(file.elf.get(), DWARF_C_READ, nullptr));
  if (file.dwarf != nullptr && is_hostile(file.elf.get()))
    return Error{.what = "damaged debug information: an entry with too many attributes",
                 .file = path};
  if (file.dwarf == nullptr || !has_common) return file;
  std::span<const uint8_t> common = empty_debug_information();
  if (files != nullptr)
    if (DebugFileSearch search = find_common_debug_file(bytes, path, places, *files);
        search.found) {
      file.common_contents = std::move(search.found->contents);
      common = file.common_contents.bytes();
    }
  file.lacks_common = file.common_contents.size() == 0;
  file.common_elf = open_elf(common);
  file.common.reset(dwarf_begin_elf(file.common_elf.get(), DWARF_C_READ, nullptr));
  if (file.common == nullptr) {
    file.common_elf = open_elf(empty_debug_information());
    file.common.reset(dwarf_begin_elf(file.common_elf.get(), DWARF_C_READ, nullptr));
  }
  if (file.common == nullptr) return Error{.what = "libdw is not usable", .file = path};
  dwarf_setalt(file.dwarf.get(), file.common.get());
  return file;
}

}  // namespace skein
