// Where the functions of an ELF file begin and end, without their names: from its call frame
// information (.eh_frame), which `strip` keeps and of which static programs lack only the index.
//
//   for (const CodeRange& range : code_ranges(file.bytes())) disassemble(range.begin, range.end);
//
// Addresses are those in the file, as linked. Nothing in the file is trusted.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace skein {

struct CodeRange {
  uint64_t begin = 0;
  uint64_t end = 0;  // of the last byte, plus 1
  uint64_t size() const { return end - begin; }
};

// By `begin`. Empty: the file is no ELF file, or has no section headers. Compilers may split a
// function into parts. O(functions * log functions).
std::vector<CodeRange> code_ranges(std::span<const uint8_t> elf);

// The range that begins at an address, or null. `ranges` are sorted. O(log ranges).
const CodeRange* range_at(std::span<const CodeRange> ranges, uint64_t begin);

// Whether a compiler with this name ("clang"; empty: any) has left it in the file (.comment). False: it
// has not, or the section is missing.
bool is_compiled_by(std::span<const uint8_t> elf, std::string_view compiler);

}  // namespace skein
