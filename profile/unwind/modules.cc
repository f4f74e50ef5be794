#include "profile/unwind/modules.h"

#include <algorithm>
#include <optional>
#include <span>

#include "base/disk_files.h"
#include "symbol/elf_sections.h"

namespace skein {

namespace {

constexpr const char* vdso = "[vdso]";

// The kernel's code in each process is in no file.
std::optional<Contents> memory_of(const Target& target, const Mapping& mapping) {
  constexpr uint64_t most = 1 << 20;
  std::vector<uint8_t> bytes(std::min(mapping.size(), most));
  bytes.resize(target.read(mapping.begin, bytes));
  if (bytes.empty()) return {};
  return Contents(std::move(bytes));
}

}  // namespace

std::shared_ptr<const UnwindTable> read_unwind_table(std::span<const uint8_t> elf,
                                                     const std::string& path,
                                                     const DebugFilePlaces& places, Files& files) {
  std::optional<DebugFile> debug;
  const ElfHandle handle = open_elf(elf);
  if (path != vdso && loaded_section(handle.get(), ".debug_frame").data == nullptr)
    debug = std::move(find_debug_file(elf, path, DebugPart::Information, places, files).found);
  Result<UnwindTable> table =
      UnwindTable::read(elf, path, debug ? debug->contents.bytes() : std::span<const uint8_t>());
  return table ? std::make_shared<const UnwindTable>(std::move(*table)) : nullptr;
}

std::shared_ptr<const UnwindTables::File> UnwindTables::of(const Target& target,
                                                           const Mapping& mapping) {
  const bool has_file = mapping.has_file();
  if (!has_file && mapping.file != vdso) return nullptr;
  const std::string id = has_file ? build_id_of_file(target, mapping) : "";
  const auto [at, is_new] = files_.try_emplace(id + " " + mapping.file);
  if (!is_new) return at->second;
  std::optional<Contents> contents;
  if (!has_file)
    contents = memory_of(target, mapping);
  else if (Result<Contents> read = target.file_of(mapping))
    contents = std::move(*read);
  if (!contents) return nullptr;
  Result<ElfHeader> elf = read_elf_header(contents->bytes(), mapping.file);
  if (!elf) return nullptr;
  DiskFiles files;
  auto table = read_unwind_table(contents->bytes(), mapping.file, places_, files);
  at->second = std::make_shared<const File>(
      File{.contents = std::move(*contents), .elf = std::move(*elf), .table = std::move(table)});
  return at->second;
}

std::vector<UnwindModule> unwind_modules(const Target& target, UnwindTables& tables) {
  std::vector<UnwindModule> modules;
  for (const Mapping& mapping : target.mappings()) {
    if (!mapping.executable) continue;
    UnwindModule& module = modules.emplace_back();
    module.begin = mapping.begin;
    module.end = mapping.end;
    module.name = mapping.file;
    const auto file = tables.of(target, mapping);
    const auto bias = file == nullptr ? std::nullopt : bias_of(file->elf, mapping);
    if (!bias) continue;
    module.bias = *bias;
    if (file->elf.entry != 0) module.entry = file->elf.entry + *bias;
    module.table = file->table;
    const auto bytes = file->contents.bytes();
    if (mapping.offset < bytes.size())
      module.code =
          bytes.subspan(mapping.offset, std::min(mapping.size(), bytes.size() - mapping.offset));
    module.owner = file;
  }
  return modules;
}

}  // namespace skein
