#include "base/function_name.h"

#include <iterator>

namespace skein {
namespace {

constexpr std::string_view kOperator = "operator";
constexpr std::string_view kDecltype = "decltype";
constexpr std::string_view kLambda = "<lambda";

bool ends_with_operator(std::string_view text) {
  if (!text.ends_with(kOperator)) return false;
  if (text.size() == kOperator.size()) return true;
  const char before = text[text.size() - kOperator.size() - 1];
  return before == ' ' || before == ':' || before == '*' || before == '&';
}

// Returns the index after the bracket that closes the one at `open`, or the end if there is none.
size_t behind_group(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t i = open; i < text.size(); i++) {
    const char c = text[i];
    if (c == '<' || c == '(' || c == '{' || c == '[') depth++;
    const bool arrow = c == '>' && i > 0 && text[i - 1] == '-';
    if ((c == '>' && !arrow) || c == ')' || c == '}' || c == ']') depth--;
    if (depth == 0) return i + 1;
  }
  return text.size();
}

// Returns the length of the operator after the keyword `operator` ("<", "()", "->" ...), which is
// part of the name. Arguments of a template may follow: "||<int>".
size_t operator_sign(std::string_view rest) {
  // Those of one, two and three characters.
  constexpr std::string_view signs[] = {
      "<>=-!+*/%&|^~,", "()[]<<>><=>===!=&&||++--+=-=*=/=%=&=|=^=->", "<=><<=>>=->*"};
  for (size_t size = std::size(signs); size > 0; size--)
    for (size_t at = 0; at < signs[size - 1].size(); at += size)
      if (rest.starts_with(signs[size - 1].substr(at, size))) return size;
  return 0;
}

// "f() const &::g()": from behind the parameters to the "::".
size_t behind_qualifiers(std::string_view signature, size_t i) {
  for (const std::string_view one : {" const", " volatile", " &&", " &"})
    if (signature.substr(i).starts_with(one)) i += one.size();
  return i;
}

}  // namespace

std::string short_function_name(std::string_view signature) {
  std::string name;
  size_t i = 0;
  while (i < signature.size()) {
    const std::string_view rest = signature.substr(i);
    const char c = rest[0];
    if (ends_with_operator(name)) {
      const size_t sign = operator_sign(rest);
      name += rest.substr(0, sign);
      i += sign;
      if (sign > 0 && signature.substr(i).starts_with(" <")) i++;  // "operator< <int>"
      if (sign > 0) continue;
    }
    if (rest.starts_with("(anonymous") || rest.starts_with("{anonymous")) {
      const size_t end = behind_group(signature, i);
      name += "(anonymous)";
      i = end;
    } else if (rest.starts_with("{unnamed")) {  // a class or an enumeration
      name += "(unnamed)";
      i = behind_group(signature, i);
    } else if (c == '<') {
      if (rest.starts_with(kLambda)) name += "<lambda>";
      i = behind_group(signature, i);
    } else if ((c == '(' || c == ' ') &&
               name == kDecltype) {  // "decltype(auto) f()": a return type
      const size_t open = signature.find('(', i);
      i = open == signature.npos ? signature.size() : behind_group(signature, open);
      name.clear();
    } else if (c == '(') {
      // The parameters: the end of the name, unless something local to the function follows.
      i = behind_qualifiers(signature, behind_group(signature, i));
      if (!signature.substr(i).starts_with("::")) break;
    } else if (rest.starts_with("[abi:")) {  // of a type in the signature: no part of the source
      i = behind_group(signature, i);
    } else if (c == '[' && name.ends_with(' ')) {
      break;  // "[with T = int]"
    } else if (c == ' ' && !ends_with_operator(name)) {
      name.clear();  // it was the return type
      i++;
    } else {
      name += c;
      i++;
    }
  }
  while (!name.empty() && (name.front() == '*' || name.front() == '&')) name.erase(0, 1);
  return name.empty() ? std::string(signature) : name;
}

char annotation_of(std::string_view name) {
  const size_t size = name.size();
  if (size < 4 || name[size - 4] != '_' || name[size - 3] != '[' || name[size - 1] != ']') return 0;
  constexpr std::string_view known = "kwijg";
  return known.find(name[size - 2]) == known.npos ? '\0' : name[size - 2];
}

std::string_view without_annotation(std::string_view name) {
  return annotation_of(name) == 0 ? name : name.substr(0, name.size() - 4);
}

}  // namespace skein
