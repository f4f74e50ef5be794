// The code that a target has mapped, with its unwind tables.
//
//   UnwindTables tables;                       // may be shared by several targets
//   Unwinder unwinder(unwind_modules(target, tables));
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "profile/unwind/unwinder.h"
#include "symbol/debug_file.h"
#include "target/elf.h"
#include "target/target.h"

namespace skein {

// Of a file, or "[vdso]"; with the .debug_frame of its debug file. Null: it has no table.
std::shared_ptr<const UnwindTable> read_unwind_table(std::span<const uint8_t> elf,
                                                     const std::string& path,
                                                     const DebugFilePlaces& places, Files& files);

// Each file is read once.
class UnwindTables {
 public:
  struct File {
    Contents contents = {};
    ElfHeader elf = {};
    std::shared_ptr<const UnwindTable> table = {};  // null: none
  };

  // Debug files, for .debug_frame, are looked up in `places`.
  explicit UnwindTables(DebugFilePlaces places = DebugFilePlaces::of_this_user())
      : places_(std::move(places)) {}

  // Of a mapped file, or "[vdso]". Null: it cannot be read, or is no ELF file.
  std::shared_ptr<const File> of(const Target& target, const Mapping& mapping);

 private:
  DebugFilePlaces places_;
  std::map<std::string, std::shared_ptr<const File>> files_ = {};  // by build id and name
};

// Of all executable mappings; of those without a file, or with one that cannot be read, without a
// table. O(size of the files' call frame information): 6 ms for the C library.
std::vector<UnwindModule> unwind_modules(const Target& target, UnwindTables& tables);

}  // namespace skein
