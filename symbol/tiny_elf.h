// ELF files made by tests: sections with the given bytes, without code.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace skein {

class TinyElf {
 public:
  // Returns the number of the section.
  uint32_t add(const std::string& name, std::string_view bytes, uint32_t type = SHT_PROGBITS,
               uint64_t flags = 0, uint32_t link = 0, uint64_t entry_size = 0) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<uint32_t>(names_.size());
    header.sh_type = type;
    header.sh_flags = flags;
    header.sh_link = link;
    header.sh_entsize = entry_size;
    header.sh_addralign = 1;
    header.sh_offset = sizeof(Elf64_Ehdr) + bytes_.size();
    header.sh_size = bytes.size();
    names_ += name + '\0';
    bytes_ += bytes;
    while (bytes_.size() % 8 != 0) bytes_ += '\0';
    sections_.push_back(header);
    return static_cast<uint32_t>(sections_.size() - 1);
  }
  // Of two hexadecimal digits for each byte.
  void add_build_id(std::string_view digits) {
    std::string id;
    for (size_t i = 0; i + 1 < digits.size(); i += 2)
      id += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
    std::string note;
    for (const uint32_t word :
         {uint32_t{4}, static_cast<uint32_t>(id.size()), uint32_t{NT_GNU_BUILD_ID}})
      note.append(reinterpret_cast<const char*>(&word), sizeof word);
    note += std::string_view("GNU\0", 4);
    note += id;
    add(".note.gnu.build-id", note, SHT_NOTE, SHF_ALLOC);
    sections_.back().sh_addralign = 4;
  }
  // A function of one byte for each name, at 0x1000 and behind.
  void add_symbols(const std::vector<std::string>& functions, uint32_t type = SHT_SYMTAB) {
    std::string texts(1, '\0');
    std::string table(sizeof(Elf64_Sym), '\0');
    uint64_t address = 0x1000;
    for (const std::string& name : functions) {
      Elf64_Sym symbol{};
      symbol.st_name = static_cast<uint32_t>(texts.size());
      symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
      symbol.st_shndx = 1;
      symbol.st_value = address++;
      symbol.st_size = 1;
      texts += name + '\0';
      table.append(reinterpret_cast<const char*>(&symbol), sizeof symbol);
    }
    const uint32_t link = add(type == SHT_SYMTAB ? ".strtab" : ".dynstr", texts, SHT_STRTAB);
    add(type == SHT_SYMTAB ? ".symtab" : ".dynsym", table, type, 0, link, sizeof(Elf64_Sym));
  }
  void add_debug_link(std::string_view name, uint32_t checksum) {
    std::string bytes(name);
    bytes.resize((name.size() + 4) / 4 * 4);
    bytes.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
    add(".gnu_debuglink", bytes);
  }

  std::vector<uint8_t> bytes() const {
    TinyElf whole = *this;
    whole.add(".shstrtab", names_ + std::string(".shstrtab\0", 10), SHT_STRTAB);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_EXEC;
    header.e_machine = EM_X86_64;
    header.e_version = EV_CURRENT;
    header.e_ehsize = sizeof header;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shoff = sizeof header + whole.bytes_.size();
    header.e_shnum = static_cast<uint16_t>(whole.sections_.size());
    header.e_shstrndx = static_cast<uint16_t>(whole.sections_.size() - 1);
    std::string out(reinterpret_cast<const char*>(&header), sizeof header);
    out += whole.bytes_;
    out.append(reinterpret_cast<const char*>(whole.sections_.data()),
               whole.sections_.size() * sizeof(Elf64_Shdr));
    return {out.begin(), out.end()};
  }

 private:
  std::string names_ = std::string(1, '\0');
  std::string bytes_ = {};
  std::vector<Elf64_Shdr> sections_ = {Elf64_Shdr{}};
};

}  // namespace skein
