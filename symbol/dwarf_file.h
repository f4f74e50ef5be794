// The debug information of an ELF file, opened with libdw, and the files that it refers to.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "symbol/debug_file.h"
#include "symbol/elf_handles.h"

namespace skein {

// In the order of their dependencies: the last is closed first.
struct DwarfFile {
  std::vector<uint8_t> copy = {};  // of a file with compressed sections, which libelf writes to
  Contents common_contents = {};   // of dwz
  ElfHandle common_elf = {};
  DwarfHandle common = {};
  ElfHandle elf = {};
  DwarfHandle dwarf = {};     // null: no debug information
  bool lacks_common = false;  // it refers to a file of dwz that was not found
};

// What is read: of a file with compressed sections, the others stay packed.
enum class DwarfUse : uint8_t { Lines, Variables };

// `bytes` must stay valid as long as the result. The file of dwz is looked up in `places`; without
// it, names that are in it are unknown. With `files` null, no file is opened, and libdw opens none
// either. Fails if the file is no ELF file, claims to unpack to more than sixteen times its size, or
// has entries with an absurd number of attributes.
Result<DwarfFile> open_dwarf(std::span<const uint8_t> bytes, const std::string& path,
                             const DebugFilePlaces& places, Files* files, DwarfUse use);

}  // namespace skein
