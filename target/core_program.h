// The program and the libraries of a core whose notes are missing: gdb writes them last, so that a
// core that was cut short lacks them first.
//
//   const CoreProgram found = find_core_program(parts, files, {.program = "server"});
//   for (const CoreNotes::MappedFile& file : found.files) ...
//
// The program is the file that the user names or, if the memory of its first stack is there, the
// one that was executed. Its place is that of its ELF header in the core (gdb 10 and later) or of
// its dynamic section, whose entries must be those of the file. The dynamic linker's list, to which
// that section leads, names the libraries.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "target/core_notes.h"

namespace skein {

// Memory that a core has, sorted by address.
struct CorePart {
  uint64_t begin = 0;
  std::span<const uint8_t> bytes = {};
};

struct CoreProgram {
  std::vector<CoreNotes::MappedFile> files = {};  // by address; empty: not found
  std::string path = {};                          // of the program; empty: not found
  uint64_t begin = 0;         // its address in the core
  std::string executed = {};  // what was executed, relative perhaps; empty: unknown
  std::string build_id = {};  // of the program in the core; empty: unknown
  std::string problem = {};   // why the file that the user has named is not used
};

struct CoreProgramSearch {
  std::string program = {};  // that the user names, from the root; empty: none
  std::string folder = {};   // of the core, from the root: a relative name is looked up there, too
};

// O(parts * segments). Nothing in the core is trusted.
CoreProgram find_core_program(std::span<const CorePart> parts, Files& files,
                              const CoreProgramSearch& search);

}  // namespace skein
