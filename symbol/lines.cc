#include "symbol/lines.h"

#include <dwarf.h>
#include <time.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/cursor.h"
#include "symbol/dwarf_file.h"
#include "symbol/dwarf_work.h"
#include "symbol/elf_sections.h"
#include "symbol/line_answers.h"

namespace skein {

namespace {

bool contains(Dwarf_Die* die, uint64_t address) { return dwarf_haspc(die, address) > 0; }

std::string text_of(Dwarf_Die* die, unsigned name) {
  Dwarf_Attribute attribute;
  const char* text =
      dwarf_attr(die, name, &attribute) == nullptr ? nullptr : dwarf_formstring(&attribute);
  return text == nullptr ? "" : text;
}

// The file with what -gsplit-dwarf left out of a unit; empty: nothing.
std::string split_file(Dwarf_Die* skeleton, const std::string& path) {
  std::string name = text_of(skeleton, DW_AT_dwo_name);
  if (name.empty()) name = text_of(skeleton, DW_AT_GNU_dwo_name);
  if (name.empty() || name.starts_with('/')) return name;
  const std::string folder = text_of(skeleton, DW_AT_comp_dir);
  return folder.empty() ? path_beside(path, name) : folder + '/' + name;
}

}  // namespace

// Functions at address 0 are those that the linker left out.
//
// The ranges of units are read once: clang writes no .debug_aranges. The functions of a unit are
// found when it is needed first.
struct Lines::State {
  struct Range {
    uint64_t begin = 0;
    uint64_t end = 0;
    Dwarf_Off unit = 0;  // of its entry
  };
  struct Function {
    uint64_t begin = 0;
    uint64_t end = 0;
    Dwarf_Die die = {};
  };
  struct Unit {
    Dwarf_Die die = {};                    // with the functions
    Dwarf_Die line_die = {};               // with the table of lines: the skeleton, if it was split
    std::vector<Function> functions = {};  // by begin
    bool has_lines = false;
  };

  std::span<const uint8_t> bytes = {};
  std::string path = {};
  DebugFilePlaces debug_places = {};
  Files* files = nullptr;
  const SymbolCache* cache = nullptr;
  std::string key = {};  // of the cache; empty: none
  bool is_open = false;  // false: all answers so far were in the cache
  LineAnswers answers = {};
  size_t saved = 0;     // answers that the cache has
  int64_t used_ns = 0;  // of CPU time
  DwarfFile file = {};
  std::vector<Range> ranges = {};        // by begin
  std::set<Dwarf_Off> split_units = {};  // those whose .dwo exists
  std::set<std::string> missing = {};    // .dwo files
  std::unordered_map<Dwarf_Off, Unit> units = {};
  DwarfWork work{1};
  uint64_t line_bytes = 0;  // of the tables that were read

  Dwarf* dwarf() const { return file.dwarf.get(); }

  // Fails without debug information.
  Result<void> open() {
    is_open = true;
    auto opened = open_dwarf(bytes, path, debug_places, files);
    if (!opened) return opened.error();
    file = std::move(*opened);
    work = DwarfWork(debug_information_size(file.elf.get()));
    if (dwarf() != nullptr) read_ranges();
    if (!ranges.empty()) return {};
    return Error{.what = "no debug information", .file = path, .advice = "compile with -g"};
  }

  // Answers a question that is not answered yet.
  template <typename Answer>
  auto measured(const Answer& answer) {
    const int64_t begin = cpu_ns();
    work.resume();
    if (!is_open) (void)open();
    auto found = answer();
    used_ns += cpu_ns() - begin;
    return found;
  }
  static int64_t cpu_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  }

  void read_ranges() {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    uint8_t type = 0;
    while (dwarf_get_units(dwarf(), unit, &unit, nullptr, &type, &die, nullptr) == 0) {
      if (!work.spend()) return;
      if (type == DW_UT_skeleton) find_split_file(&die);
      Dwarf_Addr base = 0;
      Dwarf_Addr begin = 0;
      Dwarf_Addr end = 0;
      std::ptrdiff_t next = 0;
      while ((next = dwarf_ranges(&die, next, &base, &begin, &end)) > 0 && work.spend())
        if (begin != 0 && begin < end) ranges.push_back({begin, end, dwarf_dieoffset(&die)});
    }
    std::sort(ranges.begin(), ranges.end(),
              [](const Range& a, const Range& b) { return a.begin < b.begin; });
  }

