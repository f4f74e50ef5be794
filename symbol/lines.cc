#include "symbol/lines.h"

#include <dwarf.h>
#include <time.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/cursor.h"
#include "symbol/dwarf_attributes.h"
#include "symbol/dwarf_units.h"
#include "symbol/elf_sections.h"
#include "symbol/line_answers.h"
#include "symbol/member_names.h"

namespace skein {

struct Lines::State {
  std::span<const uint8_t> bytes = {};
  std::string path = {};
  DebugFilePlaces debug_places = {};
  Files* files = nullptr;
  const SymbolCache* cache = nullptr;
  std::string key = {};  // of the cache; empty: none
  bool is_open = false;  // false: all answers so far were in the cache
  LineAnswers answers = {};
  size_t saved = 0;                      // answers that the cache has
  int64_t used_ns = 0;                   // of CPU time
  std::optional<DwarfUnits> units = {};  // nothing: not opened, or there are none
  uint64_t line_bytes = 0;               // of the tables that were read
  MemberNames members = {};

  // Fails without debug information.
  Result<void> open() {
    is_open = true;
    auto opened = DwarfUnits::open(bytes, path, debug_places, files, DwarfUse::Lines);
    if (!opened) return opened.error();
    units = std::move(*opened);
    return {};
  }

  // Answers a question that is not answered yet.
  template <typename Answer>
  auto measured(const Answer& answer) {
    const int64_t begin = cpu_ns();
    if (!is_open) (void)open();
    if (units) units->work().resume();
    auto found = units ? answer() : decltype(answer()){};
    used_ns += cpu_ns() - begin;
    return found;
  }
  static int64_t cpu_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  }

  bool has_lines(DwarfUnit& unit) {
    if (!unit.has_lines) unit.has_lines = may_read_lines(&unit.line_die);
    return *unit.has_lines;
  }

  // A byte of a program of lines may be a line, for which libdw needs 50 bytes.
  bool may_read_lines(Dwarf_Die* unit) {
    constexpr uint64_t most_of_unit = uint64_t{8} << 20;
    constexpr uint64_t most = uint64_t{64} << 20;
    const auto offset = number_of(unit, DW_AT_stmt_list);
    const Elf_Data* table = loaded_section(units->file().elf.get(), ".debug_line").data;
    if (!offset || table == nullptr || table->d_size < 12 || *offset > table->d_size - 12)
      return false;
    Cursor cursor({static_cast<const uint8_t*>(table->d_buf), table->d_size});
    cursor.skip(*offset);
    uint64_t size = cursor.u32();
    if (size == UINT32_MAX) size = cursor.u64();
    size = std::min<uint64_t>(size, cursor.remaining());
    if (size > most_of_unit || line_bytes + size > most) return false;
    line_bytes += size;
    return units->work().spend(1 + size / 8);
  }

  // Of the function of this linkage name; empty: the outermost.
  std::optional<Place> place_at(uint64_t address, std::string_view function = "");
  std::optional<Place> innermost_place(DwarfUnit& unit, uint64_t address);
  std::vector<InlinedFrame> frames(uint64_t address);
  std::vector<std::string> inlined_at(uint64_t address);
  std::optional<Place> declaration(uint64_t address);
  std::vector<Call> inlined(uint64_t address, std::string_view name);
  std::optional<uint64_t> member_offset(uint64_t address, std::string_view variable,
                                        std::string_view member);
};

