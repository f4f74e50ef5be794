#include "symbol/frame_layout.h"

#include <dwarf.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "symbol/dwarf_attributes.h"
#include "symbol/dwarf_file.h"
#include "symbol/dwarf_work.h"
#include "symbol/elf_sections.h"

namespace skein {

namespace {

constexpr size_t most_members = 200;
constexpr size_t most_pointers = 32;
constexpr int deepest = 20;

bool is_class(int tag) {
  return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

bool is_pointer(int tag) {
  return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
         tag == DW_TAG_rvalue_reference_type;
}

// Without typedefs and qualifiers.
Dwarf_Die bare_type(Dwarf_Die type) {
  for (int i = 0; i < deepest; i++) {
    const int tag = dwarf_tag(&type);
    const bool is_alias = tag == DW_TAG_typedef || tag == DW_TAG_const_type ||
                          tag == DW_TAG_volatile_type || tag == DW_TAG_atomic_type;
    Dwarf_Die next;
    if (!is_alias || !type_of(&type, &next)) break;
    type = next;
  }
  return type;
}

bool is_awaiter_of_gcc(std::string_view name) {
  return name.size() > 2 && name.starts_with("Aw") &&
         std::isdigit(static_cast<unsigned char>(name[2])) != 0;
}

// By the name of a std::chrono::time_point in ns, as those of the clocks of libstdc++ are.
std::optional<TimePoint> time_point_of(std::string_view name, uint64_t offset) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (!name.starts_with("time_point<") || !has("ratio<1, 1000000000")) return {};
  const bool is_steady = has("chrono::_V2::steady_clock");
  if (!is_steady && !has("chrono::_V2::system_clock")) return {};
  return TimePoint{.offset = offset, .is_steady = is_steady};
}

// A variable of the function, in the order of the source.
struct Variable {
  uint32_t scope = 0;
  uint32_t line = 0;
};

// What a compilation unit has.
struct Unit {
  std::unordered_map<Dwarf_Off, std::string> classes = {};  // qualified names
  std::multimap<std::string, Dwarf_Off> awaiters = {};
  // Those of `classes` by name, whose strings these are; empty until they are looked for.
  std::unordered_map<std::string_view, std::vector<Dwarf_Off>> by_name = {};
};

}  // namespace

std::string_view name_in_source(std::string_view name) {
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

bool is_name_of_owner(std::string_view member) {
  std::string name(member);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (name.find("last") != std::string::npos || name.find("prev") != std::string::npos ||
      name.find("next") != std::string::npos)
    return false;
  return name.find("owner") != std::string::npos || name.find("holder") != std::string::npos;
}

std::string without_template_arguments(std::string_view name) {
  std::string out;
  int depth = 0;
  for (const char c : name) {
    if (c == '<') depth++;
    if (depth == 0) out += c;
    if (c == '>' && depth > 0) depth--;
  }
  return out;
}

bool FrameLayout::contains(uint32_t outer, uint32_t inner) const {
  for (size_t i = 0; i <= scopes.size() && inner < scopes.size(); i++) {
    if (inner == outer) return true;
    if (inner == 0) break;
    inner = scopes[inner];
  }
  return false;
}

struct FrameLayouts::State {
  DwarfFile file = {};
  DwarfWork work{1};
  std::unordered_map<Dwarf_Off, Unit> units = {};  // by offset
  static constexpr Dwarf_Off no_unit = ~Dwarf_Off{0};
  std::unordered_map<uint64_t, Dwarf_Off> unit_of = {};  // by function
  std::unordered_map<uint64_t, FrameLayout> layouts = {};
  using Types = std::map<std::pair<uint64_t, std::string>, std::vector<ObjectType>>;
  Types types = {};    // awaiters
  Types classes = {};  // of any kind
  // Answers: function, class, offset, whether it is a promise; function and two classes.
  std::map<std::tuple<uint64_t, std::string, uint64_t, bool>, bool> handles = {};
  std::map<std::tuple<uint64_t, std::string, std::string>, bool> beginnings = {};

  // The unit whose source has the function. With g++ -flto it has no code: that is in a unit of the
  // linker's, with references to this one.
  bool find_unit(uint64_t function, Dwarf_Die* found) {
    const auto [at, is_new] = unit_of.try_emplace(function, no_unit);
    if (!is_new) return at->second != no_unit && dwarf_offdie(file.dwarf.get(), at->second, found);
    Dwarf_Die code;
    if (!find_unit_of_code(function, found)) return false;
    if (find_function(found, function, &code) && follow_origin(&code))
      dwarf_diecu(&code, found, nullptr, nullptr);
    at->second = dwarf_dieoffset(found);
    return true;
  }

  // From a function to what it is an instance of, where g++ describes it before it has optimised.
  static bool follow_origin(Dwarf_Die* function) {
    Dwarf_Attribute attribute;
    Dwarf_Die origin;
    if (dwarf_attr(function, DW_AT_abstract_origin, &attribute) == nullptr ||
        dwarf_formref_die(&attribute, &origin) == nullptr)
      return false;
    *function = origin;
    return true;
  }

  // The unit that has the code at this address.
  bool find_unit_of_code(uint64_t function, Dwarf_Die* found) {
    Dwarf_CU* unit = nullptr;
    while (dwarf_get_units(file.dwarf.get(), unit, &unit, nullptr, nullptr, found, nullptr) == 0) {
      if (!work.spend()) return false;
      if (dwarf_haspc(found, function) > 0) return true;
    }
    return false;
  }

  Unit& read_unit(Dwarf_Die* die) {
    const auto [at, is_new] = units.try_emplace(dwarf_dieoffset(die));
    if (is_new) add_classes(die, "", 0, at->second);
    return at->second;
  }

  void add_classes(Dwarf_Die* scope, const std::string& prefix, int depth, Unit& unit) {
    Dwarf_Die child;
    if (depth == deepest || dwarf_child(scope, &child) != 0) return;
    do {
      if (!work.spend()) return;
      const int tag = dwarf_tag(&child);
      if (tag == DW_TAG_namespace || tag == DW_TAG_lexical_block) {
        const std::string name = name_of(&child);
        add_classes(&child, name.empty() ? prefix : prefix + name + "::", depth + 1, unit);
      } else if (is_class(tag)) {
        const std::string name = prefix + without_template_arguments(name_of(&child));
        unit.classes.emplace(dwarf_dieoffset(&child), name);
        add_classes(&child, name + "::", depth + 1, unit);
      } else if (tag == DW_TAG_subprogram) {
        add_function(&child, scope, prefix, depth, unit);
      }
    } while (next_sibling(&child));
  }

  // A member await_suspend(), or a function that has classes: its name is where it is declared.
  void add_function(Dwarf_Die* function, Dwarf_Die* scope, const std::string& prefix, int depth,
                    Unit& unit) {
    const std::string name = without_template_arguments(name_of(function));
    if (name == "await_suspend" && is_class(dwarf_tag(scope)))
      unit.awaiters.emplace(prefix.substr(0, prefix.size() - 2), dwarf_dieoffset(scope));
    if (dwarf_haschildren(function) <= 0) return;
    std::string qualified = prefix + name;
    Dwarf_Attribute attribute;
    Dwarf_Die declared;
    if (dwarf_attr(function, DW_AT_specification, &attribute) != nullptr &&
        dwarf_formref_die(&attribute, &declared) != nullptr)
      if (const auto at = unit.classes.find(dwarf_dieoffset(&declared)); at != unit.classes.end())
        qualified = at->second;
    unit.classes.emplace(dwarf_dieoffset(function), qualified);
    add_classes(function, qualified + "::", depth + 1, unit);
  }

  std::string class_name(Dwarf_Die type, const Unit& unit) {
    type = bare_type(type);
    if (!is_class(dwarf_tag(&type))) return "";
    if (const auto at = unit.classes.find(dwarf_dieoffset(&type)); at != unit.classes.end())
      return at->second;
    // g++ -flto refers to a type of another unit instead of describing it again.
    Dwarf_Die other;
    if (dwarf_diecu(&type, &other, nullptr, nullptr) != nullptr) {
      const Unit& around = read_unit(&other);
      if (const auto at = around.classes.find(dwarf_dieoffset(&type)); at != around.classes.end())
        return at->second;
    }
    return without_template_arguments(name_of(&type));
  }

  // And base classes; those of members count as well, which no name is mistaken for.
  void add_pointers(Dwarf_Die type, uint64_t offset, int depth, const Unit& unit, ObjectType& to) {
    type = bare_type(type);
    const int tag = dwarf_tag(&type);
    if (is_pointer(tag)) {
      Dwarf_Die pointee;
      if (to.pointers.size() < most_pointers)
        to.pointers.push_back(
            {offset, type_of(&type, &pointee) ? class_name(pointee, unit) : ""});
      return;
    }
    if (!is_class(tag) || depth == deepest) return;
    if (name_of(&type).starts_with("coroutine_handle<")) {
      if (!to.handle) to.handle = offset;
      return;
    }
    if (const auto time = time_point_of(name_of(&type), offset)) {
      if (to.time_points.size() < most_pointers) to.time_points.push_back(*time);
      return;
    }
    Dwarf_Die child;
    if (dwarf_child(&type, &child) != 0) return;
    do {
      if (!work.spend() || to.pointers.size() == most_pointers) return;
      const int kind = dwarf_tag(&child);
      const uint64_t at = number_of(&child, DW_AT_data_member_location).value_or(UINT64_MAX);
      Dwarf_Die member;
      if ((kind != DW_TAG_member && kind != DW_TAG_inheritance) || at >= (1U << 20) ||
          !type_of(&child, &member))
        continue;
      if (kind == DW_TAG_inheritance) to.bases.push_back(class_name(member, unit));
      add_pointers(member, offset + at, depth + 1, unit, to);
    } while (next_sibling(&child));
  }

  // The handles and pointers of a class that are named like an owner.
  void add_owners(Dwarf_Die type, uint64_t offset, int depth, std::vector<uint64_t>& to) {
    type = bare_type(type);
    Dwarf_Die child;
    if (!is_class(dwarf_tag(&type)) || depth == deepest || dwarf_child(&type, &child) != 0) return;
    do {
      if (!work.spend() || to.size() > 1) return;
      const int kind = dwarf_tag(&child);
      const uint64_t at = number_of(&child, DW_AT_data_member_location).value_or(UINT64_MAX);
      Dwarf_Die member;
      if ((kind != DW_TAG_member && kind != DW_TAG_inheritance) || at >= (1U << 20) ||
          !type_of(&child, &member))
        continue;
      if (kind == DW_TAG_inheritance) add_owners(member, offset + at, depth + 1, to);
      if (kind != DW_TAG_member || !is_name_of_owner(name_of(&child))) continue;
      member = bare_type(member);
      const std::string name = name_of(&member);
      if (is_pointer(dwarf_tag(&member)) || name.starts_with("coroutine_handle<") ||
          name.starts_with("atomic<"))
        to.push_back(offset + at);
    } while (next_sibling(&child));
  }

  // The same for an object of any type. Nothing: it has no member there that is described.
  std::optional<bool> has_handle(Dwarf_Die type, uint64_t offset, bool is_promise, int depth) {
    type = bare_type(type);
    const int tag = dwarf_tag(&type);
    const int size = dwarf_bytesize(&type);
    if (size <= 0 || depth == deepest || !work.spend()) return {};
    if (offset >= static_cast<uint64_t>(size)) return false;
    Dwarf_Die member;
    if (tag == DW_TAG_pointer_type)
      return offset == 0 && (is_promise || !type_of(&type, &member));
    if (tag == DW_TAG_base_type) return offset == 0 && size == 8;
    Dwarf_Die child;
    std::optional<bool> found;
    if (!is_class(tag) || dwarf_child(&type, &child) != 0) return found;
    do {
      const int kind = dwarf_tag(&child);
      const uint64_t at = number_of(&child, DW_AT_data_member_location)
                              .value_or(tag == DW_TAG_union_type ? 0 : UINT64_MAX);
      if ((kind != DW_TAG_member && kind != DW_TAG_inheritance) || at > offset ||
          !type_of(&child, &member))
        continue;
      member = bare_type(member);
      const int bytes = dwarf_bytesize(&member);
      if (bytes > 0 && offset - at >= static_cast<uint64_t>(bytes)) continue;
      if (const auto one = has_handle(member, offset - at, is_promise, depth + 1))
        found = found.value_or(false) || *one;
    } while (next_sibling(&child));
    return found;
  }

  // Whether objects of it may be of a derived class, of which nothing is known. g++ names the address
  // of virtual functions _vptr.Base, and clang _vptr$Base.
  bool is_polymorphic(Dwarf_Die type, int depth = 0) {
    type = bare_type(type);
    Dwarf_Die child;
    if (!is_class(dwarf_tag(&type)) || depth == deepest || dwarf_child(&type, &child) != 0)
      return false;
    do {
      const int kind = dwarf_tag(&child);
      Dwarf_Die base;
      if (!work.spend()) return true;
      if (kind == DW_TAG_member && name_of(&child).starts_with("_vptr")) return true;
      if (kind == DW_TAG_inheritance && type_of(&child, &base) && is_polymorphic(base, depth + 1))
        return true;
    } while (next_sibling(&child));
    return false;
  }

  bool begins_with(Dwarf_Die type, uint64_t function, const std::string& inner, int depth) {
    type = bare_type(type);
    Dwarf_Die unit;
    Dwarf_Die child;
    if (!is_class(dwarf_tag(&type)) || depth == deepest || !find_unit(function, &unit)) return false;
    if (class_name(type, read_unit(&unit)) == inner) return true;
    if (dwarf_child(&type, &child) != 0) return false;
    do {
      const int kind = dwarf_tag(&child);
      Dwarf_Die member;
      if ((kind == DW_TAG_member || kind == DW_TAG_inheritance) && work.spend() &&
          number_of(&child, DW_AT_data_member_location).value_or(0) == 0 &&
          type_of(&child, &member) && begins_with(member, function, inner, depth + 1))
        return true;
    } while (next_sibling(&child));
    return false;
  }

  // The definitions of this name in the unit that has the code at the address.
  std::vector<Dwarf_Die> classes_of(uint64_t function, const std::string& class_name) {
    std::vector<Dwarf_Die> found;
    work.resume();
    Dwarf_Die unit;
    if (!find_unit(function, &unit)) return found;
    Unit& of_unit = read_unit(&unit);
    if (of_unit.by_name.empty())
      for (const auto& [offset, name] : of_unit.classes) of_unit.by_name[name].push_back(offset);
    const auto same = of_unit.by_name.find(class_name);
    if (same == of_unit.by_name.end()) return found;
    for (const Dwarf_Off offset : same->second) {
      Dwarf_Die type;
      if (dwarf_offdie(file.dwarf.get(), offset, &type) != nullptr && is_class(dwarf_tag(&type)) &&
          dwarf_hasattr(&type, DW_AT_declaration) == 0)
        found.push_back(type);
    }
    return found;
  }

  // The first member function that `accepts`, by its name.
  template <typename Accepts>
  bool find_member_function(Dwarf_Die type, const Accepts& accepts, Dwarf_Die* found) {
    type = bare_type(type);
    if (!is_class(dwarf_tag(&type)) || dwarf_child(&type, found) != 0) return false;
    do {
      if (!work.spend()) return false;
      if (dwarf_tag(found) == DW_TAG_subprogram && accepts(name_of(found))) return true;
    } while (next_sibling(found));
    return false;
  }

  bool has_destructor(Dwarf_Die type) {
    Dwarf_Die found;
    const auto accepts = [](const std::string& name) { return name.starts_with('~'); };
    return find_member_function(type, accepts, &found) &&
           dwarf_hasattr(&found, DW_AT_artificial) == 0 &&
           dwarf_hasattr(&found, DW_AT_defaulted) == 0;
  }

  // Of a promise: whether frames are freed by the program, by a function that it may have
  // inherited.
  bool has_operator_delete(Dwarf_Die promise, int depth = 0) {
    Dwarf_Die child;
    Dwarf_Die type;
    const auto accepts = [](const std::string& name) { return name == "operator delete"; };
    if (find_member_function(promise, accepts, &child)) return true;
    promise = bare_type(promise);
    if (!is_class(dwarf_tag(&promise)) || depth == deepest || dwarf_child(&promise, &child) != 0)
      return false;
    do {
      if (!work.spend()) return false;
      if (dwarf_tag(&child) == DW_TAG_inheritance && type_of(&child, &type) &&
          has_operator_delete(type, depth + 1))
        return true;
    } while (next_sibling(&child));
    return false;
  }

  // Of a promise: what get_return_object() returns, which it may have inherited.
  std::string returned_class(Dwarf_Die promise, const Unit& unit, int depth = 0) {
    Dwarf_Die child;
    Dwarf_Die type;
    const auto accepts = [](const std::string& name) { return name == "get_return_object"; };
    if (find_member_function(promise, accepts, &child))
      return type_of(&child, &type) ? class_name(type, unit) : "";
    promise = bare_type(promise);
    if (!is_class(dwarf_tag(&promise)) || depth == deepest || dwarf_child(&promise, &child) != 0)
      return "";
    do {
      if (!work.spend()) return "";
      if (dwarf_tag(&child) != DW_TAG_inheritance || !type_of(&child, &type)) continue;
      if (std::string found = returned_class(type, unit, depth + 1); !found.empty()) return found;
    } while (next_sibling(&child));
    return "";
  }

  ObjectType object_type(Dwarf_Die die, const Unit& unit) {
    Dwarf_Die type = bare_type(die);
    ObjectType found;
    if (is_pointer(dwarf_tag(&type))) {
      Dwarf_Die pointee;
      if (type_of(&type, &pointee)) found.name = class_name(pointee, unit);
      found.size = 8;
    } else {
      found.name = class_name(type, unit);
      const std::string full = name_of(&type);
      found.arguments = full.substr(std::min(full.find('<'), full.size()));
      const int size = dwarf_bytesize(&type);
      found.size = size > 0 ? static_cast<uint64_t>(size) : 0;
      found.has_destructor = has_destructor(type);
      Dwarf_Die resume;
      Dwarf_Die result;
      const auto is_resume = [](const std::string& name) { return name == "await_resume"; };
      if (find_member_function(type, is_resume, &resume) && type_of(&resume, &result))
        found.resumes_to = class_name(result, unit);
    }
    add_pointers(type, 0, 0, unit, found);
    return found;
  }

  // From an awaiter of skein's hooks to the one that the program has written, which is in it, and
  // adds where: record/include/skein/coroutine/awaiting.h. Any other type stays.
  void enter_hook(Dwarf_Die* type, uint64_t* offset, const Unit& unit) {
    const auto is_of_hooks = [&](Dwarf_Die of, std::string_view name) {
      const std::string full = class_name(of, unit);
      return full.starts_with("skein::__detail::") && full.ends_with(name);
    };
    constexpr std::string_view hook = "::__traced_awaiter_for::__type";
    for (int i = 0; i < deepest; i++) {
      Dwarf_Die bare = bare_type(*type);
      const bool is_kept = is_of_hooks(bare, "::__kept_awaiter_for::__type");
      if (!is_kept && !is_of_hooks(bare, hook) && !is_of_hooks(bare, "::__held")) return;
      Dwarf_Die child;
      if (dwarf_child(&bare, &child) != 0) return;
      // The inner awaiter, or else the object that is its own awaiter.
      bool is_found = false;
      Dwarf_Die member;
      uint64_t at = 0;
      do {
        const int kind = dwarf_tag(&child);
        const std::string own = kind == DW_TAG_member ? name_of(&child) : "";
        Dwarf_Die found;
        if (!work.spend()) return;
        if (is_kept ? kind != DW_TAG_inheritance : own != "__inner" && own != "__object") continue;
        if (!type_of(&child, &found) || (is_kept && !is_of_hooks(found, hook))) continue;
        is_found = true;
        member = found;
        at = number_of(&child, DW_AT_data_member_location).value_or(0);
        if (own == "__inner") break;
      } while (next_sibling(&child));
      if (!is_found || at >= (1U << 20)) return;
      *type = member;
      *offset += at;
    }
  }

  // Those of g++'s lambdas are inside of the function around them.
  bool find_function(Dwarf_Die* unit, uint64_t address, Dwarf_Die* found) {
    return find_function(unit, address, false, 0, found) ||
           find_function(unit, address, true, 0, found);
  }

  bool find_function(Dwarf_Die* scope, uint64_t address, bool in_functions, int depth,
                     Dwarf_Die* found) {
    Dwarf_Die child;
    if (depth == deepest || dwarf_child(scope, &child) != 0) return false;
    do {
      if (!work.spend()) return false;
      const int tag = dwarf_tag(&child);
      if (tag == DW_TAG_subprogram && dwarf_haspc(&child, address) > 0) {
        *found = child;
        return true;
      }
      const bool is_around =
          tag == DW_TAG_namespace || is_class(tag) ||
          (in_functions && (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block));
      if (is_around && find_function(&child, address, in_functions, depth + 1, found)) return true;
    } while (next_sibling(&child));
    return false;
  }

  // g++'s parameter frame_ptr, of the function or of what it is an instance of.
  bool find_frame(Dwarf_Die* function, Dwarf_Die* frame) {
    Dwarf_Die child;
    if (dwarf_child(function, &child) != 0) return false;
    do {
      if (!work.spend()) return false;
      Dwarf_Die type;
      if (dwarf_tag(&child) != DW_TAG_formal_parameter || name_of(&child) != "frame_ptr" ||
          !type_of(&child, &type))
        continue;
      type = bare_type(type);
      return is_pointer(dwarf_tag(&type)) && type_of(&type, frame);
    } while (next_sibling(&child));
    return false;
  }

  // The type of the variable with this name, of the function or of a block in it.
  bool find_variable(Dwarf_Die block, std::string_view name, int depth, Dwarf_Die* type) {
    Dwarf_Die child;
    if (depth == deepest || dwarf_child(&block, &child) != 0) return false;
    do {
      if (!work.spend()) return false;
      const int tag = dwarf_tag(&child);
      if (tag == DW_TAG_variable && name_of(&child) == name && type_of(&child, type)) return true;
      if (tag == DW_TAG_lexical_block && find_variable(child, name, depth + 1, type)) return true;
    } while (next_sibling(&child));
    return false;
  }

  // With skein's hooks, the promise is a class around that of the program: their first argument.
  void read_promise(Dwarf_Die type, const Unit& unit, FrameLayout& to) {
    to.promise = object_type(type, unit);
    to.has_allocator = has_operator_delete(type);
    Dwarf_Die own = bare_type(type);
    Dwarf_Die child;
    const std::string hook = "::__traced";
    const bool is_hook =
        to.promise->name.starts_with("skein::__detail::") && to.promise->name.ends_with(hook);
    if (is_hook && dwarf_child(&own, &child) == 0) {
      do {
        Dwarf_Die argument;
        if (dwarf_tag(&child) != DW_TAG_template_type_parameter || !type_of(&child, &argument))
          continue;
        to.promise->bases.push_back(std::exchange(to.promise->name, class_name(argument, unit)));
        to.has_allocator = to.has_allocator || has_operator_delete(argument);
        type = argument;
        break;
      } while (next_sibling(&child));
    }
    to.returned = returned_class(type, unit);
  }

  void read_variables_of_clang(Dwarf_Die function, const Unit& unit, FrameLayout& to) {
    Dwarf_Die type;
    if (find_variable(function, "__promise", 0, &type)) read_promise(type, unit, to);
    if (find_variable(function, "__coro_frame", 0, &type)) to.size = size_of_class(type);
  }

  uint64_t size_of_class(Dwarf_Die type) {
    type = bare_type(type);
    return is_class(dwarf_tag(&type)) ? number_of(&type, DW_AT_byte_size).value_or(0) : 0;
  }

  void add_variables(Dwarf_Die* block, uint32_t scope, int depth, FrameLayout& to,
                     std::map<std::string, std::vector<Variable>, std::less<>>& variables) {
    constexpr size_t most_scopes = 10'000;
    Dwarf_Die child;
    if (depth == deepest || dwarf_child(block, &child) != 0) return;
    do {
      if (!work.spend() || to.scopes.size() == most_scopes) return;
      const int tag = dwarf_tag(&child);
      if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
        variables[name_of(&child)].push_back(
            {scope, static_cast<uint32_t>(number_of(&child, DW_AT_decl_line).value_or(0))});
      if (tag != DW_TAG_lexical_block) continue;
      to.scopes.push_back(scope);
      add_variables(&child, static_cast<uint32_t>(to.scopes.size() - 1), depth + 1, to, variables);
    } while (next_sibling(&child));
  }

  // With skein's hooks, an awaiter that is a temporary object has a member of its own, and the one
  // for the co_await a reference to it: "Aw0_2_3" to "D.88559_2_3", by the scope and the class.
  static void replace_references(const std::vector<std::string>& names, FrameLayout& layout) {
    const auto scope = [&](size_t i) {
      return std::string_view(names[i]).substr(name_in_source(names[i]).size());
    };
    for (size_t i = 0; i < layout.members.size(); i++) {
      FrameMember& awaiter = layout.members[i];
      if (!awaiter.is_awaiter || !awaiter.is_reference) continue;
      const FrameMember* object = nullptr;
      size_t count = 0;
      for (size_t other = 0; other < layout.members.size(); other++) {
        const FrameMember& one = layout.members[other];
        if (!names[other].starts_with("D.") || scope(other) != scope(i) || one.is_reference ||
            one.type.name != awaiter.type.name)
          continue;
        object = &one;
        count++;
      }
      if (count != 1) continue;
      awaiter.offset = object->offset;
      awaiter.type = object->type;
      awaiter.is_reference = false;
    }
  }

  void add_members(Dwarf_Die frame, const Unit& unit, FrameLayout& to) {
    frame = bare_type(frame);
    Dwarf_Die child;
    if (dwarf_child(&frame, &child) != 0) return;
    std::vector<std::string> names;
    do {
      if (to.members.size() == most_members || !work.spend()) break;
      const std::string name = name_of(&child);
      uint64_t offset = number_of(&child, DW_AT_data_member_location).value_or(UINT64_MAX);
      Dwarf_Die type;
      if (dwarf_tag(&child) != DW_TAG_member || offset == UINT64_MAX ||
          !type_of(&child, &type))
        continue;
      if (is_awaiter_of_gcc(name)) enter_hook(&type, &offset, unit);
      if (name == "_Coro_promise") read_promise(type, unit, to);
      if (name.starts_with("_Coro_")) continue;
      names.push_back(name);
      const Dwarf_Die bare = bare_type(type);
      to.members.push_back({.name = std::string(name_in_source(name)),
                            .offset = offset,
                            .type = object_type(type, unit),
                            .is_awaiter = is_awaiter_of_gcc(name),
                            .is_reference = is_pointer(dwarf_tag(const_cast<Dwarf_Die*>(&bare)))});
    } while (next_sibling(&child));
    replace_references(names, to);
    // A type that is only declared in this unit reaches to the next member.
    for (size_t i = 0; i + 1 < to.members.size(); i++)
      if (to.members[i].type.size == 0 && to.members[i + 1].offset > to.members[i].offset)
        to.members[i].type.size = to.members[i + 1].offset - to.members[i].offset;
  }

  // Members and variables of one name are in the same order.
  static void set_scopes(FrameLayout& layout,
                         const std::map<std::string, std::vector<Variable>, std::less<>>& all) {
    std::map<std::string, std::vector<FrameMember*>> members;
    for (FrameMember& one : layout.members) members[one.name].push_back(&one);
    for (const auto& [name, same] : members) {
      const auto variables = all.find(name);
      if (variables == all.end() || variables->second.size() != same.size()) continue;
      for (size_t i = 0; i < same.size(); i++) {
        same[i]->scope = variables->second[i].scope;
        same[i]->line = variables->second[i].line;
      }
    }
  }

  FrameLayout read_layout(uint64_t address) {
    FrameLayout found;
    Dwarf_Die unit;
    Dwarf_Die function;
    if (!find_unit_of_code(address, &unit) || !find_function(&unit, address, &function))
      return found;
    if (follow_origin(&function)) dwarf_diecu(&function, &unit, nullptr, nullptr);
    Dwarf_Die frame;
    if (!find_frame(&function, &frame)) {
      read_variables_of_clang(function, read_unit(&unit), found);
      return found;
    }
    found.size = size_of_class(frame);
    add_members(frame, read_unit(&unit), found);
    std::map<std::string, std::vector<Variable>, std::less<>> variables;
    found.scopes.push_back(0);
    add_variables(&function, 0, 0, found, variables);
    set_scopes(found, variables);
    return found;
  }
};

bool ObjectType::is_a(const std::string& class_name) const {
  return name == class_name || std::find(bases.begin(), bases.end(), class_name) != bases.end();
}

bool is_without_pointers(std::span<const ObjectType> types) {
  return !types.empty() && std::all_of(types.begin(), types.end(), [](const ObjectType& type) {
    return !type.handle && type.pointers.empty() && type.size != 0;
  });
}

FrameLayouts::FrameLayouts(std::unique_ptr<State> state) : state_(std::move(state)) {}
FrameLayouts::FrameLayouts(FrameLayouts&&) noexcept = default;
FrameLayouts& FrameLayouts::operator=(FrameLayouts&&) noexcept = default;
FrameLayouts::~FrameLayouts() = default;

Result<FrameLayouts> FrameLayouts::read(std::span<const uint8_t> elf, const std::string& path,
                                        const DebugFilePlaces& places, Files& files) {
  Result<DwarfFile> file = open_dwarf(elf, path, places, &files, DwarfUse::Lines);
  if (!file) return file.error();
  if (file->dwarf == nullptr)
    return Error{.what = "no debug information", .file = path, .advice = "compile with -g"};
  auto state = std::make_unique<State>();
  state->file = std::move(*file);
  state->work = DwarfWork(debug_information_size(state->file.elf.get()));
  return FrameLayouts(std::move(state));
}

const FrameLayout& FrameLayouts::of(uint64_t function) {
  const auto [at, is_new] = state_->layouts.try_emplace(function);
  if (is_new) {
    state_->work.resume();
    at->second = state_->read_layout(function);
  }
  return at->second;
}

const std::vector<ObjectType>& FrameLayouts::awaiters(uint64_t function, const std::string& name) {
  const auto [at, is_new] = state_->types.try_emplace({function, name});
  if (!is_new) return at->second;
  state_->work.resume();
  Dwarf_Die die;
  if (!state_->find_unit(function, &die)) return at->second;
  const Unit& unit = state_->read_unit(&die);
  const auto [begin, end] = unit.awaiters.equal_range(name);
  for (auto one = begin; one != end; ++one) {
    constexpr size_t most = 100;
    Dwarf_Die type;
    if (at->second.size() < most &&
        dwarf_offdie(state_->file.dwarf.get(), one->second, &type) != nullptr)
      at->second.push_back(state_->object_type(type, unit));
  }
  return at->second;
}

const std::vector<ObjectType>& FrameLayouts::classes(uint64_t function, const std::string& name) {
  constexpr size_t most = 100;
  const auto [at, is_new] = state_->classes.try_emplace({function, name});
  if (!is_new) return at->second;
  std::vector<Dwarf_Die> types = state_->classes_of(function, name);
  Dwarf_Die unit;
  if (types.empty() || !state_->find_unit(function, &unit)) return at->second;
  types.resize(std::min(types.size(), most));
  for (const Dwarf_Die& type : types)
    at->second.push_back(state_->object_type(type, state_->read_unit(&unit)));
  return at->second;
}

std::optional<uint64_t> FrameLayouts::owner(uint64_t function, const std::string& class_name) {
  for (Dwarf_Die& type : state_->classes_of(function, class_name)) {
    std::vector<uint64_t> owners;
    state_->add_owners(type, 0, 0, owners);
    return owners.size() == 1 ? std::optional(owners.front()) : std::nullopt;
  }
  return {};
}

bool FrameLayouts::may_have_handle(uint64_t function, const std::string& class_name,
                                   uint64_t offset, bool is_promise) {
  const auto [at, is_new] =
      state_->handles.try_emplace({function, class_name, offset, is_promise}, true);
  if (!is_new) return at->second;
  const std::vector<Dwarf_Die> types = state_->classes_of(function, class_name);
  at->second = types.empty() || std::any_of(types.begin(), types.end(), [&](const Dwarf_Die& type) {
                 return state_->is_polymorphic(type) ||
                        state_->has_handle(type, offset, is_promise, 0).value_or(true);
               });
  return at->second;
}

bool FrameLayouts::may_begin_with(uint64_t function, const std::string& outer,
                                  const std::string& inner) {
  const auto [at, is_new] = state_->beginnings.try_emplace({function, outer, inner}, true);
  if (!is_new) return at->second;
  const std::vector<Dwarf_Die> types = state_->classes_of(function, outer);
  at->second = types.empty() || std::any_of(types.begin(), types.end(), [&](const Dwarf_Die& type) {
                 return state_->begins_with(type, function, inner, 0);
               });
  return at->second;
}

std::optional<uint64_t> FrameLayouts::size(uint64_t function, const std::string& class_name) {
  std::optional<uint64_t> found;
  for (Dwarf_Die& type : state_->classes_of(function, class_name))
    if (const int size = dwarf_bytesize(&type); size > 0)
      found = std::max(found.value_or(0), static_cast<uint64_t>(size));
  return found;
}

}  // namespace skein
