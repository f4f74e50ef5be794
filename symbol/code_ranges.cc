#include "symbol/code_ranges.h"

#include <algorithm>

#include "symbol/call_frame_info.h"
#include "symbol/elf_sections.h"

namespace skein {

std::vector<CodeRange> code_ranges(std::span<const uint8_t> bytes) {
  std::vector<CodeRange> found;
  const ElfHandle elf = open_elf(bytes);
  if (elf == nullptr) return found;
  const LoadedSection section = loaded_section(elf.get(), ".eh_frame");
  if (section.data == nullptr || section.data->d_buf == nullptr) return found;
  const CallFrameInfo info = CallFrameInfo::read(
      {.bytes = {static_cast<const uint8_t*>(section.data->d_buf), section.data->d_size},
       .address = section.address});
  for (const CallFrameInfo::Function& function : info.functions())
    found.push_back({function.begin, function.end});
  std::sort(found.begin(), found.end(),
            [](const CodeRange& a, const CodeRange& b) { return a.begin < b.begin; });
  return found;
}

const CodeRange* range_at(std::span<const CodeRange> ranges, uint64_t begin) {
  const auto at = std::lower_bound(ranges.begin(), ranges.end(), begin,
                                   [](const CodeRange& a, uint64_t b) { return a.begin < b; });
  return at != ranges.end() && at->begin == begin ? &*at : nullptr;
}

bool is_compiled_by(std::span<const uint8_t> bytes, std::string_view compiler) {
  const ElfHandle elf = open_elf(bytes);
  const LoadedSection section = loaded_section(elf.get(), ".comment");
  if (section.data == nullptr || section.data->d_buf == nullptr) return false;
  const std::string_view text(static_cast<const char*>(section.data->d_buf), section.data->d_size);
  return text.find(compiler) != std::string_view::npos;
}

}  // namespace skein
