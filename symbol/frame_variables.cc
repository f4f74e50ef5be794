#include "symbol/frame_variables.h"

#include <dwarf.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/escape.h"
#include "symbol/dwarf_attributes.h"
#include "symbol/dwarf_units.h"

namespace skein {

namespace {

constexpr size_t most_variables = 100;
constexpr size_t longest_value = 200;

struct Member {
  std::string name = {};
  uint64_t offset = 0;
  Dwarf_Die type = {};
};

bool is_qualifier(int tag) {
  return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
         tag == DW_TAG_atomic_type;
}

// Without typedefs, const and volatile.
Dwarf_Die plain_type(Dwarf_Die type) {
  constexpr int deepest = 20;
  for (int i = 0; i < deepest && is_qualifier(dwarf_tag(&type)); i++)
    if (Dwarf_Die next; type_of(&type, &next))
      type = next;
    else
      break;
  return type;
}

// "text" of "text_1_2": g++ adds the depth and the number of the scope to a local variable.
std::string_view without_scope(std::string_view name) {
  std::string_view left = name;
  for (int i = 0; i < 2; i++) {
    const size_t line = left.rfind('_');
    if (line == std::string_view::npos || line == 0 || line + 1 == left.size()) return name;
    for (const char c : left.substr(line + 1))
      if (std::isdigit(static_cast<unsigned char>(c)) == 0) return name;
    left = left.substr(0, line);
  }
  return left;
}

// What the compilers add: awaiters, temporary objects, and what clang has no name for.
bool is_of_compiler(std::string_view name) {
  for (const char* prefix : {"_Coro_", "__", "struct_", "class_", "union_", "enum_", "PointerType",
                             "Aw", "D.", "Fs_", "Is_", "Tm", "T_"})
    if (name.starts_with(prefix)) return true;
  return name.empty();
}

// Names that a program may not use.
bool is_reserved(std::string_view name) { return name.empty() || name.starts_with("__"); }

// The value of a variable as text.
class ValueText {
 public:
  static constexpr const char* unreadable = "?";

  explicit ValueText(const FrameVariables::Memory& memory) : memory_(memory) {}

  std::string of(Dwarf_Die type, uint64_t address) {
    left_ = 64;
    std::string text = value(type, address, 0);
    if (text.size() > longest_value) text = text.substr(0, longest_value - 2) + "..";
    return text;
  }

 private:
  template <typename Number>
  std::optional<Number> read(uint64_t address) const {
    Number number = {};
    uint8_t bytes[sizeof(Number)];
    if (memory_(address, bytes) != sizeof bytes) return {};
    std::memcpy(&number, bytes, sizeof bytes);
    return number;
  }

  std::optional<uint64_t> read_sized(uint64_t address, uint64_t size) const {
    switch (size) {
      case 1:
        return read<uint8_t>(address);
      case 2:
        return read<uint16_t>(address);
      case 4:
        return read<uint32_t>(address);
      case 8:
        return read<uint64_t>(address);
      default:
        return {};
    }
  }

  static std::string hexadecimal(uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
  }

  // Up to a NUL; `most` bytes.
  std::string quoted(uint64_t address, uint64_t most, bool ends_at_nul) const {
    constexpr uint64_t shown = 60;
    std::vector<uint8_t> bytes(std::min(most, shown));
    bytes.resize(memory_(address, bytes));
    std::string text(bytes.begin(), bytes.end());
    const size_t end = ends_at_nul ? text.find('\0') : std::string::npos;
    const bool is_cut = end == std::string::npos && most > shown;
    if (end != std::string::npos) text.resize(end);
    return '"' + escaped(text) + '"' + (is_cut ? ".." : "");
  }

  static bool is_char(Dwarf_Die* type) {
    const auto encoding = number_of(type, DW_AT_encoding);
    return dwarf_tag(type) == DW_TAG_base_type && dwarf_bytesize(type) == 1 &&
           (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char);
  }

