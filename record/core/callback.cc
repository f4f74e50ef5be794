#include "record/core/callback.h"

namespace skein::record {
namespace {

struct TypeText {
  const char* begin;
  const char* end;

  size_t size() const { return static_cast<size_t>(end - begin); }
  bool starts_with(const char* prefix) const {
    const char* at = begin;
    for (; *prefix != 0; ++prefix, ++at)
      if (at == end || *at != *prefix) return false;
    return true;
  }
  TypeText from(const char* at) const { return {at, end}; }
};

bool opens(char c) { return c == '<' || c == '(' || c == '[' || c == '{'; }
bool closes(char c) { return c == '>' || c == ')' || c == ']' || c == '}'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool in_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
         c == '$';
}

bool of_library(TypeText name) {
  return name.starts_with("std::") || name.starts_with("boost::") || name.starts_with("asio::") ||
         name.starts_with("__gnu_cxx::");
}

// The end of the group that opens at `at`, behind its closing bracket.
const char* behind_group(const char* at, const char* end) {
  size_t depth = 0;
  for (; at != end; ++at) {
    if (opens(*at)) ++depth;
    if (closes(*at) && at[-1] != '-' && --depth == 0) return at + 1;
  }
  return end;
}

// The beginning of the qualified name that ends at `at`: "a::f(int) const::" of "x<int, a::f(int)
// const::".
const char* qualified_from(const char* at, const char* begin) {
  size_t depth = 0;
  for (; at != begin; --at) {
    const char c = at[-1];
    if (closes(c) && !(c == '>' && at - 1 != begin && at[-2] == '-')) ++depth;
    if (opens(c) && depth-- == 0) return at;
    if (depth != 0 || (c != ' ' && c != ',' && c != '=')) continue;
    const TypeText rest = {at, at + 6};  // the text ends with "<lambda(" at least
    if (c != ' ' || !(rest.starts_with("const") || rest.starts_with("[with"))) return at;
  }
  return at;
}

// "(lambda at src/link.cc:30:21)". Returns false if it is written differently.
bool clang_lambda(TypeText lambda, Callback& found) {
  const char* end = lambda.begin + 1;
  while (end != lambda.end && *end != ')') ++end;
  const char* at = end;
  for (int numbers = 0; numbers < 2; ++numbers) {
    const char* digits = at;
    while (at != lambda.begin && is_digit(at[-1])) --at;
    if (at == digits || at == lambda.begin || at[-1] != ':') return false;
    --at;
  }
  const char* file = lambda.begin + sizeof "(lambda at " - 1;
  if (at <= file) return false;
  found.file = file;
  found.file_size = static_cast<size_t>(at - file);
  for (++at; is_digit(*at); ++at) found.line = found.line * 10 + static_cast<uint32_t>(*at - '0');
  return true;
}

bool library_file(TypeText file) {
  for (const char* at = file.begin; at != file.end; ++at) {
    const TypeText rest = file.from(at);
    if (rest.starts_with("/boost/") || rest.starts_with("/asio/") || rest.starts_with("/c++/"))
      return true;
  }
  return false;
}

// Returns true if a lambda of the program starts here.
bool lambda_at(TypeText text, const char* at, Callback& found) {
  const TypeText rest = text.from(at);
  if (rest.starts_with("<lambda(")) {
    const TypeText name = {qualified_from(at, text.begin), behind_group(at, text.end)};
    if (of_library(name) || name.begin == at) return false;
    found = {.function = name.begin, .function_size = name.size()};
    return true;
  }
  if (!rest.starts_with("(lambda at ")) return false;
  Callback lambda;
  if (!clang_lambda(rest, lambda) || library_file({lambda.file, lambda.file + lambda.file_size}))
    return false;
  found = lambda;
  return true;
}

// The qualified name that starts here; empty if it belongs to a library.
TypeText class_at(TypeText text) {
  const char* at = text.begin;
  if (text.starts_with("{anonymous}") || text.starts_with("(anonymous namespace)"))
    at = behind_group(at, text.end);
  while (at != text.end && in_name(*at)) ++at;
  TypeText name = {text.begin, at};
  if (name.size() > 2 && at[-1] == ':') name.end -= 2;
  if (of_library(name)) name.end = name.begin;
  return name;
}

}  // namespace

Callback callback_of(const char* type) {
  TypeText text = {type, type};
  while (*text.end != 0) ++text.end;
  Callback found;
  for (const char* at = text.end; at != text.begin; --at)
    if ((at[-1] == '<' || at[-1] == '(') && lambda_at(text, at - 1, found)) return found;

  // A member function: "void (Link::*(...))(int)".
  for (const char* at = text.begin; at != text.end; ++at) {
    if (*at != '(') continue;
    const TypeText name = class_at(text.from(at + 1));
    if (name.size() != 0 && text.from(name.end).starts_with("::*"))
      return {.function = name.begin, .function_size = name.size()};
  }

  // A class: "_Operation = ...::wait_handler<my::Functor, ...".
  const char* at = text.begin;
  while (at != text.end && !text.from(at).starts_with("Operation = ")) ++at;
  while (at != text.end && *at != '<') ++at;
  if (at == text.end) return found;
  const TypeText name = class_at(text.from(at + 1));
  if (name.size() == 0 || (*name.end != ',' && *name.end != '<' && *name.end != '>')) return found;
  return {.function = name.begin, .function_size = name.size()};
}

}  // namespace skein::record
