#include "symbol/frame_variables.h"

#include <dwarf.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/escape.h"
#include "symbol/dwarf_attributes.h"
#include "symbol/dwarf_units.h"
#include "symbol/frame_layout.h"
#include "symbol/value_text.h"

namespace skein {

namespace {

constexpr size_t most_variables = 100;

struct Member {
  std::string name = {};
  uint64_t offset = 0;
  Dwarf_Die type = {};
};

// What the compilers add: awaiters, temporary objects, and what clang has no name for.
bool is_of_compiler(std::string_view name) {
  for (const char* prefix : {"_Coro_", "__", "struct_", "class_", "union_", "enum_", "PointerType",
                             "Aw", "D.", "Fs_", "Is_", "Tm", "T_"})
    if (name.starts_with(prefix)) return true;
  return name.empty();
}

bool is_reference(int tag) {
  return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
         tag == DW_TAG_rvalue_reference_type;
}

// Names that a program may not use.
bool is_reserved(std::string_view name) { return name.empty() || name.starts_with("__"); }

// What has no address gets one that no process has.
std::string text_of_location(Dwarf_Die type, const FrameLocation& location,
                             const FrameVariables::Memory& memory, const CodeNames& names) {
  if (location.address) return value_text(memory, type, *location.address, names);
  constexpr uint64_t begin = uint64_t{1} << 63;
  const auto& bytes = location.bytes;
  const FrameVariables::Memory both = [&](uint64_t address, std::span<uint8_t> to) -> size_t {
    if (address < begin || address - begin >= bytes.size()) return memory(address, to);
    size_t read = 0;
    for (uint64_t at = address - begin; at < bytes.size() && read < to.size() && bytes[at]; at++)
      to[read++] = *bytes[at];
    return read;
  };
  return value_text(both, type, begin, names);
}

std::vector<std::optional<uint8_t>> bytes_at(uint64_t address,
                                             const FrameVariables::Memory& memory) {
  constexpr size_t most = 16;
  std::vector<std::optional<uint8_t>> found;
  for (uint64_t i = 0; i < most; i++) {
    uint8_t byte = 0;
    if (memory(address + i, {&byte, 1}) != 1) break;
    found.emplace_back(byte);
  }
  return found;
}

}  // namespace

struct FrameVariables::State {
  DwarfUnits units;
  std::unordered_map<uint64_t, std::vector<Member>> members = {};  // by function
  std::unordered_map<Dwarf_Off, std::string> names = {};           // of classes, by offset

  explicit State(DwarfUnits own) : units(std::move(own)) {}

  const std::vector<Member>& of(uint64_t function) {
    const auto [at, is_new] = members.try_emplace(function);
    if (!is_new) return at->second;
    DwarfUnit* unit = units.at(function);
    if (unit == nullptr) return at->second;
    std::vector<Dwarf_Die> scopes = units.scopes_at(*unit, function);
    Dwarf_Die frame;
    if (!scopes.empty() && find_frame(&scopes.front(), 0, &frame)) add_members(&frame, at->second);
    return at->second;
  }

  // g++: what the parameter frame_ptr refers to; clang: the type of the variable __coro_frame.
  bool find_frame(Dwarf_Die* scope, int depth, Dwarf_Die* frame) {
    constexpr int deepest = 20;
    Dwarf_Die child;
    if (depth < deepest && dwarf_child(scope, &child) == 0) {
      do {
        if (!units.work().spend()) return false;
        const int tag = dwarf_tag(&child);
        const std::string name = tag == DW_TAG_formal_parameter || tag == DW_TAG_variable
                                     ? name_of(&child)
                                     : std::string();
        Dwarf_Die type;
        if (name == "frame_ptr" && type_of(&child, &type)) {
          type = plain_type(type);
          if (dwarf_tag(&type) == DW_TAG_pointer_type && type_of(&type, frame)) return true;
        }
        if (name == "__coro_frame" && type_of(&child, frame)) return true;
        if (tag == DW_TAG_lexical_block && find_frame(&child, depth + 1, frame)) return true;
      } while (next_sibling(&child));
    }
    // g++ keeps the parameter there, if it has split the function.
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    return depth == 0 && dwarf_attr(scope, DW_AT_abstract_origin, &attribute) != nullptr &&
           dwarf_formref_die(&attribute, &origin) != nullptr && find_frame(&origin, 1, frame);
  }

