#include "target/core_program.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "target/elf.h"

namespace skein {

namespace {

constexpr uint64_t page = 4096;

uint64_t page_of(uint64_t address) { return address / page * page; }

// The beginning of a file that is in the core.
struct Image {
  uint64_t begin = 0;
  ElfHeader elf = {};
  std::string build_id = {};
};

struct Program {
  std::string path = {};
  ElfHeader elf = {};
  Contents contents = {};
  std::string build_id = {};
};

// The first address that is loaded.
uint64_t lowest_of(const ElfHeader& elf) {
  uint64_t lowest = UINT64_MAX;
  for (const ElfSegment& one : elf.segments)
    if (one.type == PT_LOAD) lowest = std::min(lowest, page_of(one.address));
  return lowest;
}

const ElfSegment* segment_of(const ElfHeader& elf, uint32_t type) {
  for (const ElfSegment& one : elf.segments)
    if (one.type == type) return &one;
  return nullptr;
}

bool has_same_segments(const ElfHeader& a, const ElfHeader& b) {
  return std::equal(a.segments.begin(), a.segments.end(), b.segments.begin(), b.segments.end(),
                    [](const ElfSegment& x, const ElfSegment& y) {
                      return x.type == y.type && x.flags == y.flags && x.offset == y.offset &&
                             x.address == y.address && x.file_size == y.file_size &&
                             x.memory_size == y.memory_size;
                    });
}

class Finder {
 public:
  Finder(std::span<const CorePart> parts, Files& files, const CoreProgramSearch& search)
      : parts_(parts), files_(files), search_(search) {}

  CoreProgram find() {
    find_images();
    find_executed();
    if (const Image* image = image_around(headers_)) out_.build_id = image->build_id;
    for (const std::string& path : paths()) {
      std::optional<Program> program = open(path);
      const bool is_named = path == search_.program;
      if (!program) {
        if (is_named) out_.problem = path + ": not a program that can be read";
        continue;
      }
      const std::optional<uint64_t> bias = bias_of(*program);
      if (!bias) {
        if (is_named) out_.problem = mismatch(*program);
        continue;
      }
      out_.path = path;
      out_.begin = lowest_of(program->elf) + *bias;
      if (out_.build_id.empty()) out_.build_id = program->build_id;
      add(path, program->elf, *bias);
      add_libraries(*program, *bias);
      break;
    }
    std::sort(out_.files.begin(), out_.files.end(),
              [](const auto& a, const auto& b) { return a.begin < b.begin; });
    return std::move(out_);
  }

 private:
  // ---- memory ----

