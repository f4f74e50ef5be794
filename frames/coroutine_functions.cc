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

}  // namespace

std::vector<CoroutineFunction> find_coroutine_functions(const Functions& functions) {
  using enum CoroutineFunction::Compiler;
  struct Parts {
    const Function* resume = nullptr;
    uint64_t destroy = 0;
    uint64_t cleanup = 0;
    CoroutineFunction::Compiler compiler = Gcc;
  };
  std::unordered_map<std::string_view, Parts> by_name;
  for (const Function& function : functions.all()) {
    const size_t dot = function.name.rfind('.');
    if (dot == std::string_view::npos) continue;
    const std::string_view kind = function.name.substr(dot);
    if (kind != ".actor" && kind != ".resume" && kind != ".destroy" && kind != ".cleanup") continue;
    Parts& parts = by_name[function.name.substr(0, dot)];
    if (kind == ".destroy") parts.destroy = function.begin;
    if (kind == ".cleanup") parts.cleanup = function.begin;
    if (kind == ".actor" || kind == ".resume") {
      parts.resume = &function;
      parts.compiler = kind == ".actor" ? Gcc : Clang;
    }
  }
  std::vector<CoroutineFunction> found;
  for (const auto& [name, parts] : by_name) {
    // If all frames are inside others, clang leaves out NAME.destroy.
    if (parts.resume == nullptr || (parts.destroy == 0 && parts.cleanup == 0)) continue;
    const std::string_view function = parts.compiler == Gcc ? function_of_frame(name) : name;
    found.push_back({.compiler = parts.compiler,
                     .resume = parts.resume->begin,
                     .end = parts.resume->end,
                     .destroy = parts.destroy,
                     .cleanup = parts.cleanup,
                     .name = std::string(function)});
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
