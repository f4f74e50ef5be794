// The notes of a Linux core file: threads, program, mapped files. Layouts: struct elf_prstatus and
// elf_prpsinfo of <sys/procfs.h>, and fill_files_note() in Linux's fs/binfmt_elf.c.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "target/target.h"

namespace skein {

struct CoreNotes {
  struct MappedFile {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t offset = 0;  // bytes
    std::string path = {};
  };

  uint64_t pid = 0;
  uint64_t signal = 0;
  std::string name = {};
  std::string command_line = {};
  std::vector<TargetThread> threads = {};  // the one that ended the process is first
  std::vector<MappedFile> files = {};
  std::span<const uint8_t> skein = {};     // the bytes of a note of skein's own
  bool cut_short = false;  // a note or a list in it ends too early
};

// Adds the notes of one segment to `to`. Unknown notes are ignored.
void read_core_notes(std::span<const uint8_t> notes, uint64_t alignment, Architecture architecture,
                     CoreNotes& to);

}  // namespace skein
