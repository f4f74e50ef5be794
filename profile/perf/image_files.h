// The files of a recording's processes, opened for their functions and unwind tables when those are
// first needed.
//
//   ImageFiles files(open_from_disk(disk, build_ids));
//   const ImageFile& file = files.of(number, images.files()[number]);
//   if (const Functions* functions = files.functions(number)) ...
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "profile/perf/process_images.h"
#include "profile/unwind/unwinder.h"
#include "symbol/code_ranges.h"
#include "symbol/functions.h"
#include "symbol/unwind_table.h"
#include "target/elf.h"

namespace skein {

class ImageFile {
 public:
  // The address as linked of a byte of the file; nothing: no segment has it.
  std::optional<uint64_t> linked(uint64_t offset) const;
  // By which the file's addresses are moved, if `offset` is mapped at `begin`.
  std::optional<uint64_t> bias(uint64_t begin, uint64_t offset) const;
  uint64_t entry() const { return elf_.entry; }  // as linked; 0: none
  bool is_open() const { return !contents_.bytes().empty(); }
  std::span<const uint8_t> bytes() const { return contents_.bytes(); }

 private:
  friend class ImageFiles;
  std::string name_ = {};
  Contents contents_ = {};
  Contents symbols_ = {};  // the file with its symbols, if it is another one
  ElfHeader elf_ = {};
  // Lines of symbol/lines.h. Not in this header: view/ has another type of this name.
  struct DebugInformation;
  std::optional<Functions> functions_ = {};
  std::shared_ptr<DebugInformation> information_ = {};
  std::shared_ptr<const UnwindTable> table_ = {};
  std::vector<CodeRange> ranges_ = {};
  // They were read, or could not be.
  bool has_functions_ = false, has_information_ = false, has_table_ = false, has_ranges_ = false;
};

class ImageFiles {
 public:
  // Opens a file; an error: it is missing, or another one by now.
  using Open = std::function<Result<Contents>(const ProcessImages::File&)>;

  // `files` finds debug files.
  ImageFiles(Open open, Files& files) : open_(std::move(open)), files_(files) {}

  // Opens it at the first call. Valid as long as this object.
  const ImageFile& of(uint32_t number, const ProcessImages::File& file);
  // Null: it has none, or could not be opened. O(size of the file) at the first call.
  const Functions* functions(uint32_t number, const ProcessImages::File& file);
  // Where the function begins that has this address, as linked, by call frame information: also
  // without symbols. Nothing: not known. Of a part that a compiler has moved, such as .cold, where
  // that begins.
  std::optional<uint64_t> function_begin(uint32_t number, const ProcessImages::File& file,
                                         uint64_t linked);
  // The functions that were inlined at a byte of the file, the innermost first: mangled, or their
  // names alone. Empty also without debug information, which is read at the first call:
  // Lines::read().
  std::vector<std::string> inlined_at(uint32_t number, const ProcessImages::File& file,
                                      uint64_t offset);
  std::shared_ptr<const UnwindTable> table(uint32_t number, const ProcessImages::File& file);

  // The names of those that could not be opened because they have changed since.
  const std::vector<std::string>& changed() const { return changed_; }

 private:
  ImageFile& opened(uint32_t number, const ProcessImages::File& file);

  Open open_;
  Files& files_;
  std::map<uint32_t, std::unique_ptr<ImageFile>> opened_ = {};
  std::vector<std::string> changed_ = {};
};

// Opens files by their names. One whose build id is not the recorded one (of the mapping, else of
// `build_ids`, by name) has changed. [vdso] is that of this process, if the ids are the same.
ImageFiles::Open open_from_disk(Files& files,
                                const std::map<std::string, std::string, std::less<>>& build_ids);

// The code of the kernel that is mapped into this process. Empty: none.
std::span<const uint8_t> own_vdso();

}  // namespace skein