  // libdw opens the file by this path, whatever it is: anything but a file could block.
  void find_split_file(Dwarf_Die* skeleton) {
    const std::string name = split_file(skeleton, path);
    if (files != nullptr && files->type(name) == FileType::File)
      split_units.insert(dwarf_dieoffset(skeleton));
    else if (missing.size() < 1000)
      missing.insert(name);
  }

  // Null: no unit has this address.
  Unit* find_unit(uint64_t address) {
    auto at = std::upper_bound(ranges.begin(), ranges.end(), address,
                               [](uint64_t a, const Range& range) { return a < range.begin; });
    if (at == ranges.begin()) return nullptr;
    --at;
    if (address >= at->end) return nullptr;
    const auto [known, is_new] = units.try_emplace(at->unit);
    Unit& unit = known->second;
    if (is_new) read_unit(at->unit, unit);
    return unit.line_die.addr == nullptr ? nullptr : &unit;
  }

  void read_unit(Dwarf_Off offset, Unit& unit) {
    if (dwarf_offdie(dwarf(), offset, &unit.line_die) == nullptr) {
      unit.line_die.addr = nullptr;
      return;
    }
    unit.die = unit.line_die;
    if (split_units.count(offset) != 0) {
      Dwarf_Die split{};
      if (dwarf_cu_info(unit.die.cu, nullptr, nullptr, nullptr, &split, nullptr, nullptr,
                        nullptr) == 0 &&
          split.addr != nullptr)
        unit.die = split;
      else
        missing.insert(split_file(&unit.line_die, path));
    }
    unit.has_lines = may_read_lines(&unit.line_die);
    add_functions(&unit.die, 0, unit.functions);
    std::stable_sort(unit.functions.begin(), unit.functions.end(),
                     [](const Function& a, const Function& b) { return a.begin < b.begin; });
  }

  // A byte of a program of lines may be a line, for which libdw needs 50 bytes.
  bool may_read_lines(Dwarf_Die* unit) {
    constexpr uint64_t most_of_unit = uint64_t{8} << 20;
    constexpr uint64_t most = uint64_t{64} << 20;
    Dwarf_Attribute attribute;
    Dwarf_Word offset = 0;
    if (dwarf_attr(unit, DW_AT_stmt_list, &attribute) == nullptr ||
        dwarf_formudata(&attribute, &offset) != 0)
      return false;
    const Elf_Data* table = line_section();
    if (table == nullptr || table->d_size < 12 || offset > table->d_size - 12) return false;
    Cursor cursor({static_cast<const uint8_t*>(table->d_buf), table->d_size});
    cursor.skip(offset);
    uint64_t size = cursor.u32();
    if (size == UINT32_MAX) size = cursor.u64();
    size = std::min<uint64_t>(size, cursor.remaining());
    if (size > most_of_unit || line_bytes + size > most) return false;
    line_bytes += size;
    return work.spend(1 + size / 8);
  }

  Elf_Data* line_section() const {
    Elf* elf = file.elf.get();
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0) return nullptr;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
      const char* name = elf_strptr(elf, names, header.sh_name);
      if (name != nullptr && std::string_view(name) == ".debug_line")
        return elf_getdata(section, nullptr);
    }
    return nullptr;
  }

  // The functions with code in a scope. clang puts them into their namespaces.
  void add_functions(Dwarf_Die* scope, int depth, std::vector<Function>& to) {
    constexpr int deepest = 20;
    Dwarf_Die child;
    if (depth == deepest || dwarf_child(scope, &child) != 0) return;
    do {
      if (!work.spend()) return;
      const int tag = dwarf_tag(&child);
      if (tag == DW_TAG_namespace) add_functions(&child, depth + 1, to);
      if (tag != DW_TAG_subprogram) continue;
      Dwarf_Addr base = 0;
      Dwarf_Addr begin = 0;
      Dwarf_Addr end = 0;
      std::ptrdiff_t next = 0;
      while ((next = dwarf_ranges(&child, next, &base, &begin, &end)) > 0 && work.spend())
        if (begin != 0 && begin < end) to.push_back({begin, end, child});
    } while (next_sibling(&child));
  }

  // The scopes that contain an instruction: the function, and what was inlined into it, the
  // outermost first. Our own instead of dwarf_getscopes(), which has no bound, reads the whole unit
  // each time and does not find functions within namespaces.
  std::vector<Dwarf_Die> scopes_at(const Unit& unit, uint64_t address) {
    std::vector<Dwarf_Die> scopes;
    const auto& functions = unit.functions;
    auto at = std::upper_bound(functions.begin(), functions.end(), address,
                               [](uint64_t a, const Function& f) { return a < f.begin; });
    if (at == functions.begin() || address >= (--at)->end) return scopes;
    scopes.push_back(at->die);
    constexpr size_t deepest = 100;
    while (scopes.size() < deepest) {
      Dwarf_Die child;
      if (dwarf_child(&scopes.back(), &child) != 0) break;
      bool is_found = false;
      do {
        if (!work.spend()) return scopes;
        const int tag = dwarf_tag(&child);
        is_found = (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
                    tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
                   contains(&child, address);
      } while (!is_found && next_sibling(&child));
      if (!is_found) break;
      scopes.push_back(child);
    }
    return scopes;
  }

  std::optional<Place> place_at(uint64_t address);
  std::vector<Call> inlined(uint64_t address, std::string_view name);
  std::optional<uint64_t> member_offset(uint64_t address, std::string_view variable,
                                        std::string_view member);
};

