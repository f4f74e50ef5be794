#include "target/elf.h"

#include <elf.h>

#include <algorithm>
#include <array>

#include "base/cursor.h"

namespace skein {

namespace {

constexpr size_t kHeaderSize = 64;
constexpr size_t kSegmentSize = 56;

std::string_view without_nul(std::span<const uint8_t> bytes) {
  const auto* start = reinterpret_cast<const char*>(bytes.data());
  const auto end = std::find(bytes.begin(), bytes.end(), 0);
  return {start, static_cast<size_t>(end - bytes.begin())};
}

// PN_XNUM: the number of segments does not fit into the header, so section 0 has it.
uint64_t count_in_section(std::span<const uint8_t> bytes, uint64_t sections) {
  constexpr size_t info = 44;  // offsetof(Elf64_Shdr, sh_info)
  if (sections == 0 || sections > bytes.size() || bytes.size() - sections < info + 4) return 0;
  return Cursor(bytes.subspan(sections + info)).u32();
}

std::string hexadecimal(std::span<const uint8_t> bytes) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

// Finds the build id in the notes of one segment; appends nothing if there is none.
void find_build_id(std::span<const uint8_t> notes, uint64_t alignment, std::string& id) {
  for_each_note(notes, alignment, [&](const ElfNote& note) {
    if (note.type != NT_GNU_BUILD_ID || note.name != "GNU") return true;
    id = hexadecimal(note.data);
    return false;
  });
}

}  // namespace

Result<ElfHeader> read_elf_header(std::span<const uint8_t> bytes, const std::string& path) {
  Cursor cursor(bytes);
  const std::span<const uint8_t> ident = cursor.bytes(EI_NIDENT);
  if (ident.empty() || !std::equal(ident.begin(), ident.begin() + SELFMAG, ELFMAG))
    return Error{.what = "not an ELF file", .file = path};
  if (ident[EI_CLASS] != ELFCLASS64)
    return Error{
        .what = "a 32-bit program", .file = path, .advice = "skein reads 64-bit programs only"};
  if (ident[EI_DATA] != ELFDATA2LSB)
    return Error{.what = "a big-endian program",
                 .file = path,
                 .advice = "skein reads x86-64 and AArch64 programs"};
  ElfHeader header;
  header.type = cursor.u16();
  const uint16_t machine = cursor.u16();
  if (machine != EM_X86_64 && machine != EM_AARCH64)
    return Error{
        .what = "a program for another processor (e_machine " + std::to_string(machine) + ")",
        .file = path,
        .advice = "skein reads x86-64 and AArch64 programs"};
  header.architecture = machine == EM_X86_64 ? Architecture::X86_64 : Architecture::Aarch64;
  cursor.skip(4);  // version
  header.entry = cursor.u64();
  const uint64_t table = cursor.u64();
  const uint64_t sections = cursor.u64();
  cursor.skip(4 + 2);  // flags, header size
  const uint16_t entry_size = cursor.u16();
  uint64_t count = cursor.u16();
  if (cursor.failed() || bytes.size() < kHeaderSize)
    return Error{.what = "ELF header cut short", .file = path, .offset = bytes.size()};
  if (count == PN_XNUM) count = count_in_section(bytes, sections);
  if (count != 0 && entry_size != kSegmentSize)
    return Error{
        .what = "segments of " + std::to_string(entry_size) + " bytes", .file = path, .offset = 54};
  if (table > bytes.size() || count > (bytes.size() - table) / kSegmentSize)
    return Error{.what = "table of segments cut short", .file = path, .offset = bytes.size()};
  Cursor segments(bytes.subspan(table));
  header.segments.reserve(count);
  for (uint64_t i = 0; i < count; i++) {
    ElfSegment s;
    s.type = segments.u32();
    s.flags = segments.u32();
    s.offset = segments.u64();
    s.address = segments.u64();
    segments.skip(8);  // physical address
    s.file_size = segments.u64();
    s.memory_size = segments.u64();
    s.alignment = segments.u64();
    header.segments.push_back(s);
  }
  return header;
}

std::span<const uint8_t> bytes_at(const ElfHeader& elf, std::span<const uint8_t> file,
                                        uint64_t address, uint64_t size) {
  for (const ElfSegment& segment : elf.segments) {
    if (segment.type != PT_LOAD || address < segment.address ||
        address - segment.address >= segment.file_size)
      continue;
    const uint64_t offset = segment.offset + (address - segment.address);
    if (offset >= file.size()) return {};
    const uint64_t left =
        std::min(file.size() - offset, segment.file_size - (address - segment.address));
    return file.subspan(offset, std::min(size, left));
  }
  return {};
}

bool for_each_note(std::span<const uint8_t> notes, uint64_t alignment,
                   const std::function<bool(const ElfNote&)>& use) {
  const uint64_t unit = alignment == 8 ? 8 : 4;  // other values occur and mean 4
  const auto rounded = [unit](uint64_t size) { return (size + unit - 1) / unit * unit; };
  Cursor cursor(notes);
  while (!cursor.at_end()) {
    const uint32_t name_size = cursor.u32();
    const uint32_t data_size = cursor.u32();
    ElfNote note;
    note.type = cursor.u32();
    // The name begins at byte 12; name and data are padded to the unit, counted from the note.
    note.name = without_nul(cursor.bytes(name_size));
    cursor.skip(
        std::min<uint64_t>(rounded(12 + uint64_t{name_size}) - 12 - name_size, cursor.remaining()));
    note.data = cursor.bytes(data_size);
    if (cursor.failed()) return false;
    if (!use(note)) return true;
    cursor.skip(std::min<uint64_t>(rounded(data_size) - data_size, cursor.remaining()));
  }
  return true;
}

std::string build_id(std::span<const uint8_t> elf) {
  std::string id;
  const Result<ElfHeader> header = read_elf_header(elf, {});
  if (!header) return id;
  for (const ElfSegment& s : header->segments) {
    if (s.type != PT_NOTE || s.offset > elf.size()) continue;
    find_build_id(elf.subspan(s.offset, std::min<uint64_t>(s.file_size, elf.size() - s.offset)),
                  s.alignment, id);
    if (!id.empty()) break;
  }
  return id;
}

// The linker puts the notes behind the header, into the first mapping of the file. A file may be
// mapped several times: the last mapping of its beginning before `mapping` belongs to it.
std::string build_id_of_file(const Target& target, const Mapping& mapping) {
  const Mapping* first = nullptr;
  for (const Mapping& each : target.mappings())
    if (each.begin <= mapping.begin && each.offset == 0 && each.file == mapping.file) first = &each;
  std::string id;
  if (first == nullptr) return id;
  std::array<uint8_t, 4096> page;
  const size_t count = target.read(first->begin, page);
  const Result<ElfHeader> header = read_elf_header(std::span(page).first(count), mapping.file);
  if (!header) return id;
  for (const ElfSegment& s : header->segments) {
    constexpr uint64_t most = 64 * 1024;
    if (s.type != PT_NOTE || s.offset >= first->size() || s.file_size > most) continue;
    std::vector<uint8_t> notes(s.file_size);
    notes.resize(target.read(first->begin + s.offset, notes));
    find_build_id(notes, s.alignment, id);
    if (!id.empty()) break;
  }
  return id;
}

std::optional<uint64_t> bias_of(const ElfHeader& elf, const Mapping& mapping) {
  constexpr uint64_t page = 4096;
  constexpr uint32_t can_execute = 1;
  std::optional<uint64_t> found;
  for (const ElfSegment& segment : elf.segments) {
    if (segment.type != 1 || segment.offset / page * page > mapping.offset ||
        mapping.offset >= segment.offset + segment.file_size)
      continue;
    // A page of the file may be mapped twice: for the end of one segment, and for the begin of the
    // next.
    const bool is_alike = ((segment.flags & can_execute) != 0) == mapping.executable;
    if (!found || is_alike)
      found = mapping.begin - mapping.offset - (segment.address - segment.offset);
    if (is_alike) break;
  }
  return found;
}

}  // namespace skein
