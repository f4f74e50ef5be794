#include "symbol/member_names.h"

#include <dwarf.h>

#include "symbol/dwarf_attributes.h"

namespace skein {

namespace {

bool follow(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Die to;
  if (dwarf_attr(die, attribute, &found) == nullptr || dwarf_formref_die(&found, &to) == nullptr)
    return false;
  *die = to;
  return true;
}

}  // namespace

std::string MemberNames::name_of_call(Dwarf_Die call, std::string_view name, DwarfWork& work) {
  Dwarf_Die function = call;
  (void)follow(&function, DW_AT_abstract_origin);
  (void)follow(&function, DW_AT_specification);
  Dwarf_Die unit;
  if (dwarf_diecu(&function, &unit, nullptr, nullptr) == nullptr) return "";
  const auto [at, is_new] = units_.try_emplace(std::string(name) + ' ' + std::to_string(dwarf_dieoffset(&unit)));
  if (is_new) add(&unit, "", name, 0, work, at->second);
  const auto found = at->second.names.find(dwarf_dieoffset(&function));
  return found == at->second.names.end() ? "" : found->second;
}

void MemberNames::add(Dwarf_Die* scope, const std::string& prefix, std::string_view name, int depth,
                      DwarfWork& work, Unit& to) {
  constexpr int deepest = 20;
  Dwarf_Die child;
  if (depth == deepest || dwarf_child(scope, &child) != 0) return;
  do {
    if (!work.spend()) return;
    const int tag = dwarf_tag(&child);
    const bool is_class = tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
                          tag == DW_TAG_union_type;
    if (tag != DW_TAG_namespace && tag != DW_TAG_lexical_block && tag != DW_TAG_subprogram &&
        !is_class)
      continue;
    const std::string own = name_of(&child);
    if (tag == DW_TAG_subprogram && own.starts_with(name) && depth > 0 &&
        (own.size() == name.size() || own[name.size()] == '<'))
      to.names.emplace(dwarf_dieoffset(&child), prefix + std::string(name) + "()");
    if (dwarf_haschildren(&child) <= 0) continue;
    const bool has_scope = tag != DW_TAG_lexical_block && !own.empty();
    add(&child, has_scope ? prefix + own + "::" : prefix, name, depth + 1, work, to);
  } while (next_sibling(&child));
}

}  // namespace skein
