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

// Behind the group that ends at `close`, from its right end to its left.
size_t begin_of_group(std::string_view text, size_t close) {
  size_t depth = 0;
  for (size_t at = close + 1; at-- > 0;) {
    if (text[at] == ')' || text[at] == '>' || text[at] == ']' || text[at] == '}') depth++;
    if ((text[at] == '(' || text[at] == '<' || text[at] == '[' || text[at] == '{') && --depth == 0)
      return at;
  }
  return 0;
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
    if (parts.resume == nullptr || parts.destroy == 0) continue;
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

namespace {

std::string without_long_arguments(std::string_view name) {
  constexpr size_t longest = 24;
  std::string text;
  for (size_t at = 0; at < name.size(); at++) {
    text += name[at];
    if (name[at] != '<' || text.ends_with("operator<")) continue;
    size_t depth = 1;
    size_t end = at + 1;
    for (; end < name.size() && depth != 0; end++) {
      depth += name[end] == '<';
      depth -= name[end] == '>' && name[end - 1] != '-';
    }
    if (end - at <= longest) continue;
    text += "...>";
    at = end - 1;
  }
  return text;
}

}  // namespace

std::string shortened_function(const std::string& name) {
  std::string_view text = name;
  // " const", " [clone ...]" and the like after the parameters.
  const size_t close = text.rfind(')');
  if (close == std::string_view::npos) return name;
  const size_t open = begin_of_group(text, close);
  if (open == 0) return name;
  text = text.substr(0, open);
  // The return type of a template, before the last space outside brackets.
  for (size_t at = text.size(); at-- > 0;) {
    const char c = text[at];
    if (c == ')' || c == '>' || c == ']' || c == '}')
      at = begin_of_group(text, at);
    else if (c == ' ' && !text.substr(0, at).ends_with("operator"))
      return without_long_arguments(text.substr(at + 1));
  }
  return without_long_arguments(text);
}

}  // namespace skein
