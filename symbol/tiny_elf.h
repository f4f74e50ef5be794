// ELF files made by tests, with what other modules look for in them.
#pragma once

#include "symbol/elf_writer.h"

namespace skein {

class TinyElf : public ElfWriter {
 public:
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
    add(".note.gnu.build-id", note, SHT_NOTE, SHF_ALLOC, 0, 0, 4);
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
};

}  // namespace skein