  void add_members(Dwarf_Die* frame, std::vector<Member>& to) {
    Dwarf_Die child;
    Dwarf_Die type = plain_type(*frame);
    if (dwarf_child(&type, &child) != 0) return;
    do {
      if (to.size() == most_variables || !units.work().spend()) return;
      const std::string name = name_of(&child);
      const auto offset = number_of(&child, DW_AT_data_member_location);
      if (dwarf_tag(&child) != DW_TAG_member || !offset || is_of_compiler(name)) continue;
      Member member{.name = std::string(name_in_source(name)), .offset = *offset};
      if (type_of(&child, &member.type)) to.push_back(std::move(member));
    } while (next_sibling(&child));
  }

  // The name with its namespaces and classes. Empty: unknown.
  std::string qualified_name(Dwarf_Die type) {
    const Dwarf_Off wanted = dwarf_dieoffset(&type);
    const auto [known, is_new] = names.try_emplace(wanted);
    if (!is_new) return known->second;
    Dwarf_Die at;
    if (dwarf_diecu(&type, &at, nullptr, nullptr) == nullptr) return "";
    constexpr int deepest = 20;
    std::string found;
    for (int depth = 0; depth < deepest; depth++) {
      // The entries of one lie between it and its next sibling.
      Dwarf_Die child;
      Dwarf_Die around = {};
      bool has_found = false;
      if (dwarf_child(&at, &child) != 0) return "";
      do {
        if (!units.work().spend()) return "";
        if (dwarf_dieoffset(&child) > wanted) break;
        around = child;
        has_found = true;
      } while (next_sibling(&child));
      if (!has_found) return "";
      const std::string name = without_template_arguments(name_of(&around));
      found += (found.empty() || name.empty() ? "" : "::") + name;
      if (dwarf_dieoffset(&around) == wanted) return known->second = found;
      at = around;
    }
    return "";
  }

  // Calls `use` with each variable that is in scope at an instruction; without blocks, only with
  // those of the whole function.
  template <typename Use>
  void for_each_in_scope(uint64_t address, bool has_blocks, const Use& use) {
    DwarfUnit* unit = units.at(address);
    if (unit == nullptr) return;
    for (Dwarf_Die& scope : units.scopes_at(*unit, address)) {
      const int tag = dwarf_tag(&scope);
      if (tag == DW_TAG_inlined_subroutine || (tag != DW_TAG_subprogram && !has_blocks)) return;
      Dwarf_Die child;
      if (dwarf_child(&scope, &child) != 0) continue;
      do {
        if (!units.work().spend()) return;
        const int kind = dwarf_tag(&child);
        if (kind == DW_TAG_formal_parameter || kind == DW_TAG_variable) use(child);
      } while (next_sibling(&child));
    }
  }
};

// By the instructions: the variables in scope, some of which have a value.
struct FrameVariables::InScope {
  struct One {
    FrameVariable variable = {};
    bool has_value = false;
    bool is_same = true;  // at all instructions
  };
  std::map<std::pair<std::string, uint64_t>, One> all = {};  // by name and line

