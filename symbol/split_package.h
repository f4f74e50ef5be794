// A .dwp file: what -gsplit-dwarf left out of the units of a program, packaged by llvm-dwp or
// binutils' dwp. DWARF 5, 7.3.5; DWARF 4 as https://gcc.gnu.org/wiki/DebugFissionDWP has it.
//
//   Result<SplitPackage> package = SplitPackage::open(std::move(contents), path);
//   if (package) std::unique_ptr<SplitUnit> unit = package->unit(program, skeleton);
//
// libdw reads such files from 0.191 on. Therefore a unit becomes an ELF file in memory, with its
// share of each section, and with what libdw takes from the skeleton: the addresses, the ranges of
// DWARF 4, and the address on which its lists are based, which replaces attributes of the unit's
// own entry. Nothing in the file is trusted. Not read: units of types (-fdebug-types-section),
// 64-bit DWARF.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "symbol/elf_handles.h"

namespace skein {

struct SplitUnit {
  std::vector<uint8_t> bytes = {};
  ElfHandle elf = {};
  DwarfHandle dwarf = {};
  Dwarf_Die die = {};  // its name and its producer are unknown
};

class SplitPackage {
 public:
  // Fails if the file has no index of units.
  static Result<SplitPackage> open(Contents contents, const std::string& path);

  // `skeleton`: the entry of a unit of `program`, which was opened from an ELF file. Null: the file
  // does not have the unit, or it is damaged. O(bytes of the unit and its names).
  std::unique_ptr<SplitUnit> unit(Elf* program, Dwarf_Die* skeleton) const;

 private:
  // Of a unit, or of a whole section: bytes in `contents_`.
  using Part = std::span<const uint8_t>;
  enum Section : uint32_t {
    Info = 1,
    Abbreviations = 3,
    Places = 5,
    StringOffsets = 6,
    Ranges = 8
  };
  static constexpr size_t most_sections = 9;  // and numbers, from 1
  struct Parts {
    Part of[most_sections] = {};
  };

  bool read_index();
  bool find_parts(uint64_t id, Parts& parts) const;

  Contents contents_ = {};
  ElfHandle elf_ = {};
  uint32_t version_ = 0;
  uint32_t columns_ = 0;
  uint32_t units_ = 0;
  uint32_t slots_ = 0;
  Part ids_ = {};       // u64 for each slot
  Part rows_ = {};      // u32 for each slot, from 1; 0: free
  Part sections_ = {};  // u32 for each column
  Part offsets_ = {};   // u32 for each unit and column
  Part sizes_ = {};
};

}  // namespace skein
