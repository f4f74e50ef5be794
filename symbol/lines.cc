#include "symbol/lines.h"

#include <dwarf.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "symbol/elf_handles.h"

namespace skein {

// The ranges of units are read once: clang writes no .debug_aranges.
struct Lines::State {
  struct Range {
    uint64_t begin = 0;
    uint64_t end = 0;
    Dwarf_Off unit = 0;  // of its entry
  };
  ElfHandle elf = {};
  DwarfHandle dwarf = {};          // of `elf`
  std::vector<Range> ranges = {};  // by begin

  void read_ranges() {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf.get(), unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
      Dwarf_Addr base = 0;
      Dwarf_Addr begin = 0;
      Dwarf_Addr end = 0;
      std::ptrdiff_t next = 0;
      while ((next = dwarf_ranges(&die, next, &base, &begin, &end)) > 0)
        if (begin < end) ranges.push_back({begin, end, dwarf_dieoffset(&die)});
    }
    std::sort(ranges.begin(), ranges.end(),
              [](const Range& a, const Range& b) { return a.begin < b.begin; });
  }

  bool find_unit(uint64_t address, Dwarf_Die* die) const {
    auto at = std::upper_bound(ranges.begin(), ranges.end(), address,
                               [](uint64_t a, const Range& range) { return a < range.begin; });
    if (at == ranges.begin()) return false;
    --at;
    return address < at->end && dwarf_offdie(dwarf.get(), at->unit, die) != nullptr;
  }
};

namespace {

struct Freed {
  void operator()(Dwarf_Die* scopes) const { std::free(scopes); }
};
using Scopes = std::unique_ptr<Dwarf_Die[], Freed>;

// The scopes that contain an instruction, the innermost first. dwarf_getscopes() goes on in the
// abstract definition of an inlined function; dwarf_getscopes_die() gives those around the call.
std::pair<Scopes, int> scopes_at(Dwarf_Die* unit, uint64_t address) {
  Dwarf_Die* abstract = nullptr;
  const int count = dwarf_getscopes(unit, address, &abstract);
  const Scopes first(count > 0 ? abstract : nullptr);
  if (count <= 0) return {};
  Dwarf_Die* found = nullptr;
  const int concrete = dwarf_getscopes_die(&first[0], &found);
  return concrete > 0 ? std::pair(Scopes(found), concrete) : std::pair(Scopes(), 0);
}

// The line of the call of an inlined function.
std::optional<Lines::Place> call_place(Dwarf_Die* unit, Dwarf_Die* call) {
  Dwarf_Attribute attribute;
  Dwarf_Word line = 0;
  Dwarf_Word file = 0;
  if (dwarf_attr(call, DW_AT_call_line, &attribute) == nullptr ||
      dwarf_formudata(&attribute, &line) != 0 || line == 0)
    return {};
  if (dwarf_attr(call, DW_AT_call_file, &attribute) == nullptr ||
      dwarf_formudata(&attribute, &file) != 0)
    return {};
  Dwarf_Files* files = nullptr;
  size_t count = 0;
  if (dwarf_getsrcfiles(unit, &files, &count) != 0 || file >= count) return {};
  const char* name = dwarf_filesrc(files, file, nullptr, nullptr);
  if (name == nullptr) return {};
  return Lines::Place{.file = name, .line = static_cast<uint32_t>(line)};
}

bool has_name(Dwarf_Die* die, std::string_view name) {
  Dwarf_Attribute attribute;
  const char* own = dwarf_attr_integrate(die, DW_AT_name, &attribute) == nullptr
                        ? nullptr
                        : dwarf_formstring(&attribute);
  return own != nullptr && own == name;
}

std::string linkage_name(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  const char* name = dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) == nullptr
                         ? nullptr
                         : dwarf_formstring(&attribute);
  return name == nullptr ? "" : name;
}

// Adds the calls of `name` that were inlined into a scope.
void add_inlined(Dwarf_Die* scope, std::string_view name, int depth, std::vector<Lines::Call>& to) {
  constexpr int deepest = 100;
  constexpr size_t most = 10'000;
  Dwarf_Die child;
  if (depth == deepest || dwarf_child(scope, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (to.size() == most) return;
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) continue;
    if (tag != DW_TAG_inlined_subroutine || !has_name(&child, name)) {
      add_inlined(&child, name, depth + 1, to);
      continue;
    }
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    for (std::ptrdiff_t next = 0; (next = dwarf_ranges(&child, next, &base, &begin, &end)) > 0;)
      if (begin < end) to.push_back({begin, end, linkage_name(&child)});
  } while (dwarf_siblingof(&child, &child) == 0);
}

