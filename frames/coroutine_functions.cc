#include "frames/coroutine_functions.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace skein {

namespace {

using Function = Functions::Function;

// g++ calls the type of a frame FUNCTION.Frame, and its actor FUNCTIONP<FUNCTION>E<length><frame>:
// "_Z4leafPZ4leafiE14_Z4leafi.Frame" is of "_Z4leafi".
std::string_view function_of_frame(std::string_view name) {
  constexpr std::string_view ending = ".Frame";
  if (!name.ends_with(ending)) return name;
  const std::string_view body = name.substr(0, name.size() - ending.size());
  for (size_t at = body.rfind("_Z"); at != std::string_view::npos && at != 0;
       at = body.rfind("_Z", at - 1)) {
    const std::string length = std::to_string(name.size() - at);
    if (body.substr(0, at).ends_with(length)) return body.substr(at);
  }
  return name;
}

// Link-time optimisation numbers functions that were local to a file: ".lto_priv.0" (g++),
// ".llvm.9223" (clang). The numbers of the functions of one coroutine may differ.
struct NameParts {
  std::string_view coroutine = {};
  std::string_view kind = {};    // ".actor"
  std::string_view number = {};  // ".lto_priv.0"
};
NameParts parts_of(std::string_view name) {
  NameParts parts{.coroutine = name};
  for (const std::string_view suffix : {".lto_priv.", ".llvm."}) {
    const size_t at = name.rfind(suffix);
    if (at == std::string_view::npos ||
        name.find_first_not_of("0123456789", at + suffix.size()) != std::string_view::npos)
      continue;
    parts.number = name.substr(at);
    name = name.substr(0, at);
    break;
  }
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return parts;
  parts.coroutine = name.substr(0, dot);
  parts.kind = name.substr(dot);
  return parts;
}

// Functions of coroutines with one name.
struct SameName {
  struct One {
    const Function* function;
    std::string_view number;
  };
  std::vector<One> resumes = {};
  std::vector<One> destroys = {};
  std::vector<One> cleanups = {};
  CoroutineFunction::Compiler compiler = CoroutineFunction::Compiler::Gcc;
};

// What g++ has moved out of the functions with one name: of several, it is not known whose it is.
struct Rest {
  const Function* function = nullptr;
  size_t count = 0;
  size_t functions = 0;  // that it may belong to
};

// Takes the function with this number, or the only one; null: there is none.
const Function* take(std::vector<SameName::One>& from, std::string_view number, bool is_only) {
  for (auto one = from.begin(); one != from.end(); ++one) {
    if (one->number != number && !(is_only && from.size() == 1)) continue;
    const Function* function = one->function;
    from.erase(one);
    return function;
  }
  return nullptr;
}

}  // namespace

std::vector<CoroutineFunction> find_coroutine_functions(const Functions& functions) {
  using enum CoroutineFunction::Compiler;
  std::unordered_map<std::string_view, SameName> by_name;
  std::unordered_map<std::string_view, Rest> rests;
  for (const Function& function : functions.all()) {
    const NameParts parts = parts_of(function.name);
    if (constexpr std::string_view cold = ".cold"; function.name.ends_with(cold)) {
      Rest& rest = rests[function.name.substr(0, function.name.size() - cold.size())];
      rest.function = &function;
      rest.count++;
    }
    if (parts.kind == ".actor") rests[function.name].functions++;
    const bool resumes = parts.kind == ".actor" || parts.kind == ".resume";
    if (!resumes && parts.kind != ".destroy" && parts.kind != ".cleanup") continue;
    SameName& same = by_name[parts.coroutine];
    if (resumes) same.compiler = parts.kind == ".actor" ? Gcc : Clang;
    (resumes                    ? same.resumes
     : parts.kind == ".destroy" ? same.destroys
                                : same.cleanups)
        .push_back({&function, parts.number});
  }
  std::vector<CoroutineFunction> found;
  for (auto& [name, same] : by_name) {
    const std::string_view function = same.compiler == Gcc ? function_of_frame(name) : name;
    for (const bool is_only : {false, true}) {
      for (auto resume = same.resumes.begin(); resume != same.resumes.end();) {
        const bool may_take = !is_only || same.resumes.size() == 1;
        const Function* destroy = may_take ? take(same.destroys, resume->number, is_only) : nullptr;
        const Function* cleanup = may_take ? take(same.cleanups, resume->number, is_only) : nullptr;
        // If all frames are inside others, clang leaves out NAME.destroy.
        if (destroy == nullptr && cleanup == nullptr) {
          ++resume;
          continue;
        }
        const Rest& rest = rests[resume->function->name];
        const bool has_rest = rest.count == 1 && rest.functions == 1;
        found.push_back({.compiler = same.compiler,
                         .resume = resume->function->begin,
                         .end = resume->function->end,
                         .destroy = destroy == nullptr ? 0 : destroy->begin,
                         .rest = has_rest ? rest.function->begin : 0,
                         .rest_end = has_rest ? rest.function->end : 0,
                         .cleanup = cleanup == nullptr ? 0 : cleanup->begin,
                         .name = std::string(function)});
        resume = same.resumes.erase(resume);
      }
    }
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.resume < b.resume; });
  return found;
}

std::string with_lambdas_of_signatures(std::string name) {
  for (size_t at = 0; (at = name.find("{lambda(", at)) != std::string::npos; at++) {
    const size_t number = name.find(")#", at);
    const size_t end = number == std::string::npos ? number : name.find('}', number);
    if (end == std::string::npos) break;
    name[at] = '<';
    name[number + 1] = '>';
    name.erase(number + 2, end - number - 1);
  }
  return name;
}

}  // namespace skein
