#include "frames/frame_creators.h"

#include <algorithm>

#include "frames/resume_point.h"

namespace skein {

namespace {

constexpr uint16_t executable_at_fixed_address = 2;  // ET_EXEC

}  // namespace

// REX.W 8D /r with ModRM 05+8r: lea r64, [rip + disp32]. At a fixed address, any instruction may
// have the address as a number.
std::multimap<uint64_t, CodeRange> find_creators(const ElfHeader& elf, std::span<const uint8_t> file,
                                                 const Functions& functions,
                                                 const std::set<uint64_t>& resumes) {
  std::multimap<uint64_t, CodeRange> found;
  if (resumes.empty()) return found;
  const uint64_t lowest = *resumes.begin();
  const uint64_t length = *resumes.rbegin() - lowest;
  const bool has_numbers = elf.type == executable_at_fixed_address;
  uint64_t end = 0;  // of the code that was searched: functions may have several names
  for (const Functions::Function& function : functions.all()) {
    const uint64_t begin = std::max(function.begin, end);
    if (function.end <= begin) continue;
    end = function.end;
    const auto code = bytes_at(elf, file, function.begin, function.end - function.begin);
    std::set<uint64_t> seen;
    const auto add = [&](uint64_t address) {
      if (address - lowest <= length && resumes.contains(address) && seen.insert(address).second)
        found.emplace(address, CodeRange{function.begin, function.end});
    };
    for (size_t i = begin - function.begin; i + 4 <= code.size(); i++) {
      if (has_numbers) add(static_cast<uint64_t>(int64_t{signed_at(code, i)}));
      if ((code[i] & 0xF8) == 0x48 && i + 7 <= code.size() && code[i + 1] == 0x8D &&
          (code[i + 2] & 0xC7) == 5)
        add(function.begin + i + 7 + static_cast<uint64_t>(int64_t{signed_at(code, i + 3)}));
    }
  }
  return found;
}

}  // namespace skein
