#include "symbol/dwarf_units.h"

#include <dwarf.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "symbol/dwarf_attributes.h"
#include "symbol/elf_sections.h"

namespace skein {

namespace {

constexpr size_t most_missing = 1000;

// The file with what -gsplit-dwarf left out of a unit; empty: nothing.
std::string split_file(Dwarf_Die* skeleton, const std::string& path) {
  std::string name = text_of(skeleton, DW_AT_dwo_name);
  if (name.empty()) name = text_of(skeleton, DW_AT_GNU_dwo_name);
  if (name.empty() || name.starts_with('/')) return name;
  const std::string folder = text_of(skeleton, DW_AT_comp_dir);
  return folder.empty() ? path_beside(path, name) : folder + '/' + name;
}

// Calls `use` with each part of an entry's code. Those at address 0 are what the linker left out.
template <typename Use>
void for_each_part(Dwarf_Die* die, DwarfWork& work, const Use& use) {
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  std::ptrdiff_t next = 0;
  while ((next = dwarf_ranges(die, next, &base, &begin, &end)) > 0 && work.spend())
    if (begin != 0 && begin < end) use(begin, end);
}

}  // namespace

Result<DwarfUnits> DwarfUnits::open(std::span<const uint8_t> bytes, const std::string& path,
                                    const DebugFilePlaces& places, Files* files, DwarfUse use) {
  Result<DwarfFile> file = open_dwarf(bytes, path, places, files, use);
  if (!file) return file.error();
  DwarfUnits units;
  units.path_ = path;
  units.files_ = files;
  units.file_ = std::move(*file);
  units.work_ = DwarfWork(debug_information_size(units.file_.elf.get()));
  if (units.file_.dwarf != nullptr) units.read_ranges();
  if (units.ranges_.empty())
    return Error{.what = "no debug information", .file = path, .advice = "compile with -g"};
  if (!units.missing_.empty()) units.open_package(places);
  return units;
}

void DwarfUnits::read_ranges() {
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  uint8_t type = 0;
  while (dwarf_get_units(file_.dwarf.get(), unit, &unit, nullptr, &type, &die, nullptr) == 0) {
    if (!work_.spend()) return;
    if (type == DW_UT_skeleton) find_split_file(&die);
    for_each_part(&die, work_, [&](uint64_t begin, uint64_t end) {
      ranges_.push_back({begin, end, dwarf_dieoffset(&die)});
    });
  }
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
}

// libdw opens the file by this path, whatever it is: anything but a file could block.
void DwarfUnits::find_split_file(Dwarf_Die* skeleton) {
  const std::string name = split_file(skeleton, path_);
  if (files_ != nullptr && files_->type(name) == FileType::File)
    split_units_.insert(dwarf_dieoffset(skeleton));
  else if (missing_.size() < most_missing)
    missing_.insert(name);
}

// Beside the program, or its debug file. Of another build: it has none of the units.
void DwarfUnits::open_package(const DebugFilePlaces& places) {
  constexpr std::string_view debug = ".debug";
  if (files_ == nullptr) return;
  std::string program = path_;
  if (program.ends_with(debug)) program.resize(program.size() - debug.size());
  for (const std::string& root : places.roots)
    for (const std::string& name : {root + path_ + ".dwp", root + program + ".dwp"}) {
      if (files_->type(name) != FileType::File) continue;
      Result<Contents> contents = files_->open(name);
      if (!contents) continue;
      Result<SplitPackage> package = SplitPackage::open(std::move(*contents), name);
      if (!package) continue;
      package_ = std::move(*package);
      missing_.clear();  // until a unit is not in it
      return;
    }
}

namespace {

void sort_by_begin(std::vector<DwarfFunction>& functions) {
  std::stable_sort(
      functions.begin(), functions.end(),
      [](const DwarfFunction& a, const DwarfFunction& b) { return a.begin < b.begin; });
}

}  // namespace

DwarfUnit* DwarfUnits::at(uint64_t address) {
  auto at = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                             [](uint64_t a, const Range& range) { return a < range.begin; });
  if (at == ranges_.begin()) return nullptr;
  --at;
  if (address >= at->end) return nullptr;
  const auto [known, is_new] = units_.try_emplace(at->unit);
  DwarfUnit& unit = known->second;
  if (is_new) read_unit(at->unit, unit);
  return unit.line_die.addr == nullptr ? nullptr : &unit;
}

