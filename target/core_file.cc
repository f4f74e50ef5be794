#include "target/core_file.h"

#include <elf.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "target/core_notes.h"
#include "target/elf.h"
#include "target/program_name.h"

namespace skein {

namespace {

constexpr std::string_view kGone = " (deleted)";

// A part of memory, sorted by address.
struct Part {
  uint64_t begin = 0;
  uint64_t end = 0;                     // of the mapping
  std::span<const uint8_t> bytes = {};  // what the core has of it, from its beginning
};

bool by_address(const ElfSegment& a, const ElfSegment& b) { return a.address < b.address; }

// Adds segments without bytes for the parts of mapped files that no segment covers. Both are
// sorted.
void add_uncovered(const std::vector<CoreNotes::MappedFile>& files,
                   std::vector<ElfSegment>& segments) {
  std::vector<ElfSegment> more;
  size_t next = 0;
  uint64_t covered = 0;  // up to here
  const auto add = [&](uint64_t begin, uint64_t end) {
    if (begin < end)
      more.push_back(
          {.type = PT_LOAD, .flags = PF_R, .address = begin, .memory_size = end - begin});
  };
  for (const CoreNotes::MappedFile& file : files) {
    uint64_t at = std::max(file.begin, covered);
    for (; next < segments.size() && segments[next].address < file.end; next++) {
      add(at, segments[next].address);
      at = std::max(at, segments[next].address + segments[next].memory_size);
    }
    add(at, file.end);
    covered = std::max(at, file.end);
  }
  segments.insert(segments.end(), more.begin(), more.end());
  std::sort(segments.begin(), segments.end(), by_address);
}

// The segments as mappings, with the names of the notes. A mapping may end where a file does.
std::vector<Mapping> mappings_of(const std::vector<ElfSegment>& segments,
                                 const std::vector<CoreNotes::MappedFile>& files) {
  std::vector<Mapping> mappings;
  for (const ElfSegment& s : segments) {
    Mapping m{.begin = s.address, .end = s.address + s.memory_size};
    m.readable = (s.flags & PF_R) != 0;
    m.writable = (s.flags & PF_W) != 0;
    m.executable = (s.flags & PF_X) != 0;
    const auto after =
        std::upper_bound(files.begin(), files.end(), m.begin,
                         [](uint64_t at, const auto& file) { return at < file.begin; });
    if (after != files.begin() && m.begin < (after - 1)->end) {
      const CoreNotes::MappedFile& file = *(after - 1);
      m.offset = file.offset + (m.begin - file.begin);
      m.file = file.path;
      m.deleted = m.file.ends_with(kGone);
      if (m.deleted) m.file.resize(m.file.size() - kGone.size());
    }
    mappings.push_back(std::move(m));
  }
  return mappings;
}

// The kernel keeps 15 bytes of the name, and 79 of the arguments.
std::string name_of(const CoreNotes& notes) {
  constexpr size_t most_arguments = 79;
  std::string_view first = notes.command_line;
  const size_t blank = first.find(' ');
  if (blank == std::string_view::npos && first.size() >= most_arguments) first = {};
  const std::string_view file = notes.files.empty() ? "" : std::string_view(notes.files[0].path);
  return whole_name(notes.name, {file, first.substr(0, blank)});
}

class LinuxCore : public CoreFile {
 public:
  LinuxCore(Contents contents, Architecture architecture, CoreNotes notes, CoreProgram program,
            bool has_file_names, std::vector<Mapping> mappings, std::vector<Part> parts, uint64_t missing, Files& files)
      : contents_(std::move(contents)),
        architecture_(architecture),
        notes_(std::move(notes)),
        program_(std::move(program)),
        has_file_names_(has_file_names),
        mappings_(std::move(mappings)),
        parts_(std::move(parts)),
        missing_(missing),
        files_(files) {}

  const std::string& name() const override { return notes_.name; }
  uint64_t pid() const override { return notes_.pid; }
  Architecture architecture() const override { return architecture_; }
  const std::vector<Mapping>& mappings() const override { return mappings_; }
  std::vector<TargetThread> threads() const override { return notes_.threads; }
  uint64_t signal() const override { return notes_.signal; }
  const std::string& command_line() const override { return notes_.command_line; }
  std::span<const uint8_t> saved_frames() const override { return notes_.skein; }
  bool has_file_names() const override { return has_file_names_; }
  const CoreProgram& program() const override { return program_; }
  uint64_t missing_bytes() const override { return missing_; }