std::optional<uint64_t> offset_of_member(Dwarf_Die* variable, std::string_view name) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  Dwarf_Die member;
  if (dwarf_attr_integrate(variable, DW_AT_type, &attribute) == nullptr ||
      dwarf_formref_die(&attribute, &type) == nullptr || dwarf_child(&type, &member) != 0)
    return {};
  do {
    Dwarf_Word offset = 0;
    if (dwarf_tag(&member) == DW_TAG_member && has_name(&member, name) &&
        dwarf_attr(&member, DW_AT_data_member_location, &attribute) != nullptr &&
        dwarf_formudata(&attribute, &offset) == 0)
      return offset;
  } while (dwarf_siblingof(&member, &member) == 0);
  return {};
}

}  // namespace

Lines::Lines(std::unique_ptr<State> state) : state_(std::move(state)) {}
Lines::Lines(Lines&&) noexcept = default;
Lines& Lines::operator=(Lines&&) noexcept = default;
Lines::~Lines() = default;

Result<Lines> Lines::read(std::span<const uint8_t> bytes, const std::string& path) {
  auto state = std::make_unique<State>();
  state->elf = open_elf(bytes);
  if (state->elf == nullptr) return Error{.what = "no ELF file", .file = path};
  state->dwarf.reset(dwarf_begin_elf(state->elf.get(), DWARF_C_READ, nullptr));
  if (state->dwarf != nullptr) state->read_ranges();
  if (state->ranges.empty())
    return Error{.what = "no debug information", .file = path, .advice = "compile with -g"};
  return Lines(std::move(state));
}

std::optional<Lines::Place> Lines::at(uint64_t address) const {
  Dwarf_Die unit;
  if (!state_->find_unit(address, &unit)) return {};
  const auto [scopes, count] = scopes_at(&unit, address);
  for (int i = count - 1; i >= 0; i--) {
    if (dwarf_tag(&scopes[static_cast<size_t>(i)]) != DW_TAG_inlined_subroutine) continue;
    if (auto place = call_place(&unit, &scopes[static_cast<size_t>(i)])) return place;
  }
  Dwarf_Line* entry = dwarf_getsrc_die(&unit, address);
  int line = 0;
  const char* file = entry == nullptr ? nullptr : dwarf_linesrc(entry, nullptr, nullptr);
  if (file == nullptr || dwarf_lineno(entry, &line) != 0 || line <= 0) return {};
  return Place{.file = file, .line = static_cast<uint32_t>(line)};
}

std::vector<Lines::Call> Lines::inlined(uint64_t address, std::string_view name) const {
  std::vector<Call> found;
  Dwarf_Die unit;
  if (!state_->find_unit(address, &unit)) return found;
  const auto [scopes, count] = scopes_at(&unit, address);
  for (int i = 0; i < count; i++) {
    Dwarf_Die* scope = &scopes[static_cast<size_t>(i)];
    if (dwarf_tag(scope) == DW_TAG_subprogram) add_inlined(scope, name, 0, found);
  }
  std::sort(found.begin(), found.end(),
            [](const Call& a, const Call& b) { return a.address < b.address; });
  return found;
}

std::optional<uint64_t> Lines::member_offset(uint64_t address, std::string_view variable,
                                             std::string_view member) const {
  Dwarf_Die unit;
  if (!state_->find_unit(address, &unit)) return {};
  const auto [scopes, count] = scopes_at(&unit, address);
  for (int i = 0; i < count; i++) {
    Dwarf_Die child;
    if (dwarf_child(&scopes[static_cast<size_t>(i)], &child) != 0) continue;
    do {
      if (dwarf_tag(&child) == DW_TAG_variable && has_name(&child, variable))
        return offset_of_member(&child, member);
    } while (dwarf_siblingof(&child, &child) == 0);
  }
  return {};
}

}  // namespace skein
