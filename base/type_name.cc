#include "base/type_name.h"

#if defined(__wasm__)  // __cxa_demangle would make the page 30 kB larger
namespace skein {
std::string demangled_type(std::string_view) { return {}; }
}  // namespace skein
#else
#include <cxxabi.h>

#include <cstdlib>

namespace skein {
namespace {

constexpr size_t kLongest = 512;
constexpr int kMostReferences = 16;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_one_of(char c, std::string_view characters) {
  return characters.find(c) != std::string_view::npos;
}

// Reads the tokens of a mangled name, without its grammar, and stops at the first that it does not
// know to be harmless.
class Tokens {
 public:
  explicit Tokens(std::string_view name) : rest_(name) {}

  bool are_harmless() {
    while (!rest_.empty())
      if (!next()) return false;
    return references_ <= kMostReferences;
  }

 private:
  bool next() {
    if (is_digit(rest_[0])) return identifier();
    if (rest_.starts_with("cv")) return false;  // a conversion operator
    const char c = rest_[0];
    rest_.remove_prefix(1);
    switch (c) {
      case 'S':
        return take_one_of("tabsiod") || reference();
      case 'T':
        return reference();
      case 'L':
        return literal();
      case 'D':
        return take_one_of("nisu");  // nullptr_t and the character types
      case 'A':
        return digits() > 0 && take_one_of("_");
      case 'U':
        return take_one_of("lt");  // a lambda, an unnamed type
      case '_':
        digits();
        return true;
      default:
        return (c >= 'a' && c <= 'z') || is_one_of(c, "BCEFIJKMNOPRVZ");
    }
  }

  size_t digits() {
    size_t count = 0;
    while (count < rest_.size() && is_digit(rest_[count])) count++;
    rest_.remove_prefix(count);
    return count;
  }

  bool take_one_of(std::string_view characters) {
    if (rest_.empty() || !is_one_of(rest_[0], characters)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // A length and as many characters.
  bool identifier() {
    size_t length = 0;
    while (!rest_.empty() && is_digit(rest_[0]) && length <= kLongest) {
      length = length * 10 + static_cast<size_t>(rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    if (length == 0 || length > rest_.size()) return false;
    rest_.remove_prefix(length);
    return true;
  }

  // Behind S or T: a number of base 36, or none, and an underscore.
  bool reference() {
    while (!rest_.empty() && (is_digit(rest_[0]) || (rest_[0] >= 'A' && rest_[0] <= 'Z')))
      rest_.remove_prefix(1);
    references_++;
    return take_one_of("_");
  }

  // Behind L: a number as a template argument, "i5E". (An internal name is an identifier behind L.)
  bool literal() {
    if (rest_.empty() || is_digit(rest_[0])) return true;
    if (!take_one_of("abchijlmstxy")) return false;
    take_one_of("n");
    return digits() > 0 && take_one_of("E");
  }

  std::string_view rest_;
  int references_ = 0;
};

}  // namespace

std::string demangled_type(std::string_view mangled) {
  // _Z begins the name of a function or object, which __cxa_demangle accepts, too.
  if (mangled.empty() || mangled.size() > kLongest || mangled.starts_with("_")) return {};
  if (!Tokens(mangled).are_harmless()) return {};
  const std::string terminated(mangled);
  int status = 0;
  char* text = abi::__cxa_demangle(terminated.c_str(), nullptr, nullptr, &status);
  std::string name = text != nullptr && status == 0 ? text : "";
  std::free(text);
  return name;
}

}  // namespace skein
#endif
