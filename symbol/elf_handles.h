// Owners of the handles of elfutils.
#pragma once

#include <elfutils/libdw.h>
#include <gelf.h>

#include <cstdint>
#include <memory>
#include <span>

namespace skein {

struct ElfutilsEnd {
  void operator()(Elf* elf) const { elf_end(elf); }
  void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};
using ElfHandle = std::unique_ptr<Elf, ElfutilsEnd>;
using DwarfHandle = std::unique_ptr<Dwarf, ElfutilsEnd>;

// An ELF file in memory, which must stay valid as long as the handle. Null: it is none.
inline ElfHandle open_elf(std::span<const uint8_t> bytes) {
  elf_version(EV_CURRENT);
  // libelf does not write to memory that it was given to read, except to unpack sections: dwarf_file.h.
  auto* memory = const_cast<char*>(reinterpret_cast<const char*>(bytes.data()));  // NOLINT
  ElfHandle elf(elf_memory(memory, bytes.size()));
  if (elf != nullptr && elf_kind(elf.get()) != ELF_K_ELF) elf.reset();
  return elf;
}

}  // namespace skein
