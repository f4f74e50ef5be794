#include "symbol/functions.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "symbol/elf_handles.h"
#include "symbol/rust_name.h"

namespace skein {

namespace {

// The first table of this type, or null.
Elf_Scn* table_of_symbols(Elf* elf, uint32_t type, GElf_Shdr& header) {
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;)
    if (gelf_getshdr(section, &header) != nullptr && header.sh_type == type &&
        header.sh_entsize != 0)
      return section;
  return nullptr;
}

}  // namespace

Result<Functions> Functions::read(std::span<const uint8_t> bytes, const std::string& path) {
  const ElfHandle elf = open_elf(bytes);
  if (elf == nullptr) return Error{.what = "no ELF file", .file = path};
  Functions found;
  GElf_Shdr header;
  Elf_Scn* table = table_of_symbols(elf.get(), SHT_SYMTAB, header);
  found.is_complete_ = table != nullptr;
  if (table == nullptr) table = table_of_symbols(elf.get(), SHT_DYNSYM, header);
  Elf_Data* data = table == nullptr ? nullptr : elf_getdata(table, nullptr);
  if (data == nullptr) return found;
  const auto begin = reinterpret_cast<uintptr_t>(bytes.data());
  const size_t count = data->d_size / header.sh_entsize;
  for (size_t i = 0; i < count; i++) {
    GElf_Sym symbol;
    if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
    if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_value == 0) continue;
    const char* name = elf_strptr(elf.get(), header.sh_link, symbol.st_name);
    // A compressed table of names would not be in `bytes`; no linker writes one.
    const auto at = reinterpret_cast<uintptr_t>(name);
    if (name == nullptr || at < begin || at >= begin + bytes.size()) continue;
    const uint64_t end = symbol.st_value + symbol.st_size;
    found.functions_.push_back(
        {.begin = symbol.st_value, .end = std::max(end, symbol.st_value), .name = name});
  }
  std::stable_sort(found.functions_.begin(), found.functions_.end(),
                   [](const Function& a, const Function& b) { return a.begin < b.begin; });
  found.divide();
  return found;
}

void Functions::divide() {
  if (functions_.empty() || functions_.size() >= UINT32_MAX) return functions_.clear();
  const uint64_t begin = functions_.front().begin;
  const uint64_t size = functions_.back().begin - begin;
  while (size >> part_bits_ > functions_.size()) part_bits_++;
  const size_t count = static_cast<size_t>(size >> part_bits_) + 1;
  parts_.reserve(count + 1);
  for (uint32_t i = 0; i < functions_.size(); i++)
    while (parts_.size() <= (functions_[i].begin - begin) >> part_bits_) parts_.push_back(i);
  parts_.push_back(static_cast<uint32_t>(functions_.size()));
}

const Functions::Function* Functions::find(uint64_t address) const {
  if (functions_.empty() || address < functions_.front().begin) return nullptr;
  const uint64_t part =
      std::min<uint64_t>((address - functions_.front().begin) >> part_bits_, parts_.size() - 2);
  const auto first = functions_.begin() + parts_[part];
  const auto last = functions_.begin() + parts_[part + 1];
  auto at = std::upper_bound(first, last, address,
                             [](uint64_t a, const Function& f) { return a < f.begin; });
  constexpr int most = 64;  // symbols without a size that are before it
  for (int i = 0; i < most && at != functions_.begin(); i++) {
    --at;
    if (address < at->end) return &*at;
    if (at->begin != at->end) break;
  }
  return nullptr;
}

std::string demangled(std::string_view name) {
  constexpr size_t longest = 1 << 14;  // the demangler's time may grow with the square
  if (auto rust = rust_name(name)) return *rust;
  if (!name.starts_with("_Z") || name.size() > longest) return std::string(name);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), &std::free);
  return text == nullptr ? std::string(name) : std::string(text.get());
}

}  // namespace skein
