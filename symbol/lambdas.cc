#include "symbol/lambdas.h"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstring>
#include <functional>
#include <memory>
#include <unordered_map>

#include "base/disk_files.h"
#include "symbol/debug_file.h"
#include "symbol/dwarf_file.h"
#include "symbol/dwarf_work.h"
#include "symbol/elf_sections.h"

namespace skein {

namespace {

constexpr uint64_t most_debug_information = uint64_t{256} << 20;
constexpr int deepest = 100;  // scopes within scopes

// ---- names ----

bool opens(char c) { return c == '(' || c == '<' || c == '[' || c == '{'; }
bool closes(char c) { return c == ')' || c == '>' || c == ']' || c == '}'; }

// The end of the group that opens at `at`, behind its closing bracket.
size_t behind_group(std::string_view text, size_t at) {
  size_t depth = 0;
  for (; at < text.size(); at++) {
    if (opens(text[at])) depth++;
    const bool is_arrow = text[at] == '>' && at != 0 && text[at - 1] == '-';
    if (closes(text[at]) && !is_arrow && --depth == 0) return at + 1;
  }
  return text.size();
}

// How many parameters "(int, std::map<int, int>)" has, at the beginning of the text.
size_t parameters_in(std::string_view text) {
  const std::string_view list = text.substr(0, behind_group(text, 0));
  if (list.size() <= 2) return 0;
  size_t count = 1;
  for (size_t at = 1; at + 1 < list.size(); at++) {
    if (opens(list[at])) at = behind_group(list, at) - 1;
    if (at < list.size() && list[at] == ',') count++;
  }
  return count;
}

// ---- DWARF ----

// Visits each scope that may contain lambdas, and the lambdas: classes without a name that have a
// call operator. Their keys are those of Lambdas::key_of().
class Finder {
 public:
  using Add = std::function<void(std::string key, Lambdas::Place)>;

  // Visits at most `most` entries: in damaged data, the sibling of one may be before it.
  Finder(Dwarf* dwarf, uint64_t most, const Add& add) : left_(most), add_(add) {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
      functions_.clear();
      visit(&die, "", 0);
    }
  }

 private:
  void visit(Dwarf_Die* scope, const std::string& path, int depth) {
    Dwarf_Die child;
    if (depth == deepest || dwarf_child(scope, &child) != 0) return;
    do {
      if (left_ == 0) return;
      left_--;
      switch (dwarf_tag(&child)) {
        case DW_TAG_namespace:
          visit(&child, extended(path, dwarf_diename(&child), "{}"), depth + 1);
          break;
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_union_type:
          visit_class(&child, path, depth + 1);
          break;
        case DW_TAG_subprogram:
          visit(&child, path_of_function(&child, path), depth + 1);
          break;
        case DW_TAG_lexical_block:
        case DW_TAG_try_block:
        case DW_TAG_catch_block:
          visit(&child, path, depth + 1);
          break;
        default:
          break;
      }
    } while (next_sibling(&child));
  }

  // Without template arguments. Call operators are left out, as in key_of().
  static std::string extended(const std::string& path, const char* name, std::string_view unnamed) {
    std::string_view part = name == nullptr ? unnamed : std::string_view(name);
    if (part.empty() || part.starts_with("operator()")) return path;
    if (!part.starts_with("operator")) part = part.substr(0, part.find('<'));
    return path + std::string(part) + '|';
  }

  // A function that is declared in a class, and defined outside, belongs to the class.
  std::string path_of_function(Dwarf_Die* function, const std::string& path) {
    for (const unsigned attribute : {DW_AT_specification, DW_AT_abstract_origin}) {
      Dwarf_Attribute reference;
      Dwarf_Die declaration;
      if (dwarf_attr(function, attribute, &reference) == nullptr ||
          dwarf_formref_die(&reference, &declaration) == nullptr)
        continue;
      const auto at = functions_.find(dwarf_dieoffset(&declaration));
      if (at != functions_.end()) return at->second;
    }
    std::string own = extended(path, dwarf_diename(function), "");
    functions_.emplace(dwarf_dieoffset(function), own);
    return own;
  }

  void visit_class(Dwarf_Die* type, const std::string& path, int depth) {
    const char* name = dwarf_diename(type);
    const int parameters = name == nullptr ? parameters_of_call(type) : -1;
    if (parameters < 0) return visit(type, extended(path, name, ""), depth);
    const std::string own = path + std::to_string(parameters);
    int line = 0;
    int column = 0;
    if (dwarf_decl_column(type, &column) != 0) column = 0;
    if (const char* file = dwarf_decl_file(type);
        file != nullptr && dwarf_decl_line(type, &line) == 0)
      add_(own, {.file = file,
                 .line = static_cast<uint32_t>(line),
                 .column = static_cast<uint32_t>(column)});
    visit(type, own + '|', depth);
  }

