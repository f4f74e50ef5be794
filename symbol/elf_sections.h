// Sections of an ELF file, by their names, and what they say about other files with its symbols.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "symbol/elf_handles.h"

namespace skein {

// The bytes of the first section of this name, as in the file. Nothing: there is none, or it has no
// bytes in the file. `elf` was opened from `bytes`. O(sections).
std::optional<std::span<const uint8_t>> section_of(Elf* elf, std::span<const uint8_t> bytes,
                                                   std::string_view name);

// The same as libelf has it, with its address; data null: there is none.
struct LoadedSection {
  Elf_Data* data = nullptr;
  uint64_t address = 0;
  bool is_compressed = false;
};
LoadedSection loaded_section(Elf* elf, std::string_view name);

// Its build id as hexadecimal digits, or an empty text. O(sections).
std::string build_id_of(Elf* elf);

// Whether it has a table of all its symbols, not only of those that other files may use.
bool has_all_symbols(Elf* elf);
// The size of its debug information, decompressed; 0: it has none.
uint64_t debug_information_size(Elf* elf);
// The size of all its sections that libdw would decompress.
uint64_t decompressed_size(Elf* elf);

std::string hexadecimal_text(std::span<const uint8_t> bytes);

}  // namespace skein
