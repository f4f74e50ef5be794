// The units of a program's debug information by their code: the functions of each, and what was
// inlined into them, also where -gsplit-dwarf put them into other files.
//
//   Result<DwarfUnits> units = DwarfUnits::open(file.bytes(), path, places, &files, use);
//   if (DwarfUnit* unit = units->at(address))
//     for (Dwarf_Die& scope : units->scopes_at(*unit, address)) read(scope);
//
// Addresses are those in the file, as linked. Nothing in the file is trusted: all work is counted,
// and ends when it becomes too much.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "symbol/debug_file.h"
#include "symbol/dwarf_file.h"
#include "symbol/dwarf_work.h"
#include "symbol/split_package.h"

namespace skein {

struct DwarfFunction {
  uint64_t begin = 0;
  uint64_t end = 0;
  Dwarf_Die die = {};
};

struct DwarfUnit {
  Dwarf_Die die = {};       // with the functions
  Dwarf_Die line_die = {};  // with the table of lines: the skeleton, if it was split
  std::vector<DwarfFunction> functions = {};  // by begin; one for each part of its code
  std::unique_ptr<SplitUnit> packaged = {};   // that of `die`, if it is in a .dwp file
  bool has_inner = false;                     // also those inside of other functions: g++'s lambdas
  std::optional<bool> has_lines = {};         // for Lines
  bool is_missing = false;  // its functions are in a file that is not there
};

class DwarfUnits {
 public:
  // `bytes` must stay valid as long as the result. Fails without debug information.
  // O(compilation units): their ranges are read once, as clang writes no .debug_aranges.
  static Result<DwarfUnits> open(std::span<const uint8_t> bytes, const std::string& path,
                                 const DebugFilePlaces& places, Files* files, DwarfUse use);

  // Null: no unit has this address. Reads the unit the first time: O(its entries).
  DwarfUnit* at(uint64_t address);
  // The scopes that contain an instruction: the function, and what was inlined into it, the
  // outermost first. Our own instead of dwarf_getscopes(), which has no bound, reads the whole unit
  // each time and does not find functions within namespaces.
  std::vector<Dwarf_Die> scopes_at(DwarfUnit& unit, uint64_t address);

  const DwarfFile& file() const { return file_; }
  DwarfWork& work() { return work_; }
  const DwarfWork& work() const { return work_; }
  // Whether something is in other files, and is not known by the build id.
  bool is_split() const { return !split_units_.empty() || !missing_.empty() || package_; }
  const std::set<std::string>& missing() const { return missing_; }  // .dwo files

 private:
  struct Range {
    uint64_t begin = 0;
    uint64_t end = 0;
    Dwarf_Off unit = 0;  // of its entry
  };

  DwarfUnits() = default;
  void read_ranges();
  void find_split_file(Dwarf_Die* skeleton);
  void open_package(const DebugFilePlaces& places);
  void read_unit(Dwarf_Off offset, DwarfUnit& unit);
  void use_split_unit(Dwarf_Off offset, DwarfUnit& unit);
  void add_functions(Dwarf_Die* scope, int depth, std::vector<DwarfFunction>& to);
  void add_inner_functions(Dwarf_Die* scope, int depth, bool is_inside,
                           std::vector<DwarfFunction>& to);
  static const DwarfFunction* find_function(const DwarfUnit& unit, uint64_t address);

  std::string path_ = {};
  Files* files_ = nullptr;
  DwarfFile file_ = {};
  DwarfWork work_{1};
  std::vector<Range> ranges_ = {};        // by begin
  std::set<Dwarf_Off> split_units_ = {};  // those whose .dwo exists
  std::set<std::string> missing_ = {};
  std::optional<SplitPackage> package_ = {};
  std::unordered_map<Dwarf_Off, DwarfUnit> units_ = {};
};

}  // namespace skein