  // How many parameters the call operator of a class has; -1: it has none.
  int parameters_of_call(Dwarf_Die* type) {
    Dwarf_Die member;
    if (dwarf_child(type, &member) != 0) return -1;
    do {
      if (left_ == 0) return -1;
      left_--;
      const char* name = dwarf_tag(&member) == DW_TAG_subprogram ? dwarf_diename(&member) : nullptr;
      if (name == nullptr || strncmp(name, "operator()", 10) != 0) continue;
      int count = 0;
      Dwarf_Die parameter;
      if (dwarf_child(&member, &parameter) != 0) return 0;
      do {
        if (left_ == 0) return -1;
        left_--;
        if (dwarf_tag(&parameter) == DW_TAG_formal_parameter &&
            !dwarf_hasattr(&parameter, DW_AT_artificial))
          count++;
      } while (next_sibling(&parameter));
      return count;
    } while (next_sibling(&member));
    return -1;
  }

  uint64_t left_;
  const Add& add_;
  std::unordered_map<Dwarf_Off, std::string> functions_ = {};  // of a unit: the paths within them
};

Error failed(const std::string& path, const char* what) { return {.what = what, .file = path}; }

}  // namespace

std::string Lambdas::key_of(std::string_view name) {
  std::string key;
  size_t end_of_key = 0;  // behind the last lambda
  std::string part;
  bool has_ended = false;  // parameters, " const", " [with T = int]" follow
  const auto end_part = [&] {
    // "void f" of a template.
    if (const size_t space = part.rfind(' '); space != std::string::npos) part.erase(0, space + 1);
    if (!part.empty() && part != "operator") key += part + '|';
    part.clear();
    has_ended = false;
  };
  for (size_t at = 0; at < name.size();) {
    const std::string_view rest = name.substr(at);
    if (rest.starts_with("::")) {
      end_part();
      at += 2;
    } else if (rest.starts_with("<lambda(")) {
      key += std::to_string(parameters_in(rest.substr(sizeof "<lambda" - 1))) + '|';
      end_of_key = key.size();
      at = behind_group(name, at);
    } else if (rest.starts_with("{anonymous}")) {
      part = "{}";
      at = behind_group(name, at);
    } else if (opens(name[at])) {
      has_ended = has_ended || !part.empty();
      at = behind_group(name, at);
    } else {
      if (!has_ended) part += name[at];
      at++;
    }
  }
  return end_of_key == 0 ? std::string() : key.substr(0, end_of_key - 1);
}

Result<Lambdas> Lambdas::read(const std::string& path, std::string_view build_id) {
  DiskFiles files;
  if (files.type(path) != FileType::File) return failed(path, "no ELF file");
  DebugFile file{.path = path};
  Result<Contents> program = files.open(path);
  if (!program) return program.error();
  ElfHandle elf = open_elf(program->bytes());
  if (elf == nullptr) return failed(path, "no ELF file");
  if (build_id.size() < 4 || build_id_of(elf.get()) != build_id)
    return failed(path, "not the file that was recorded: its build id is another one");
  const DebugFilePlaces places = DebugFilePlaces::of_this_user();
  uint64_t size = debug_information_size(elf.get());
  elf.reset();
  file.contents = std::move(*program);
  if (size == 0) {
    DebugFileSearch search = find_debug_file(file.contents.bytes(), path, DebugPart::Information,
                                             places, files);
    if (!search.found)
      return Error{.what = search.what_is_missing(path, DebugPart::Information)};
    file = std::move(*search.found);
    size = debug_information_size(open_elf(file.contents.bytes()).get());
  }
  if (size > most_debug_information)
    return failed(file.path, "more than 256 MiB of debug information");
  const auto opened = open_dwarf(file.contents.bytes(), file.path, places, &files, DwarfUse::Lines);
  if (!opened) return opened.error();
  if (opened->dwarf == nullptr) return failed(file.path, "invalid debug information");
  Lambdas found;
  const Finder::Add add = [&](std::string key, Place place) {
    const auto [at, is_new] = found.places_.try_emplace(std::move(key), place);
    if (!is_new && at->second != place) at->second.line = 0;
  };
  constexpr uint64_t shortest_entry = 4;  // bytes, on average
  Finder(opened->dwarf.get(), size / shortest_entry, add);
  return found;
}

const Lambdas::Place* Lambdas::find(std::string_view function) const {
  const std::string key = key_of(function);
  const auto at = places_.find(key);
  return key.empty() || at == places_.end() || at->second.line == 0 ? nullptr : &at->second;
}

}  // namespace skein