namespace {

// The place in two attributes of an entry. `unit` has the names of files; a split one, too, numbers
// them as its skeleton does.
std::optional<Lines::Place> place_in(Dwarf_Die* unit, Dwarf_Die* entry, unsigned line_attribute,
                                     unsigned file_attribute) {
  const auto line = number_of(entry, line_attribute);
  const auto file = number_of(entry, file_attribute);
  if (!line || *line == 0 || !file) return {};
  Dwarf_Files* files = nullptr;
  size_t count = 0;
  if (dwarf_getsrcfiles(unit, &files, &count) != 0 || *file >= count) return {};
  const char* name = dwarf_filesrc(files, *file, nullptr, nullptr);
  if (name == nullptr) return {};
  return Lines::Place{.file = name, .line = static_cast<uint32_t>(*line)};
}

// Of a function; its name alone if it has no other.
std::string linkage_name(Dwarf_Die* function) {
  std::string name = text_of(function, DW_AT_linkage_name);
  return name.empty() ? name_of(function) : name;
}

// The line of the call of an inlined function.
std::optional<Lines::Place> call_place(Dwarf_Die* unit, Dwarf_Die* call) {
  return place_in(unit, call, DW_AT_call_line, DW_AT_call_file);
}

// Also of a template, which has its arguments in its name.
bool is_function(Dwarf_Die* die, std::string_view name) {
  const std::string whole = name_of(die);
  return whole.starts_with(name) && (whole.size() == name.size() || whole[name.size()] == '<');
}

// Adds the calls of `name` that were inlined into a scope.
void add_inlined(Dwarf_Die* scope, std::string_view name, int depth, DwarfWork& work,
                 MemberNames& members, std::vector<Lines::Call>& to) {
  constexpr int deepest = 100;
  constexpr size_t most = 10'000;
  Dwarf_Die child;
  if (depth == deepest || dwarf_child(scope, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (to.size() >= most || !work.spend()) return;
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) continue;
    if (tag != DW_TAG_inlined_subroutine || !is_function(&child, name)) {
      add_inlined(&child, name, depth + 1, work, members, to);
      continue;
    }
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    std::ptrdiff_t next = 0;
    std::string function = text_of(&child, DW_AT_linkage_name);
    if (function.empty()) function = members.name_of_call(child, name, work);
    while ((next = dwarf_ranges(&child, next, &base, &begin, &end)) > 0 && work.spend())
      if (begin < end) to.push_back({begin, end, function});
  } while (next_sibling(&child));
}

std::optional<uint64_t> offset_of_member(Dwarf_Die* variable, std::string_view name,
                                         DwarfWork& work) {
  Dwarf_Die type;
  Dwarf_Die member;
  if (!type_of(variable, &type) || dwarf_child(&type, &member) != 0) return {};
  do {
    if (dwarf_tag(&member) != DW_TAG_member || name_of(&member) != name) continue;
    if (const auto offset = number_of(&member, DW_AT_data_member_location)) return offset;
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
      !state.units || state.units->file().lacks_common || state.units->is_split() ||
      state.units->work().is_exhausted())
    return {};
  return state.cache->store(state.key, LineAnswers::version, state.answers.packed());
}

const std::optional<Lines::Place>& Lines::at(uint64_t address) const {
  const auto [known, is_new] = state_->answers.places.try_emplace(address);
  if (is_new) known->second = state_->measured([&] { return state_->place_at(address); });
  return known->second;
}

std::optional<Lines::Place> Lines::inside(uint64_t address, std::string_view function) const {
  if (function.empty()) return {};
  const auto [known, is_new] = state_->answers.insides.try_emplace({address, std::string(function)});
  if (is_new) known->second = state_->measured([&] { return state_->place_at(address, function); });
  return known->second;
}

std::vector<InlinedFrame> Lines::frames(uint64_t address) const {
  return state_->measured([&] { return state_->frames(address); });
}

std::vector<std::string> Lines::inlined_at(uint64_t address) const {
  return state_->measured([&] { return state_->inlined_at(address); });
}

std::optional<Lines::Place> Lines::declaration(uint64_t address) const {
  const auto [known, is_new] = state_->answers.insides.try_emplace({address, ""});
  if (is_new) known->second = state_->measured([&] { return state_->declaration(address); });
  return known->second;
}

bool Lines::is_partly_missing(uint64_t address) const {
  const auto [known, is_new] = state_->answers.missing.try_emplace(address);
  if (is_new)
    known->second = state_->measured([&] {
      const DwarfUnit* unit = state_->units->at(address);
      return unit != nullptr && unit->is_missing;
    });
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

std::optional<Lines::Place> Lines::State::place_at(uint64_t address, std::string_view function) {
  DwarfUnit* unit = units->at(address);
  if (unit == nullptr || units->work().is_exhausted() || !has_lines(*unit)) return {};
  bool is_inside = function.empty();
  for (Dwarf_Die& scope : units->scopes_at(*unit, address)) {
    if (dwarf_tag(&scope) != DW_TAG_inlined_subroutine) continue;
    if (is_inside)
      if (auto place = call_place(&unit->line_die, &scope)) return place;
    is_inside = is_inside || text_of(&scope, DW_AT_linkage_name) == function;
  }
  return is_inside ? innermost_place(*unit, address) : std::nullopt;
}

// By the table of lines alone.
std::optional<Lines::Place> Lines::State::innermost_place(DwarfUnit& unit, uint64_t address) {
  Dwarf_Line* entry = dwarf_getsrc_die(&unit.line_die, address);
  int line = 0;
  const char* name = entry == nullptr ? nullptr : dwarf_linesrc(entry, nullptr, nullptr);
  if (name == nullptr || dwarf_lineno(entry, &line) != 0 || line <= 0) return {};
  int column = 0;
  if (dwarf_linecol(entry, &column) != 0 || column < 0) column = 0;
  return Place{.file = name,
               .line = static_cast<uint32_t>(line),
               .column = static_cast<uint32_t>(column)};
}

std::vector<InlinedFrame> Lines::State::frames(uint64_t address) {
  DwarfUnit* unit = units->at(address);
  if (unit == nullptr || units->work().is_exhausted() || !has_lines(*unit)) return {};
  std::vector<InlinedFrame> found;
  std::optional<Place> place = innermost_place(*unit, address);
  std::vector<Dwarf_Die> scopes = units->scopes_at(*unit, address);
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    if (dwarf_tag(&*scope) != DW_TAG_inlined_subroutine) continue;
    found.push_back({.function = linkage_name(&*scope), .place = place.value_or(Place{})});
    place = call_place(&unit->line_die, &*scope);
  }
  found.push_back({.function = {}, .place = place.value_or(Place{})});
  return found;
}

std::vector<std::string> Lines::State::inlined_at(uint64_t address) {
  DwarfUnit* unit = units->at(address);
  if (unit == nullptr || units->work().is_exhausted()) return {};
  std::vector<std::string> found;
  std::vector<Dwarf_Die> scopes = units->scopes_at(*unit, address);
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (dwarf_tag(&*scope) == DW_TAG_inlined_subroutine) found.push_back(linkage_name(&*scope));
  return found;
}

std::optional<Lines::Place> Lines::State::declaration(uint64_t address) {
  DwarfUnit* unit = units->at(address);
  if (unit == nullptr || units->work().is_exhausted() || !has_lines(*unit)) return {};
  std::vector<Dwarf_Die> scopes = units->scopes_at(*unit, address);
  if (scopes.empty()) return {};
  return place_in(&unit->line_die, &scopes.front(), DW_AT_decl_line, DW_AT_decl_file);
}

std::vector<Lines::Call> Lines::State::inlined(uint64_t address, std::string_view name) {
  std::vector<Call> found;
  DwarfUnit* unit = units->at(address);
  if (unit == nullptr) return found;
  std::vector<Dwarf_Die> scopes = units->scopes_at(*unit, address);
  if (!scopes.empty()) add_inlined(&scopes.front(), name, 0, units->work(), members, found);
  std::sort(found.begin(), found.end(),
            [](const Call& a, const Call& b) { return a.address < b.address; });
  return found;
}

std::optional<uint64_t> Lines::State::member_offset(uint64_t address, std::string_view variable,
                                                    std::string_view member) {
  DwarfUnit* unit = units->at(address);
  if (unit == nullptr) return {};
  std::vector<Dwarf_Die> scopes = units->scopes_at(*unit, address);
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    Dwarf_Die child;
    if (dwarf_child(&*scope, &child) != 0) continue;
    do {
      if (!units->work().spend()) return {};
      if (dwarf_tag(&child) == DW_TAG_variable && name_of(&child) == variable)
        return offset_of_member(&child, member, units->work());
    } while (next_sibling(&child));
  }
  return {};
}

std::vector<std::string> Lines::warnings() const {
  std::vector<std::string> found;
  if (!state_->units) return found;
  if (const auto& missing = state_->units->missing(); !missing.empty())
    found.push_back(state_->path + ": the debug information is in other files, such as " +
                    *missing.begin() +
                    ", that are missing or of another build; keep them or a .dwp file beside the "
                    "program, or compile without -gsplit-dwarf");
  if (state_->units->work().is_exhausted())
    found.push_back(state_->path + ": its debug information is damaged, or too much to read");
  return found;
}

}  // namespace skein