namespace {

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

std::string_view name_of(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  const char* name = dwarf_attr_integrate(die, DW_AT_name, &attribute) == nullptr
                         ? nullptr
                         : dwarf_formstring(&attribute);
  return name == nullptr ? std::string_view() : name;
}

bool has_name(Dwarf_Die* die, std::string_view name) { return name_of(die) == name; }

// Also of a template, which has its arguments in its name.
bool is_function(Dwarf_Die* die, std::string_view name) {
  const std::string_view whole = name_of(die);
  return whole.starts_with(name) && (whole.size() == name.size() || whole[name.size()] == '<');
}

std::string linkage_name(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  const char* name = dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) == nullptr
                         ? nullptr
                         : dwarf_formstring(&attribute);
  return name == nullptr ? "" : name;
}

// Adds the calls of `name` that were inlined into a scope.
void add_inlined(Dwarf_Die* scope, std::string_view name, int depth, DwarfWork& work,
                 std::vector<Lines::Call>& to) {
  constexpr int deepest = 100;
  constexpr size_t most = 10'000;
  Dwarf_Die child;
  if (depth == deepest || dwarf_child(scope, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (to.size() >= most || !work.spend()) return;
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) continue;
    if (tag != DW_TAG_inlined_subroutine || !is_function(&child, name)) {
      add_inlined(&child, name, depth + 1, work, to);
      continue;
    }
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    std::ptrdiff_t next = 0;
    while ((next = dwarf_ranges(&child, next, &base, &begin, &end)) > 0 && work.spend())
      if (begin < end) to.push_back({begin, end, linkage_name(&child)});
  } while (next_sibling(&child));
}

std::optional<uint64_t> offset_of_member(Dwarf_Die* variable, std::string_view name,
                                         DwarfWork& work) {
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
  } while (work.spend() && next_sibling(&member));
  return {};
}

}  // namespace

Lines::Lines(std::unique_ptr<State> state) : state_(std::move(state)) {}
Lines::Lines(Lines&&) noexcept = default;
Lines& Lines::operator=(Lines&&) noexcept = default;
Lines::~Lines() = default;

Result<Lines> Lines::read(std::span<const uint8_t> bytes, const std::string& path) {
  return read(bytes, path, {}, nullptr, nullptr);
}

Result<Lines> Lines::read(std::span<const uint8_t> bytes, const std::string& path,
                          const DebugFilePlaces& places, Files& files) {
  return read(bytes, path, places, &files, nullptr);
}

Result<Lines> Lines::read(std::span<const uint8_t> bytes, const std::string& path,
                          const DebugFilePlaces& places, Files& files, const SymbolCache& cache) {
  return read(bytes, path, places, &files, &cache);
}

Result<Lines> Lines::read(std::span<const uint8_t> bytes, const std::string& path,
                          const DebugFilePlaces& places, Files* files, const SymbolCache* cache) {
  const ElfHandle elf = open_elf(bytes);
  if (elf == nullptr) return Error{.what = "no ELF file", .file = path};
  auto state = std::make_unique<State>();
  state->bytes = bytes;
  state->path = path;
  state->debug_places = places;
  state->files = files;
  state->cache = cache;
  // A debug file has the build id of the program, and its size differs.
  if (const std::string id = build_id_of(elf.get());
      cache != nullptr && id.size() >= 16 && debug_information_size(elf.get()) != 0) {
    state->key = id + '-' + std::to_string(bytes.size()) + ".lines";
    if (const auto known = cache->load(state->key, LineAnswers::version))
      if (auto answers = LineAnswers::unpack(*known)) {
        state->answers = std::move(*answers);
        state->saved = state->answers.size();
        return Lines(std::move(state));
      }
  }
  const int64_t begin = State::cpu_ns();
  if (const Result<void> opened = state->open(); !opened) return opened.error();
  state->used_ns = State::cpu_ns() - begin;
  return Lines(std::move(state));
}