void DwarfUnits::read_unit(Dwarf_Off offset, DwarfUnit& unit) {
  if (dwarf_offdie(file_.dwarf.get(), offset, &unit.line_die) == nullptr) {
    unit.line_die.addr = nullptr;
    return;
  }
  unit.die = unit.line_die;
  use_split_unit(offset, unit);
  add_functions(&unit.die, 0, unit.functions);
  sort_by_begin(unit.functions);
}

void DwarfUnits::use_split_unit(Dwarf_Off offset, DwarfUnit& unit) {
  if (split_units_.count(offset) != 0) {
    Dwarf_Die split{};
    if (dwarf_cu_info(unit.die.cu, nullptr, nullptr, nullptr, &split, nullptr, nullptr, nullptr) ==
            0 &&
        split.addr != nullptr) {
      unit.die = split;
      return;
    }
  } else {
    Dwarf_Half version = 0;
    uint8_t type = 0;
    if (dwarf_cu_info(unit.die.cu, &version, &type, nullptr, nullptr, nullptr, nullptr, nullptr) !=
            0 ||
        type != DW_UT_skeleton)
      return;
    if (package_) unit.packaged = package_->unit(file_.elf.get(), &unit.line_die);
    if (unit.packaged != nullptr && work_.spend(unit.packaged->bytes.size() / 64)) {
      unit.die = unit.packaged->die;
      return;
    }
  }
  unit.is_missing = true;
  if (missing_.size() < most_missing) missing_.insert(split_file(&unit.line_die, path_));
}

// The functions with code in a scope. clang puts them into their namespaces.
void DwarfUnits::add_functions(Dwarf_Die* scope, int depth, std::vector<DwarfFunction>& to) {
  constexpr int deepest = 20;
  Dwarf_Die child;
  if (depth == deepest || dwarf_child(scope, &child) != 0) return;
  do {
    if (!work_.spend()) return;
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_namespace) add_functions(&child, depth + 1, to);
    if (tag == DW_TAG_subprogram)
      for_each_part(&child, work_, [&](uint64_t begin, uint64_t end) {
        to.push_back({begin, end, child});
      });
  } while (next_sibling(&child));
}

// Those that add_functions() leaves out: of classes, and inside of functions.
void DwarfUnits::add_inner_functions(Dwarf_Die* scope, int depth, bool is_inside,
                                     std::vector<DwarfFunction>& to) {
  constexpr int deepest = 20;
  Dwarf_Die child;
  if (depth == deepest || dwarf_child(scope, &child) != 0) return;
  do {
    if (!work_.spend()) return;
    const int tag = dwarf_tag(&child);
    const bool is_class = tag == DW_TAG_structure_type || tag == DW_TAG_class_type;
    const bool is_function = tag == DW_TAG_subprogram;
    if (is_function && is_inside)
      for_each_part(&child, work_, [&](uint64_t begin, uint64_t end) {
        to.push_back({begin, end, child});
      });
    if (is_class || is_function || tag == DW_TAG_namespace || tag == DW_TAG_lexical_block)
      add_inner_functions(&child, depth + 1, is_inside || is_class || is_function, to);
  } while (next_sibling(&child));
}

const DwarfFunction* DwarfUnits::find_function(const DwarfUnit& unit, uint64_t address) {
  const auto& functions = unit.functions;
  const auto at = std::upper_bound(functions.begin(), functions.end(), address,
                                   [](uint64_t a, const DwarfFunction& f) { return a < f.begin; });
  return at == functions.begin() || address >= std::prev(at)->end ? nullptr : &*std::prev(at);
}

std::vector<Dwarf_Die> DwarfUnits::scopes_at(DwarfUnit& unit, uint64_t address) {
  std::vector<Dwarf_Die> scopes;
  const DwarfFunction* function = find_function(unit, address);
  if (function == nullptr && !std::exchange(unit.has_inner, true)) {
    add_inner_functions(&unit.die, 0, false, unit.functions);
    sort_by_begin(unit.functions);
    function = find_function(unit, address);
  }
  if (function == nullptr) return scopes;
  scopes.push_back(function->die);
  constexpr size_t deepest = 100;
  while (scopes.size() < deepest) {
    Dwarf_Die child;
    if (dwarf_child(&scopes.back(), &child) != 0) break;
    bool is_found = false;
    do {
      if (!work_.spend()) return scopes;
      const int tag = dwarf_tag(&child);
      is_found = (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
                  tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
                 dwarf_haspc(&child, address) > 0;
    } while (!is_found && next_sibling(&child));
    if (!is_found) break;
    scopes.push_back(child);
  }
  return scopes;
}

}  // namespace skein