  std::string value(Dwarf_Die of, uint64_t address, int depth) {
    Dwarf_Die type = plain_type(of);
    if (left_ == 0) return "..";
    left_--;
    switch (dwarf_tag(&type)) {
      case DW_TAG_base_type:
        return base(&type, address);
      case DW_TAG_enumeration_type:
        return enumerator(&type, address);
      case DW_TAG_pointer_type:
        return pointer(&type, address);
      case DW_TAG_reference_type:
      case DW_TAG_rvalue_reference_type:
        return reference(&type, address, depth);
      case DW_TAG_array_type:
        return array(&type, address, depth);
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
        return object(&type, address, depth);
      default:
        return unreadable;
    }
  }

  std::string base(Dwarf_Die* type, uint64_t address) const {
    const int size = dwarf_bytesize(type);
    const uint64_t encoding = number_of(type, DW_AT_encoding).value_or(0);
    if (encoding == DW_ATE_float) {
      char text[40] = "?";
      const auto number = size == 8   ? read<double>(address)
                          : size == 4 ? std::optional<double>(read<float>(address).value_or(0))
                                      : std::nullopt;
      if (number) std::snprintf(text, sizeof text, "%g", *number);
      return text;
    }
    const auto number = size <= 0 ? std::nullopt : read_sized(address, static_cast<uint64_t>(size));
    if (!number) return unreadable;
    if (encoding == DW_ATE_boolean) return *number == 0 ? "false" : *number == 1 ? "true" : "?";
    if (is_char(type) && *number >= 32 && *number < 127)
      return std::string("'") + static_cast<char>(*number) + "'";
    if (encoding != DW_ATE_signed && encoding != DW_ATE_signed_char) return std::to_string(*number);
    const int shift = 64 - 8 * size;
    return std::to_string(static_cast<int64_t>(*number << shift) >> shift);
  }

  std::string enumerator(Dwarf_Die* type, uint64_t address) const {
    const int size = dwarf_bytesize(type);
    const auto number = size <= 0 ? std::nullopt : read_sized(address, static_cast<uint64_t>(size));
    if (!number) return unreadable;
    Dwarf_Die child;
    constexpr int most = 10'000;
    int count = 0;
    if (dwarf_child(type, &child) == 0) {
      do {
        if (number_of(&child, DW_AT_const_value) == *number) return escaped(name_of(&child));
      } while (++count < most && dwarf_siblingof(&child, &child) == 0);
    }
    return std::to_string(*number);
  }

  std::string pointer(Dwarf_Die* type, uint64_t address) const {
    const auto target = read<uint64_t>(address);
    if (!target) return unreadable;
    if (*target == 0) return "nullptr";
    Dwarf_Die pointee;
    if (type_of(type, &pointee)) {
      pointee = plain_type(pointee);
      uint8_t first = 0;
      if (is_char(&pointee) && memory_(*target, {&first, 1}) == 1)
        return quoted(*target, 1 << 20, true);
    }
    return hexadecimal(*target);
  }

  std::string reference(Dwarf_Die* type, uint64_t address, int depth) {
    const auto target = read<uint64_t>(address);
    if (!target || *target == 0) return unreadable;
    Dwarf_Die referred;
    std::string text = "@" + hexadecimal(*target);
    if (depth < 2 && type_of(type, &referred)) text += ' ' + value(referred, *target, depth + 1);
    return text;
  }

  std::string array(Dwarf_Die* type, uint64_t address, int depth) {
    Dwarf_Die element;
    Dwarf_Die range;
    if (!type_of(type, &element) || dwarf_child(type, &range) != 0) return unreadable;
    const auto last = number_of(&range, DW_AT_upper_bound);
    const auto counted = number_of(&range, DW_AT_count);
    const uint64_t count = counted ? *counted : last ? *last + 1 : 0;
    Dwarf_Die plain = plain_type(element);
    if (is_char(&plain)) return quoted(address, count, true);
    Dwarf_Word size = 0;
    if (dwarf_aggregate_size(&plain, &size) != 0 || size == 0) return unreadable;
    constexpr uint64_t shown = 8;
    std::string text = "{";
    for (uint64_t i = 0; i < std::min(count, shown) && left_ != 0; i++)
      text += (i == 0 ? "" : ", ") + value(element, address + i * size, depth + 1);
    return text + (count > shown ? ", ..}" : "}");
  }

