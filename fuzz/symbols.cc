// Symbols, lines, variables and debug files of an ELF file, names of Rust functions, and files of the
// cache of symbols: by the first byte of the input. Nothing on disk is opened.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "symbol/debug_file.h"
#include "symbol/frame_variables.h"
#include "symbol/functions.h"
#include "symbol/line_answers.h"
#include "symbol/lines.h"
#include "symbol/rust_name.h"
#include "symbol/symbol_cache.h"
#include "symbol/xz.h"

using namespace skein;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_functions(std::span<const uint8_t> elf) {
  const auto functions = Functions::read(elf, "x");
  if (!functions) return;
  uint64_t before = 0;
  size_t tried = 0;
  for (const Functions::Function& each : functions->all()) {
    require(each.begin >= before && each.end >= each.begin);
    before = each.begin;
    if (tried++ > 20) continue;
    require(!demangled(each.name).empty() || each.name.empty());
    const Functions::Function* found = functions->find(each.begin);
    require(found == nullptr || (found->begin <= each.begin && each.begin < found->end));
  }
}

void check_lines(std::span<const uint8_t> elf, Files& files) {
  const auto lines = Lines::read(elf, "/x", {}, files);
  if (!lines) return;
  for (const uint64_t address : {0x1000, 0x1001, 0x1004, 0x1010, 0x1800, 0x401136, 0x401140}) {
    const auto place = lines->at(address);
    require(place == lines->at(address));
    require(!place || place->line != 0);
    uint64_t last = 0;
    for (const Lines::Call& call : lines->inlined(address, "f")) {
      require(call.address >= last && call.end > call.address);
      last = call.address;
    }
    (void)lines->member_offset(address, "v", "m");
  }
  (void)lines->warnings();
}

void check_variables(std::span<const uint8_t> elf, Files& files) {
  auto variables = FrameVariables::read(elf, "/x", {}, files);
  if (!variables) return;
  const auto memory = [](uint64_t address, std::span<uint8_t> to) {
    for (size_t i = 0; i < to.size(); i++) to[i] = static_cast<uint8_t>(address + i);
    return to.size();
  };
  for (const uint64_t address : {0x1000, 0x1004, 0x1010, 0x1018, 0x401136}) {
    FrameCode code{.resume = address, .resume_end = address + 64};
    for (unsigned number : {0, 3, 5, 7})
      code.suspended.push_back({.address = address + number, .register_number = number});
    code.begin = code.suspended;
    code.has_one_place = true;
    const auto found = variables->of(code, 0x1000, memory);
    require(found.size() <= 100);
    for (const FrameVariable& one : found) require(one.value.size() <= 200);
  }
}

// The input is the program, and each of the files in which its symbols may be.
void check_debug_files(std::span<const uint8_t> elf) {
  const std::vector<uint8_t> copy(elf.begin(), elf.end());
  MemoryFiles files;
  files.add("/usr/lib/debug/bin/x", copy);
  files.add("/bin/x.debug", copy);
  files.add("/bin/common", copy);
  files.add("/x.dwp", copy);
  for (const DebugPart part : {DebugPart::Symbols, DebugPart::Information}) {
    DebugFileSearch search = find_debug_file(elf, "/bin/x", part, {}, files);
    if (search.found) check_functions(search.found->contents.bytes());
    require(!search.what_is_missing("/bin/x", part).empty());
  }
  const auto common = find_common_debug_file(elf, "/bin/x", {}, files);
  require(!common.found || common.searched.size() > 0);
  check_lines(elf, files);
  check_variables(elf, files);
}

void check_cache(std::span<const uint8_t> bytes) {
  if (const auto content = SymbolCache::unpack(bytes, 1))
    require(content->size() < bytes.size());
  if (const auto answers = LineAnswers::unpack(bytes)) {
    require(answers->size() <= bytes.size());
    const auto again = LineAnswers::unpack(answers->packed());
    require(again && again->size() == answers->size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::span<const uint8_t> bytes(data + 1, size - 1);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'R':
      if (const auto name = rust_name(text)) require(name->size() <= (1 << 14) + 200 + text.size());
      (void)demangled(text);
      break;
    case 'C':
      check_cache(bytes);
      break;
    case 'X':
      if (const auto out = unpack_xz(bytes, "x")) require(out->size() <= size_t{256} << 20);
      break;
    default:
      check_functions(bytes);
      check_debug_files(bytes);
  }
  return 0;
}