  using Target::read;
  size_t read(uint64_t address, std::span<uint8_t> to) const override {
    size_t done = 0;
    while (done < to.size()) {
      const size_t count = read_part(address + done, to.subspan(done));
      if (count == 0) break;
      done += count;
    }
    return done;
  }

  Result<Contents> file_of(const Mapping& mapping) const override {
    Result<Contents> file = files_.open(mapping.file);
    if (!file) {
      file.error().advice = "copy it there from the machine where the core was written";
      return file;
    }
    const std::string expected = build_id_in_core(mapping);
    const std::string found = build_id(file->bytes());
    if (!expected.empty() && found != expected)
      return Error{.what = "the file has build id " + (found.empty() ? "none" : found) +
                           ", the process that wrote the core had " + expected,
                   .file = mapping.file,
                   .advice = "install the version that was running"};
    return file;
  }

 private:
  // Reads from one part, or from the file that was mapped there.
  size_t read_part(uint64_t address, std::span<uint8_t> to) const {
    const Part* part = part_at(address);
    if (part == nullptr) return 0;
    const uint64_t at = address - part->begin;
    if (at < part->bytes.size()) return copy(part->bytes.subspan(at), to);
    const Mapping* mapping = find_mapping(mappings_, address);
    // What was written is not in the file, even if the core lacks it.
    if (mapping == nullptr || !mapping->has_file() || mapping->writable) return 0;
    const std::span<const uint8_t> file = mapped_file(*mapping);
    const uint64_t offset = mapping->offset + (address - mapping->begin);
    if (offset < mapping->offset || offset >= file.size()) return 0;
    const uint64_t left = mapping->end - address;
    return copy(file.subspan(offset, std::min<uint64_t>(file.size() - offset, left)), to);
  }

  static size_t copy(std::span<const uint8_t> from, std::span<uint8_t> to) {
    const size_t count = std::min(from.size(), to.size());
    std::copy_n(from.begin(), count, to.begin());
    return count;
  }

  const Part* part_at(uint64_t address) const {
    const auto after = std::upper_bound(parts_.begin(), parts_.end(), address,
                                        [](uint64_t at, const Part& p) { return at < p.begin; });
    if (after == parts_.begin()) return nullptr;
    return address < (after - 1)->end ? &*(after - 1) : nullptr;
  }

  // Only what the core itself has: the file must not confirm its own build id.
  std::string build_id_in_core(const Mapping& mapping) const {
    reads_files_ = false;
    std::string id = build_id_of_file(*this, mapping);
    reads_files_ = true;
    return id;
  }

  // Opened once; empty if it cannot be used.
  std::span<const uint8_t> mapped_file(const Mapping& mapping) const {
    if (!reads_files_) return {};
    const auto [at, is_new] = opened_.try_emplace(mapping.file);
    if (is_new)
      if (Result<Contents> file = file_of(mapping)) at->second = *std::move(file);
    return at->second.bytes();
  }