  void add(State& state, const FrameCode& code, const FramePlace& place, bool has_blocks,
           uint64_t frame, const Memory& memory, const CodeNames& names) {
    const bool is_resumed = place.address >= code.resume && place.address < code.resume_end;
    state.for_each_in_scope(place.address, has_blocks, [&](Dwarf_Die& die) {
      const std::string name = name_of(&die);
      Dwarf_Die type;
      if (all.size() == most_variables || is_reserved(name) || !type_of(&die, &type)) return;
      One& one = all[{name, number_of(&die, DW_AT_decl_line).value_or(0)}];
      const auto location = locate(&die, place, is_resumed, frame, memory);
      if (!location) return;
      const std::string value = text_of_location(type, *location, memory, names);
      if (value == unreadable_value) return;
      if (one.has_value) one.is_same = one.is_same && one.variable.value == value;
      one.has_value = true;
      one.variable = {escaped(name), escaped(name_of(&type)), value};
    });
  }
  bool has(const std::string& name) const {
    const auto at = all.lower_bound({name, 0});
    return at != all.end() && at->first.first == name;
  }
};

FrameVariables::FrameVariables(std::unique_ptr<State> state) : state_(std::move(state)) {}
FrameVariables::FrameVariables(FrameVariables&&) noexcept = default;
FrameVariables& FrameVariables::operator=(FrameVariables&&) noexcept = default;
FrameVariables::~FrameVariables() = default;

Result<FrameVariables> FrameVariables::read(std::span<const uint8_t> elf, const std::string& path,
                                            const DebugFilePlaces& places, Files& files) {
  Result<DwarfUnits> units = DwarfUnits::open(elf, path, places, &files, DwarfUse::Variables);
  if (!units) return units.error();
  return FrameVariables(std::make_unique<State>(std::move(*units)));
}

std::vector<FrameVariable> FrameVariables::of(const FrameCode& code, uint64_t frame,
                                              const Memory& memory, const CodeNames& code_names) {
  std::vector<FrameVariable> found;
  state_->units.work().resume();
  InScope in_scope;
  for (const FramePlace& place : code.suspended)
    in_scope.add(*state_, code, place, true, frame, memory, code_names);
  for (const FramePlace& place : code.begin)
    in_scope.add(*state_, code, place, code.has_one_place, frame, memory, code_names);
  std::set<std::string> names;
  for (const Member& member : state_->of(code.resume)) {
    if (!code.suspended.empty() && !in_scope.has(member.name)) continue;
    Dwarf_Die type = member.type;
    names.insert(member.name);
    found.push_back({.name = escaped(member.name),
                     .type = escaped(name_of(&type)),
                     .value = value_text(memory, member.type, frame + member.offset, code_names)});
  }
  for (auto& [key, one] : in_scope.all)
    if (one.has_value && one.is_same && names.count(key.first) == 0 &&
        found.size() < most_variables)
      found.push_back(std::move(one.variable));
  return found;
}

std::optional<uint64_t> FrameObject::word() const {
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof value; i++) {
    if (i >= bytes.size() || !bytes[i]) return {};
    value |= uint64_t{*bytes[i]} << 8 * i;
  }
  return value;
}

std::vector<FrameObject> FrameVariables::objects(const FrameCode& code, uint64_t frame,
                                                 const Memory& memory) {
  struct One {
    FrameObject object = {};
    bool is_same = true;
  };
  std::map<std::pair<std::string, uint32_t>, One> all;  // by name and line
  state_->units.work().resume();
  const std::vector<Member>& members = state_->of(code.resume);
  const auto member_address = [&](const std::string& name) -> std::optional<uint64_t> {
    std::optional<uint64_t> found;
    for (const Member& member : members) {
      if (member.name != name) continue;
      if (found) return {};
      found = frame + member.offset;
    }
    return found;
  };
  for (const FramePlace& place : code.suspended) {
    const bool is_resumed = place.address >= code.resume && place.address < code.resume_end;
    state_->for_each_in_scope(place.address, true, [&](Dwarf_Die& die) {
      const std::string name = name_of(&die);
      Dwarf_Die type;
      if (all.size() == most_variables || is_reserved(name) || !type_of(&die, &type)) return;
      type = plain_type(type);
      const bool is_pointer = is_reference(dwarf_tag(&type));
      if (is_pointer && type_of(&type, &type)) type = plain_type(type);
      const int tag = dwarf_tag(&type);
      if (tag != DW_TAG_class_type && tag != DW_TAG_structure_type) return;
      const auto line = static_cast<uint32_t>(number_of(&die, DW_AT_decl_line).value_or(0));
      One& one = all[{name, line}];
      const auto location = locate(&die, place, is_resumed, frame, memory);
      std::vector<std::optional<uint8_t>> bytes;
      auto address = location ? location->address : member_address(name);
      const bool is_elsewhere = !location && !address;
      if (is_elsewhere && is_resumed) address = locate_elsewhere(&die, place, frame);
      if (address)
        bytes = bytes_at(*address, memory);
      else if (location)
        bytes = location->bytes;
      if (bytes.empty()) return;
      one.is_same = one.object.bytes.empty() || (one.is_same && one.object.bytes == bytes);
      one.object = {.type = state_->qualified_name(type),
                    .is_pointer = is_pointer,
                    .is_elsewhere = is_elsewhere,
                    .line = line,
                    .bytes = std::move(bytes)};
    });
  }
  std::vector<FrameObject> found;
  for (const auto& [key, one] : all)
    if (one.is_same && !one.object.type.empty()) found.push_back(one.object);
  return found;
}

}  // namespace skein
