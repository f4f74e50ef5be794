// The parts of ELF that executables and core files share: header, segments, notes (gABI chapters 4
// and 5). 64-bit little-endian files only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "target/target.h"

namespace skein {

struct ElfSegment {
  uint32_t type = 0;   // PT_LOAD 1, PT_NOTE 4
  uint32_t flags = 0;  // PF_X 1, PF_W 2, PF_R 4
  uint64_t offset = 0;
  uint64_t address = 0;
  uint64_t file_size = 0;
  uint64_t memory_size = 0;
  uint64_t alignment = 0;
};

struct ElfHeader {
  uint16_t type = 0;  // ET_EXEC 2, ET_DYN 3, ET_CORE 4
  Architecture architecture = Architecture::X86_64;
  uint64_t entry = 0;  // where the file's code begins to run, as linked; 0: nowhere
  std::vector<ElfSegment> segments = {};
};

// `bytes` is the beginning of the file, at least up to its table of segments; `path` is for errors.
Result<ElfHeader> read_elf_header(std::span<const uint8_t> bytes, const std::string& path);

// What a file's addresses are moved by in the target; nothing: the mapping is not of a segment.
std::optional<uint64_t> bias_of(const ElfHeader& elf, const Mapping& mapping);

// What the target has at an address of the file, as linked: at most `size` bytes, up to the end of
// its segment. Empty: the file has nothing there. `file` is all of it.
std::span<const uint8_t> bytes_at(const ElfHeader& elf, std::span<const uint8_t> file,
                                  uint64_t address, uint64_t size);

struct ElfNote {
  uint32_t type = 0;
  std::string_view name = {};  // "CORE", "GNU"
  std::span<const uint8_t> data = {};
};

// Calls `use` for each note, until it returns false or a note is cut short. Returns false in the
// latter case. `alignment` is that of the segment.
bool for_each_note(std::span<const uint8_t> notes, uint64_t alignment,
                   const std::function<bool(const ElfNote&)>& use);

}  // namespace skein