  // std::string of libstdc++: the address of its characters, and their number.
  std::string string(uint64_t address) const {
    const auto begin = read<uint64_t>(address);
    const auto size = read<uint64_t>(address + 8);
    constexpr uint64_t most = uint64_t{1} << 40;
    if (!begin || !size || *size > most) return unreadable;
    return quoted(*begin, *size, false);
  }

  std::string object(Dwarf_Die* type, uint64_t address, int depth) {
    constexpr int deepest = 2;
    constexpr int most = 8;
    const std::string name = name_of(type);
    if (name.starts_with("basic_string<char,")) return string(address);
    if (depth == deepest) return "{..}";
    std::string text = "{";
    int count = 0;
    Dwarf_Die child;
    if (dwarf_child(type, &child) == 0) {
      do {
        const int tag = dwarf_tag(&child);
        if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
        const auto offset = number_of(&child, DW_AT_data_member_location);
        Dwarf_Die member;
        if (!offset || !type_of(&child, &member)) continue;  // a static one
        if (++count > most || left_ == 0) {
          text += ", ..";
          break;
        }
        if (count > 1) text += ", ";
        if (tag == DW_TAG_member) text += escaped(name_of(&child)) + " = ";
        text += value(member, address + *offset, depth + 1);
      } while (dwarf_siblingof(&child, &child) == 0);
    }
    return text + '}';
  }

  const FrameVariables::Memory& memory_;
  int left_ = 0;  // values
};

// What has no address gets one that no process has.
std::string text_of_location(Dwarf_Die type, const FrameLocation& location,
                             const FrameVariables::Memory& memory) {
  if (location.address) return ValueText(memory).of(type, *location.address);
  constexpr uint64_t begin = uint64_t{1} << 63;
  const auto& bytes = location.bytes;
  const FrameVariables::Memory both = [&](uint64_t address, std::span<uint8_t> to) -> size_t {
    if (address < begin || address - begin >= bytes.size()) return memory(address, to);
    size_t read = 0;
    for (uint64_t at = address - begin; at < bytes.size() && read < to.size() && bytes[at]; at++)
      to[read++] = *bytes[at];
    return read;
  };
  return ValueText(both).of(type, begin);
}

}  // namespace

struct FrameVariables::State {
  DwarfUnits units;
  std::unordered_map<uint64_t, std::vector<Member>> members = {};  // by function

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
      Member member{.name = std::string(without_scope(name)), .offset = *offset};
      if (type_of(&child, &member.type)) to.push_back(std::move(member));
    } while (next_sibling(&child));
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
           uint64_t frame, const Memory& memory) {
    const bool is_resumed = place.address >= code.resume && place.address < code.resume_end;
    state.for_each_in_scope(place.address, has_blocks, [&](Dwarf_Die& die) {
      const std::string name = name_of(&die);
      Dwarf_Die type;
      if (all.size() == most_variables || is_reserved(name) || !type_of(&die, &type)) return;
      One& one = all[{name, number_of(&die, DW_AT_decl_line).value_or(0)}];
      const auto location = locate(&die, place, is_resumed, frame, memory);
      if (!location) return;
      const std::string value = text_of_location(type, *location, memory);
      if (value == ValueText::unreadable) return;
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
                                              const Memory& memory) {
  std::vector<FrameVariable> found;
  state_->units.work().resume();
  InScope in_scope;
  for (const FramePlace& place : code.suspended)
    in_scope.add(*state_, code, place, true, frame, memory);
  for (const FramePlace& place : code.begin)
    in_scope.add(*state_, code, place, code.has_one_place, frame, memory);
  std::set<std::string> names;
  for (const Member& member : state_->of(code.resume)) {
    if (!code.suspended.empty() && !in_scope.has(member.name)) continue;
    Dwarf_Die type = member.type;
    names.insert(member.name);
    found.push_back({.name = escaped(member.name),
                     .type = escaped(name_of(&type)),
                     .value = ValueText(memory).of(member.type, frame + member.offset)});
  }
  for (auto& [key, one] : in_scope.all)
    if (one.has_value && one.is_same && names.count(key.first) == 0 &&
        found.size() < most_variables)
      found.push_back(std::move(one.variable));
  return found;
}

}  // namespace skein