Result<void> Lines::save(int64_t at_least_ns) const {
  const State& state = *state_;
  if (state.key.empty() || state.used_ns < at_least_ns || state.answers.size() == state.saved ||
      state.file.lacks_common || !state.split_units.empty() || !state.missing.empty() ||
      state.work.is_exhausted())
    return {};
  return state.cache->store(state.key, LineAnswers::version, state.answers.packed());
}

const std::optional<Lines::Place>& Lines::at(uint64_t address) const {
  const auto [known, is_new] = state_->answers.places.try_emplace(address);
  if (is_new) known->second = state_->measured([&] { return state_->place_at(address); });
  return known->second;
}

std::vector<Lines::Call> Lines::inlined(uint64_t address, std::string_view name) const {
  const auto [known, is_new] = state_->answers.calls.try_emplace({address, std::string(name)});
  if (is_new) known->second = state_->measured([&] { return state_->inlined(address, name); });
  return known->second;
}

std::optional<uint64_t> Lines::member_offset(uint64_t address, std::string_view variable,
                                             std::string_view member) const {
  const auto [known, is_new] =
      state_->answers.members.try_emplace({address, std::string(variable), std::string(member)});
  if (is_new)
    known->second =
        state_->measured([&] { return state_->member_offset(address, variable, member); });
  return known->second;
}

std::optional<Lines::Place> Lines::State::place_at(uint64_t address) {
  Unit* unit = find_unit(address);
  if (unit == nullptr || work.is_exhausted()) return {};
  for (Dwarf_Die& scope : scopes_at(*unit, address)) {
    if (dwarf_tag(&scope) != DW_TAG_inlined_subroutine) continue;
    if (auto place = call_place(&unit->die, &scope)) return place;
  }
  Dwarf_Line* entry = unit->has_lines ? dwarf_getsrc_die(&unit->line_die, address) : nullptr;
  int line = 0;
  const char* name = entry == nullptr ? nullptr : dwarf_linesrc(entry, nullptr, nullptr);
  if (name == nullptr || dwarf_lineno(entry, &line) != 0 || line <= 0) return {};
  return Place{.file = name, .line = static_cast<uint32_t>(line)};
}

std::vector<Lines::Call> Lines::State::inlined(uint64_t address, std::string_view name) {
  std::vector<Call> found;
  Unit* unit = find_unit(address);
  if (unit == nullptr) return found;
  std::vector<Dwarf_Die> scopes = scopes_at(*unit, address);
  if (!scopes.empty()) add_inlined(&scopes.front(), name, 0, work, found);
  std::sort(found.begin(), found.end(),
            [](const Call& a, const Call& b) { return a.address < b.address; });
  return found;
}

std::optional<uint64_t> Lines::State::member_offset(uint64_t address, std::string_view variable,
                                                    std::string_view member) {
  Unit* unit = find_unit(address);
  if (unit == nullptr) return {};
  std::vector<Dwarf_Die> scopes = scopes_at(*unit, address);
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    Dwarf_Die child;
    if (dwarf_child(&*scope, &child) != 0) continue;
    do {
      if (!work.spend()) return {};
      if (dwarf_tag(&child) == DW_TAG_variable && has_name(&child, variable))
        return offset_of_member(&child, member, work);
    } while (next_sibling(&child));
  }
  return {};
}

std::vector<std::string> Lines::warnings() const {
  std::vector<std::string> found;
  const auto& missing = state_->missing;
  if (!missing.empty())
    found.push_back(state_->path + ": the debug information is in other files, such as " +
                    *missing.begin() +
                    ", that are missing or of another build; keep them, or "
                    "compile without -gsplit-dwarf (a .dwp file is not read)");
  if (state_->work.is_exhausted())
    found.push_back(state_->path + ": its debug information is damaged, or too much to read");
  return found;
}

}  // namespace skein
