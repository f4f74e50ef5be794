#include "profile/perf/image_files.h"

#include <elf.h>
#include <sys/auxv.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "profile/unwind/modules.h"
#include "symbol/debug_file.h"
#include "symbol/lines.h"

namespace skein {

namespace {

constexpr const char* vdso = "[vdso]";
// An Error's `what` of a file that is not the recorded one.
constexpr const char* changed_since = "has changed since the recording";

}  // namespace

std::optional<uint64_t> ImageFile::linked(uint64_t offset) const {
  for (const ElfSegment& segment : elf_.segments)
    if (segment.type == PT_LOAD && offset >= segment.offset &&
        offset - segment.offset < segment.file_size)
      return offset - segment.offset + segment.address;
  return std::nullopt;
}

std::optional<uint64_t> ImageFile::bias(uint64_t begin, uint64_t offset) const {
  Mapping mapping;
  mapping.begin = begin;
  mapping.end = begin + 1;
  mapping.executable = true;
  mapping.offset = offset;
  mapping.file = name_;
  return bias_of(elf_, mapping);
}

ImageFile& ImageFiles::opened(uint32_t number, const ProcessImages::File& file) {
  auto& place = opened_[number];
  if (place) return *place;
  place = std::make_unique<ImageFile>();
  place->name_ = file.name;
  Result<Contents> contents = open_(file);
  if (!contents) {
    if (contents.error().what == changed_since) changed_.push_back(file.name);
    return *place;
  }
  Result<ElfHeader> elf = read_elf_header(contents->bytes(), file.name);
  if (!elf) return *place;
  place->contents_ = std::move(*contents);
  place->elf_ = std::move(*elf);
  return *place;
}

const ImageFile& ImageFiles::of(uint32_t number, const ProcessImages::File& file) {
  return opened(number, file);
}

const Functions* ImageFiles::functions(uint32_t number, const ProcessImages::File& file) {
  ImageFile& image = opened(number, file);
  if (!image.is_open()) return nullptr;
  if (!std::exchange(image.has_functions_, true)) {
    Result<Functions> functions = Functions::read(image.bytes(), file.name);
    if (!functions || !functions->is_complete()) {
      DebugFileSearch search = find_debug_file(image.bytes(), file.name, DebugPart::Symbols,
                                               DebugFilePlaces::of_this_user(), files_);
      if (search.found) {
        image.symbols_ = std::move(search.found->contents);
        Result<Functions> all = Functions::read(image.symbols_.bytes(), search.found->path);
        if (all && all->is_complete()) functions = std::move(all);
      }
    }
    if (functions) image.functions_ = std::move(*functions);
  }
  return image.functions_ ? &*image.functions_ : nullptr;
}

std::optional<uint64_t> ImageFiles::function_begin(uint32_t number, const ProcessImages::File& file,
                                                   uint64_t linked) {
  ImageFile& image = opened(number, file);
  if (!image.is_open()) return {};
  if (!std::exchange(image.has_ranges_, true)) image.ranges_ = code_ranges(image.bytes());
  const auto next =
      std::upper_bound(image.ranges_.begin(), image.ranges_.end(), linked,
                       [](uint64_t address, const CodeRange& one) { return address < one.begin; });
  if (next == image.ranges_.begin() || std::prev(next)->end <= linked) return {};
  return std::prev(next)->begin;
}

struct ImageFile::DebugInformation {
  Contents contents = {};  // empty: the file itself has it
  std::optional<Lines> lines = {};
};

std::vector<std::string> ImageFiles::inlined_at(uint32_t number, const ProcessImages::File& file,
                                                uint64_t offset) {
  ImageFile& image = opened(number, file);
  if (!image.is_open()) return {};
  if (!std::exchange(image.has_information_, true)) {
    image.information_ = std::make_shared<ImageFile::DebugInformation>();
    const DebugFilePlaces places = DebugFilePlaces::of_this_user();
    Result<Lines> lines = Lines::read(image.bytes(), file.name, places, files_);
    if (!lines) {
      DebugFileSearch search =
          find_debug_file(image.bytes(), file.name, DebugPart::Information, places, files_);
      if (search.found) {
        image.information_->contents = std::move(search.found->contents);
        lines =
            Lines::read(image.information_->contents.bytes(), search.found->path, places, files_);
      }
    }
    if (lines) image.information_->lines = std::move(*lines);
  }
  const std::optional<uint64_t> linked = image.linked(offset);
  if (!image.information_->lines || !linked) return {};
  return image.information_->lines->inlined_at(*linked);
}

std::shared_ptr<const UnwindTable> ImageFiles::table(uint32_t number,
                                                     const ProcessImages::File& file) {
  ImageFile& image = opened(number, file);
  if (!image.is_open()) return nullptr;
  if (!std::exchange(image.has_table_, true)) {
    image.table_ =
        read_unwind_table(image.bytes(), file.name, DebugFilePlaces::of_this_user(), files_);
  }
  return image.table_;
}

std::span<const uint8_t> own_vdso() {
  constexpr size_t page = 4096;
  const auto* const begin = reinterpret_cast<const uint8_t*>(getauxval(AT_SYSINFO_EHDR));
  if (begin == nullptr) return {};
  const Result<ElfHeader> elf = read_elf_header({begin, page}, vdso);
  if (!elf) return {};
  const auto* const header = reinterpret_cast<const Elf64_Ehdr*>(begin);
  uint64_t end = header->e_shoff + uint64_t{header->e_shnum} * sizeof(Elf64_Shdr);
  for (const ElfSegment& segment : elf->segments)
    end = std::max(end, segment.offset + segment.file_size);
  return {begin, end};
}

ImageFiles::Open open_from_disk(Files& files,
                                const std::map<std::string, std::string, std::less<>>& build_ids) {
  return [&files, &build_ids](const ProcessImages::File& file) -> Result<Contents> {
    const auto noted = build_ids.find(file.name);
    const std::string& id =
        file.build_id.empty() && noted != build_ids.end() ? noted->second : file.build_id;
    if (file.name == vdso && !id.empty() && build_id(own_vdso()) == id)
      return Contents::borrowed(own_vdso());
    if (!file.name.starts_with('/') || files.type(file.name) != FileType::File)
      return Error{.what = "no such file", .file = file.name};
    Result<Contents> contents = files.open(file.name);
    if (contents && !id.empty() && build_id(contents->bytes()) != id)
      return Error{.what = changed_since, .file = file.name};
    return contents;
  };
}

}  // namespace skein