  Contents contents_;
  Architecture architecture_;
  CoreNotes notes_;
  CoreProgram program_;
  bool has_file_names_;
  std::vector<Mapping> mappings_;
  std::vector<Part> parts_;
  uint64_t missing_;
  Files& files_;
  mutable std::map<std::string, Contents> opened_ = {};  // by name
  mutable bool reads_files_ = true;
};

}  // namespace

bool is_core(std::span<const uint8_t> head) {
  constexpr size_t type_at = 16;
  return head.size() > type_at + 1 && std::equal(head.begin(), head.begin() + SELFMAG, ELFMAG) &&
         head[head[EI_DATA] == ELFDATA2MSB ? type_at + 1 : type_at] == ET_CORE;
}

Result<std::unique_ptr<CoreFile>> read_core(const std::string& path, Files& files,
                                            const std::string& program) {
  Result<Contents> opened = files.open(path);
  if (!opened) return opened.error();
  return read_core(*std::move(opened), path, files, program);
}

namespace {

// Mapped files have such names.
std::string from_root(const std::string& path) {
  if (path.empty()) return path;
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  return error ? path : whole.string();
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string_view name_in(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 == 0
}

// The program's files and, if the notes name them already, those of another path of the program.
CoreProgram use_program(std::span<const CorePart> parts, const CoreProgramSearch& search,
                        Files& files, CoreNotes& notes) {
  if (!notes.files.empty() && search.program.empty()) return {};
  CoreProgram found = find_core_program(parts, files, search);
  if (notes.files.empty()) {
    notes.files = found.files;
    if (notes.name.empty()) notes.name = name_in(found.path);
    return found;
  }
  if (found.path.empty()) return found;
  const auto named = std::find_if(notes.files.begin(), notes.files.end(),
                                  [&](const auto& one) { return one.begin == found.begin; });
  if (named == notes.files.end()) return found;
  const std::string instead = named->path;
  for (CoreNotes::MappedFile& one : notes.files)
    if (one.path == instead) one.path = found.path;
  return found;
}

}  // namespace

Result<std::unique_ptr<CoreFile>> read_core(Contents core, const std::string& path, Files& files,
                                            const std::string& program) {
  const std::span<const uint8_t> bytes = core.bytes();
  const Result<ElfHeader> header = read_elf_header(bytes, path);
  if (!header) return header.error();
  if (header->type != ET_CORE)
    return Error{.what = "an executable or library, not a core file", .file = path};

  CoreNotes notes;
  std::vector<ElfSegment> memory;
  uint64_t missing = 0;
  const auto count_missing = [&](const ElfSegment& s) {
    const uint64_t end = s.offset > UINT64_MAX - s.file_size ? UINT64_MAX : s.offset + s.file_size;
    missing += std::min(s.file_size,
                        end - std::min<uint64_t>(end, std::max<uint64_t>(bytes.size(), s.offset)));
  };
  const auto present = [&](const ElfSegment& s) {  // its bytes in the file
    const uint64_t most = std::max<uint64_t>(bytes.size(), s.offset) - s.offset;
    if (s.offset >= bytes.size()) return std::span<const uint8_t>();
    return bytes.subspan(s.offset, std::min(s.file_size, most));
  };
  for (const ElfSegment& s : header->segments) {
    if (s.type == PT_NOTE) {
      count_missing(s);
      read_core_notes(present(s), s.alignment, header->architecture, notes);
    }
    if (s.type == PT_LOAD && s.memory_size != 0 && s.address <= UINT64_MAX - s.memory_size)
      memory.push_back(s);
  }
  std::sort(memory.begin(), memory.end(), by_address);
  uint64_t end = 0;
  std::erase_if(memory, [&](const ElfSegment& s) {  // overlapping ones: the first counts
    if (s.address < end) return true;
    end = s.address + s.memory_size;
    return false;
  });
  std::vector<CorePart> dumped_parts;
  for (const ElfSegment& s : memory)
    if (const auto dumped = present(s); !dumped.empty())
      dumped_parts.push_back(
          {s.address, dumped.first(std::min<uint64_t>(dumped.size(), s.memory_size))});
  std::sort(notes.files.begin(), notes.files.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  const bool has_file_names = !notes.files.empty();
  const CoreProgramSearch search{.program = from_root(program),
                                 .folder = folder_of(from_root(path))};
  CoreProgram found = use_program(dumped_parts, search, files, notes);
  notes.name = name_of(notes);
  add_uncovered(notes.files, memory);  // gdb's gcore leaves out what is only in files
  std::vector<Part> parts;
  for (const ElfSegment& s : memory) {
    count_missing(s);
    const auto dumped = present(s);
    parts.push_back({.begin = s.address,
                     .end = s.address + s.memory_size,
                     .bytes = dumped.first(std::min<uint64_t>(dumped.size(), s.memory_size))});
  }
  if (notes.threads.empty() && parts.empty())
    return Error{.what = "a core file without threads and memory",
                 .file = path,
                 .advice = "it was cut short; see `ulimit -c` and the free space of the disk"};
  std::vector<Mapping> mappings = mappings_of(memory, notes.files);
  return std::unique_ptr<CoreFile>(
      std::make_unique<LinuxCore>(std::move(core), header->architecture, std::move(notes),
                                  std::move(found), has_file_names, std::move(mappings),
                                  std::move(parts), missing, files));
}

}  // namespace skein