  std::span<const uint8_t> bytes_at(uint64_t address) const {
    const auto after = std::upper_bound(parts_.begin(), parts_.end(), address,
                                        [](uint64_t at, const CorePart& p) { return at < p.begin; });
    if (after == parts_.begin()) return {};
    const CorePart& part = *(after - 1);
    const uint64_t at = address - part.begin;
    return at < part.bytes.size() ? part.bytes.subspan(at) : std::span<const uint8_t>();
  }
  std::optional<uint64_t> word(uint64_t address) const {
    const auto bytes = bytes_at(address);
    uint64_t value = 0;
    if (bytes.size() < sizeof value) return {};
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  // Empty if it has no end.
  std::string text(uint64_t address) const {
    constexpr size_t longest = 4096;
    auto bytes = bytes_at(address);
    bytes = bytes.first(std::min(longest, bytes.size()));
    const auto end = std::find(bytes.begin(), bytes.end(), 0);
    return end == bytes.end() ? std::string() : std::string(bytes.begin(), end);
  }

  void find_images() {
    for (const CorePart& part : parts_) {
      if (part.bytes.size() < SELFMAG || std::memcmp(part.bytes.data(), ELFMAG, SELFMAG) != 0)
        continue;
      Result<ElfHeader> header = read_elf_header(part.bytes, {});
      if (!header || (header->type != ET_EXEC && header->type != ET_DYN)) continue;
      images_.push_back({.begin = part.begin,
                         .elf = *std::move(header),
                         .build_id = skein::build_id(part.bytes)});
    }
  }

  const Image* image_around(uint64_t address) const {
    for (const Image& one : images_)
      if (address - one.begin < page) return &one;
    return nullptr;
  }

  // ---- what was executed ----

  // The kernel puts a list of pairs on the first stack (getauxval(3)): where the headers of the
  // program are, how large and how many, and its name.
  void find_executed() {
    constexpr size_t most_parts = 16;  // the stack is behind all libraries
    for (size_t i = 0; i < std::min(most_parts, parts_.size()); i++)
      if (find_list(parts_[parts_.size() - 1 - i])) return;
  }

  bool find_list(const CorePart& part) {
    constexpr uint64_t header_size = 56;
    constexpr size_t most_pairs = 40;
    constexpr size_t most_bytes = size_t{1} << 20;  // from the end of the part
    const size_t skipped = part.bytes.size() - std::min(most_bytes, part.bytes.size());
    for (size_t at = (skipped + 7) / 8 * 8; at + 48 <= part.bytes.size(); at += 8) {
      uint64_t words[5];
      std::memcpy(words, part.bytes.data() + at, sizeof words);
      if (words[0] != AT_PHDR || words[2] != AT_PHENT || words[3] != header_size ||
          words[4] != AT_PHNUM)
        continue;
      const uint64_t list = part.begin + at;
      for (size_t i = 3; i < most_pairs; i++) {
        const uint64_t type = word(list + 16 * i).value_or(AT_NULL);
        if (type == AT_NULL) break;
        if (type == AT_EXECFN) out_.executed = text(word(list + 16 * i + 8).value_or(0));
      }
      if (out_.executed.empty()) continue;
      headers_ = words[1];
      find_folder(list);
      return true;
    }
    return false;
  }

  // $PWD in the environment, which is before the list.
  void find_folder(uint64_t list) {
    constexpr size_t most = 10'000;
    uint64_t at = list;
    for (size_t i = 0; i < most && at >= 8; i++, at -= 8) {
      const std::optional<uint64_t> address = word(at - 8);
      if (!address) return;
      const std::string variable = text(*address);
      if (variable.starts_with("PWD=/")) {
        folder_ = variable.substr(4);
        return;
      }
    }
  }

  std::vector<std::string> paths() const {
    if (!search_.program.empty()) return {search_.program};
    if (out_.executed.empty()) return {};
    if (out_.executed.starts_with('/')) return {out_.executed};
    std::string_view name = out_.executed;
    while (name.starts_with("./")) name.remove_prefix(2);
    std::vector<std::string> all;
    for (const std::string& folder : {folder_, search_.folder})
      if (!folder.empty()) all.push_back(folder + '/' + std::string(name));
    return all;
  }

  // ---- files ----

  // A pipe or a device would block.
  std::optional<Program> open(const std::string& path) const {
    if (files_.type(path) != FileType::File) return {};
    Result<Contents> contents = files_.open(path);
    if (!contents) return {};
    Result<ElfHeader> header = read_elf_header(contents->bytes(), path);
    if (!header || (header->type != ET_EXEC && header->type != ET_DYN)) return {};
    std::string id = skein::build_id(contents->bytes());
    return Program{.path = path,
                   .elf = *std::move(header),
                   .contents = *std::move(contents),
                   .build_id = std::move(id)};
  }

  std::string mismatch(const Program& program) const {
    if (out_.build_id.empty()) return program.path + ": the core has nothing of this program";
    return program.path + ": the file has build id " +
           (program.build_id.empty() ? "none" : program.build_id) +
           ", the process that wrote the core had " + out_.build_id;
  }

  // What its addresses are moved by; nothing: the core has nothing of it.
  std::optional<uint64_t> bias_of(const Program& program) const {
    const uint64_t lowest = lowest_of(program.elf);
    for (const Image& one : images_)
      if (one.build_id == program.build_id && has_same_segments(one.elf, program.elf))
        return one.begin - lowest;
    const Image* const main = image_around(headers_);
    if (main != nullptr && !main->build_id.empty()) return {};  // it is another one
    if (program.elf.type == ET_EXEC && has_dynamic(program, 0)) return 0;
    if (program.elf.type == ET_EXEC) return {};
    for (const ElfSegment& segment : program.elf.segments) {
      if (segment.type != PT_LOAD || (segment.flags & PF_W) == 0) continue;
      for (const CorePart& part : parts_)
        if (has_dynamic(program, part.begin - page_of(segment.address)))
          return part.begin - page_of(segment.address);
    }
    return {};
  }

  // Whether the dynamic section is there: with the numbers of the file, moved perhaps.
  bool has_dynamic(const Program& program, uint64_t bias) const {
    const ElfSegment* const dynamic = segment_of(program.elf, PT_DYNAMIC);
    constexpr uint64_t least = 8;  // entries
    if (dynamic == nullptr || dynamic->file_size < 16 * least) return false;
    const auto linked = skein::bytes_at(program.elf, program.contents.bytes(), dynamic->address,
                                        dynamic->file_size);
    const auto there = bytes_at(dynamic->address + bias);
    if (linked.size() < dynamic->file_size || there.size() < linked.size()) return false;
    for (size_t at = 0; at + 16 <= linked.size(); at += 16) {
      uint64_t pair[2];
      uint64_t found[2];
      std::memcpy(pair, linked.data() + at, sizeof pair);
      std::memcpy(found, there.data() + at, sizeof found);
      if (pair[0] != found[0]) return false;
      if (pair[0] == DT_DEBUG) continue;
      if (found[1] != pair[1] && found[1] != pair[1] + bias) return false;
    }
    return true;
  }

  void add(const std::string& path, const ElfHeader& elf, uint64_t bias) {
    for (const ElfSegment& one : elf.segments) {
      if (one.type != PT_LOAD || one.file_size == 0) continue;
      const uint64_t begin = page_of(one.address + bias);
      const uint64_t end = page_of(one.address + bias + one.file_size + page - 1);
      if (begin < end)
        out_.files.push_back(
            {.begin = begin, .end = end, .offset = page_of(one.offset), .path = path});
    }
  }

  // ---- libraries ----

  // struct r_debug: the list is behind the version. struct link_map: what addresses are moved by,
  // name, dynamic section, next.
  void add_libraries(const Program& program, uint64_t bias) {
    constexpr size_t most = 10'000;
    uint64_t entry = word(debug_of(program.elf, bias) + 8).value_or(0);
    std::set<uint64_t> seen;
    for (size_t i = 0; i < most && entry != 0 && seen.insert(entry).second; i++) {
      const std::optional<uint64_t> moved = word(entry);
      const std::string path = text(word(entry + 8).value_or(0));
      const uint64_t dynamic = word(entry + 16).value_or(0);
      entry = word(entry + 24).value_or(0);
      if (!moved || !path.starts_with('/')) continue;
      const std::optional<Program> library = open(path);
      if (!library) continue;
      const ElfSegment* const segment = segment_of(library->elf, PT_DYNAMIC);
      if (segment != nullptr && segment->address + *moved == dynamic)
        add(path, library->elf, *moved);
    }
  }

  uint64_t debug_of(const ElfHeader& elf, uint64_t bias) const {
    const ElfSegment* const dynamic = segment_of(elf, PT_DYNAMIC);
    if (dynamic == nullptr) return 0;
    for (uint64_t at = 0; at + 16 <= dynamic->memory_size; at += 16) {
      const uint64_t address = dynamic->address + bias + at;
      const uint64_t tag = word(address).value_or(DT_NULL);
      if (tag == DT_NULL) return 0;
      if (tag == DT_DEBUG) return word(address + 8).value_or(0);
    }
    return 0;
  }

  std::span<const CorePart> parts_;
  Files& files_;
  const CoreProgramSearch& search_;
  std::vector<Image> images_ = {};
  uint64_t headers_ = 0;     // of the program, in the core; 0: unknown
  std::string folder_ = {};  // in which it was started; empty: unknown
  CoreProgram out_ = {};
};

}  // namespace

CoreProgram find_core_program(std::span<const CorePart> parts, Files& files,
                              const CoreProgramSearch& search) {
  return Finder(parts, files, search).find();
}

}  // namespace skein
