// ELF files in memory: sections with the given bytes, without code. For the pieces of debug
// information that libdw reads only from an ELF file, and for tests.
//
//   ElfWriter elf;
//   elf.add(".debug_line", bytes);
//   read(elf.bytes());
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace skein {

class ElfWriter {
 public:
  // Returns the number of the section.
  uint32_t add(const std::string& name, std::string_view bytes, uint32_t type = SHT_PROGBITS,
               uint64_t flags = 0, uint32_t link = 0, uint64_t entry_size = 0,
               uint64_t alignment = 1) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<uint32_t>(names_.size());
    header.sh_type = type;
    header.sh_flags = flags;
    header.sh_link = link;
    header.sh_entsize = entry_size;
    header.sh_addralign = alignment;
    header.sh_offset = sizeof(Elf64_Ehdr) + bytes_.size();
    header.sh_size = bytes.size();
    names_ += name + '\0';
    bytes_ += bytes;
    while (bytes_.size() % 8 != 0) bytes_ += '\0';
    sections_.push_back(header);
    return static_cast<uint32_t>(sections_.size() - 1);
  }

  // O(bytes).
  std::vector<uint8_t> bytes() const {
    ElfWriter whole = *this;
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
