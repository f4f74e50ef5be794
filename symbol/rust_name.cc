#include "symbol/rust_name.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace skein {

namespace {

constexpr size_t longest = 1 << 14;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }
uint32_t hex_value(char c) { return static_cast<uint32_t>(is_digit(c) ? c - '0' : c - 'a' + 10); }

bool is_character(uint64_t code) { return code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF); }

void append_utf8(std::string& out, uint32_t code) {
  const auto byte = [&](uint32_t value) { out += static_cast<char>(value); };
  const auto rest = [&](unsigned shift) { byte(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0 | code >> 6);
    return rest(0);
  }
  if (code < 0x10000) {
    byte(0xE0 | code >> 12);
    rest(6);
    return rest(0);
  }
  byte(0xF0 | code >> 18);
  rest(12);
  rest(6);
  rest(0);
}

// What follows a name: of LLVM, without a meaning in the source; else, as ".cold", kept.
std::optional<std::string> suffix_text(std::string_view suffix) {
  if (suffix.empty() || suffix.starts_with(".llvm.")) return "";
  const bool is_suffix =
      (suffix[0] == '.' || suffix[0] == '$') &&
      std::all_of(suffix.begin(), suffix.end(), [](char c) { return c > ' ' && c < 0x7F; });
  return is_suffix ? std::optional(std::string(suffix)) : std::nullopt;
}

// ---- the older mangling ----

// "$LT$" -> "<". Returns the length of the escape; 0: it is none.
size_t append_escape(std::string& out, std::string_view text) {
  const size_t end = text.find('$', 1);
  if (end == std::string_view::npos) return 0;
  const std::string_view name = text.substr(1, end - 1);
  constexpr std::pair<std::string_view, char> known[] = {{"SP", '@'}, {"BP", '*'}, {"RF", '&'},
                                                         {"LT", '<'}, {"GT", '>'}, {"LP", '('},
                                                         {"RP", ')'}, {"C", ','}};
  for (const auto& [escape, c] : known)
    if (name == escape) {
      out += c;
      return end + 1;
    }
  if (name.size() < 2 || name.size() > 7 || name[0] != 'u') return 0;
  uint32_t code = 0;
  for (const char c : name.substr(1)) {
    if (!is_hex(c)) return 0;
    code = code << 4 | hex_value(c);
  }
  if (!is_character(code) || code < ' ' || (code >= 0x7F && code < 0xA0)) return 0;
  append_utf8(out, code);
  return end + 1;
}

void append_part(std::string& out, std::string_view part) {
  if (part.starts_with("_$")) part.remove_prefix(1);
  while (!part.empty()) {
    if (part.starts_with("..")) {
      out += "::";
      part.remove_prefix(2);
      continue;
    }
    if (part[0] == '$') {
      const size_t length = append_escape(out, part);
      if (length == 0) {
        out += part;
        return;
      }
      part.remove_prefix(length);
      continue;
    }
    out += part[0];
    part.remove_prefix(1);
  }
}

std::optional<std::string> older_name(std::string_view name) {
  name.remove_prefix(3);
  std::vector<std::string_view> parts;
  while (!name.empty() && is_digit(name[0])) {
    size_t length = 0;
    while (!name.empty() && is_digit(name[0]) && length < longest) {
      length = length * 10 + static_cast<size_t>(name[0] - '0');
      name.remove_prefix(1);
    }
    if (length == 0 || length > name.size()) return {};
    parts.push_back(name.substr(0, length));
    name.remove_prefix(length);
  }
  constexpr size_t hash = 17;  // 'h' and 16 digits: else it is C++
  if (parts.size() < 2 || !name.starts_with('E') || parts.back().size() != hash ||
      parts.back()[0] != 'h' || !std::all_of(parts.back().begin() + 1, parts.back().end(), is_hex))
    return {};
  const auto suffix = suffix_text(name.substr(1));
  if (!suffix) return {};
  parts.pop_back();
  std::string out;
  for (const std::string_view part : parts) {
    if (!out.empty()) out += "::";
    append_part(out, part);
  }
  return out + *suffix;
}

// ---- v0 ----

// Bootstring of RFC 3492, with '_' as the delimiter.
std::optional<std::string> decode_punycode(std::string_view text) {
  constexpr uint64_t base = 36, t_min = 1, t_max = 26, skew = 38;
  constexpr size_t most = 1000;  // characters
  std::vector<uint32_t> characters;
  const size_t delimiter = text.rfind('_');
  if (delimiter != std::string_view::npos) {
    characters.assign(text.begin(), text.begin() + static_cast<ptrdiff_t>(delimiter));
    text.remove_prefix(delimiter + 1);
  }
  if (text.empty()) return {};
  uint64_t code = 128, at = 0, bias = 72, damp = 700;
  while (!text.empty()) {
    const uint64_t before = at;
    uint64_t weight = 1;
    for (uint64_t k = base;; k += base) {
      if (text.empty()) return {};
      const char c = text[0];
      text.remove_prefix(1);
      if (!is_lower(c) && !is_digit(c)) return {};
      const auto digit = static_cast<uint64_t>(is_lower(c) ? c - 'a' : c - '0' + 26);
      at += digit * weight;
      if (at > UINT32_MAX) return {};
      const uint64_t t = k <= bias ? t_min : std::min(std::max(k - bias, t_min), t_max);
      if (digit < t) break;
      weight *= base - t;
      if (weight > UINT32_MAX) return {};
    }
    const uint64_t count = characters.size() + 1;
    uint64_t delta = (at - before) / damp;
    damp = 2;
    delta += delta / count;
    bias = 0;
    while (delta > (base - t_min) * t_max / 2) {
      delta /= base - t_min;
      bias += base;
    }
    bias += (base - t_min + 1) * delta / (delta + skew);
    code += at / count;
    at %= count;
    if (!is_character(code) || count > most) return {};
    characters.insert(characters.begin() + static_cast<ptrdiff_t>(at), static_cast<uint32_t>(code));
    at++;
  }
  std::string out;
  for (const uint32_t c : characters) append_utf8(out, c);
  return out;
}

std::string_view basic_type(char c) {
  constexpr std::pair<char, std::string_view> known[] = {
      {'a', "i8"},   {'b', "bool"},  {'c', "char"},  {'d', "f64"}, {'e', "str"}, {'f', "f32"},
      {'h', "u8"},   {'i', "isize"}, {'j', "usize"}, {'l', "i32"}, {'m', "u32"}, {'n', "i128"},
      {'o', "u128"}, {'p', "_"},     {'s', "i16"},   {'t', "u16"}, {'u', "()"},  {'v', "..."},
      {'x', "i64"},  {'y', "u64"},   {'z', "!"}};
  for (const auto& [tag, name] : known)
    if (tag == c) return name;
  return {};
}

// Reads the name and writes its text at once. After a failure, nothing more is read.
class V0 {
 public:
  explicit V0(std::string_view text) : text_(text) {}

  std::optional<std::string> run() {
    if (is_digit(peek())) return {};  // a later version
    path(true);
    if (is_upper(peek())) {  // the crate that has instantiated it
      Silence silence(*this);
      path(false);
    }
    if (failed_) return {};
    const auto suffix = suffix_text(text_.substr(at_));
    return suffix ? std::optional(out_ + *suffix) : std::nullopt;
  }

 private:
  struct Identifier {
    std::string name = {};
    uint64_t disambiguator = 0;
  };

  // Bounds the nesting and the number of parts: they may refer to each other.
  class Step {
   public:
    explicit Step(V0& v0) : v0_(v0) {
      constexpr unsigned deepest = 200;
      constexpr unsigned most = 100'000;
      if (++v0.depth_ > deepest || ++v0.steps_ > most) v0.failed_ = true;
    }
    ~Step() { v0_.depth_--; }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    V0& v0_;
  };

  class Silence {
   public:
    explicit Silence(V0& v0) : v0_(v0) { v0.silent_++; }
    ~Silence() { v0_.silent_--; }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

   private:
    V0& v0_;
  };

  char peek() const { return failed_ || at_ == text_.size() ? '\0' : text_[at_]; }
  char next() {
    const char c = peek();
    if (c == '\0')
      failed_ = true;
    else
      at_++;
    return c;
  }
  bool eat(char c) {
    if (peek() != c) return false;
    at_++;
    return true;
  }
  void put(std::string_view text) {
    if (silent_ != 0 || failed_) return;
    out_ += text;
    if (out_.size() > longest) failed_ = true;
  }

  // "_" is 0, "0_" is 1.
  uint64_t base62() {
    if (eat('_')) return 0;
    uint64_t value = 0;
    while (!eat('_')) {
      const char c = next();
      uint64_t digit = 0;
      if (is_digit(c))
        digit = static_cast<uint64_t>(c - '0');
      else if (is_lower(c))
        digit = static_cast<uint64_t>(c - 'a' + 10);
      else if (is_upper(c))
        digit = static_cast<uint64_t>(c - 'A' + 36);
      else
        failed_ = true;
      if (failed_ || value > (UINT64_MAX - 62) / 62) {
        failed_ = true;
        return 0;
      }
      value = value * 62 + digit;
    }
    return value + 1;
  }
  uint64_t optional_base62(char tag) { return eat(tag) ? base62() + 1 : 0; }

  std::string plain_identifier() {
    const bool is_punycode = eat('u');
    if (!is_digit(peek())) {
      failed_ = true;
      return {};
    }
    size_t length = static_cast<size_t>(next() - '0');
    if (length != 0)
      while (is_digit(peek()) && length <= longest)
        length = length * 10 + static_cast<size_t>(next() - '0');
    eat('_');
    if (failed_ || length > text_.size() - at_) {
      failed_ = true;
      return {};
    }
    const std::string_view name = text_.substr(at_, length);
    at_ += length;
    if (!is_punycode) return std::string(name);
    const auto decoded = decode_punycode(name);
    if (!decoded) failed_ = true;
    return decoded.value_or("");
  }
  Identifier identifier() {
    Identifier id;
    id.disambiguator = optional_base62('s');
    id.name = plain_identifier();
    return id;
  }

  // Goes on at an earlier place, and then behind the reference. Not printed, it need not be read.
  template <typename Read>
  void back_reference(const Read& read) {
    const size_t begin = at_ - 1;
    const uint64_t to = base62();
    if (failed_ || to >= begin) {
      failed_ = true;
      return;
    }
    if (silent_ != 0) return;
    const size_t after = at_;
    at_ = static_cast<size_t>(to);
    read();
    at_ = after;
  }

  void path(bool is_value) {
    const Step step(*this);
    switch (next()) {
      case 'C':
        put(identifier().name);
        break;
      case 'N':
        nested(is_value);
        break;
      case 'M':
        implementation();
        put("<");
        type();
        put(">");
        break;
      case 'X':
        implementation();
        [[fallthrough]];
      case 'Y':
        put("<");
        type();
        put(" as ");
        path(false);
        put(">");
        break;
      case 'I':
        path(is_value);
        if (is_value) put("::");
        put("<");
        arguments();
        put(">");
        break;
      case 'B':
        back_reference([&] { path(is_value); });
        break;
      default:
        failed_ = true;
    }
  }

  void nested(bool is_value) {
    const char space = next();
    if (!is_lower(space) && !is_upper(space)) failed_ = true;
    path(is_value);
    const Identifier id = identifier();
    if (is_lower(space)) {
      if (id.name.empty()) return;
      put("::");
      return put(id.name);
    }
    put("::{");
    put(space == 'C' ? "closure" : space == 'S' ? "shim" : std::string_view(&space, 1));
    if (!id.name.empty()) {
      put(":");
      put(id.name);
    }
    put("#" + std::to_string(id.disambiguator) + "}");
  }

  // Where an impl block is: not a part of the source's notation.
  void implementation() {
    const Silence silence(*this);
    optional_base62('s');
    path(false);
  }

  // Until "E", which is read, too. Returns the number.
  template <typename Read>
  size_t list(std::string_view separator, const Read& read) {
    size_t count = 0;
    while (!failed_ && !eat('E')) {
      if (count++ != 0) put(separator);
      read();
    }
    return count;
  }

  void arguments() {
    list(", ", [&] {
      if (eat('L'))
        lifetime(base62());
      else if (eat('K'))
        constant(false);
      else
        type();
    });
  }

  // 0 is '_; 1 is that of the innermost binder.
  void lifetime(uint64_t index) {
    if (index == 0) return put("'_");
    if (index > lifetimes_) {
      failed_ = true;
      return;
    }
    const uint64_t number = lifetimes_ - index;
    if (number < 26) return put({'\'', static_cast<char>('a' + number)});
    put("'_" + std::to_string(number));
  }
  void put(std::initializer_list<char> characters) {
    put(std::string_view(characters.begin(), characters.size()));
  }

  template <typename Read>
  void binder(const Read& read) {
    constexpr uint64_t most = 1000;
    const uint64_t count = optional_base62('G');
    if (count > most || lifetimes_ > most) {
      failed_ = true;
      return;
    }
    if (count != 0) {
      put("for<");
      for (uint64_t i = 0; i < count; i++) {
        if (i != 0) put(", ");
        lifetimes_++;
        lifetime(1);
      }
      put("> ");
    }
    read();
    lifetimes_ -= count;
  }

  void type() {
    const Step step(*this);
    const char tag = next();
    if (const std::string_view name = basic_type(tag); !name.empty()) return put(name);
    switch (tag) {
      case 'R':
      case 'Q':
        put("&");
        if (eat('L'))
          if (const uint64_t index = base62(); index != 0) {
            lifetime(index);
            put(" ");
          }
        if (tag == 'Q') put("mut ");
        return type();
      case 'P':
        put("*const ");
        return type();
      case 'O':
        put("*mut ");
        return type();
      case 'A':
        put("[");
        type();
        put("; ");
        constant(true);
        return put("]");
      case 'S':
        put("[");
        type();
        return put("]");
      case 'T': {
        put("(");
        if (list(", ", [&] { type(); }) == 1) put(",");
        return put(")");
      }
      case 'F':
        return binder([&] { function(); });
      case 'D':
        put("dyn ");
        binder([&] { list(" + ", [&] { dynamic_trait(); }); });
        if (!eat('L')) failed_ = true;
        if (const uint64_t index = base62(); index != 0) {
          put(" + ");
          lifetime(index);
        }
        return;
      case 'B':
        return back_reference([&] { type(); });
      default:
        if (!failed_) at_--;
        path(false);
    }
  }

  void function() {
    if (eat('U')) put("unsafe ");
    if (eat('K')) {
      std::string abi = "C";
      if (!eat('C')) abi = plain_identifier();
      std::replace(abi.begin(), abi.end(), '_', '-');
      put("extern \"");
      put(abi);
      put("\" ");
    }
    put("fn(");
    list(", ", [&] { type(); });
    put(")");
    if (eat('u')) return;
    put(" -> ");
    type();
  }

  void dynamic_trait() {
    bool is_open = open_path();
    while (eat('p')) {
      put(is_open ? ", " : "<");
      is_open = true;
      put(plain_identifier());
      put(" = ");
      type();
    }
    if (is_open) put(">");
  }

  // A path whose arguments may go on. Returns whether "<" is open.
  bool open_path() {
    const Step step(*this);
    if (eat('B')) {
      bool is_open = false;
      back_reference([&] { is_open = open_path(); });
      return is_open;
    }
    if (!eat('I')) {
      path(false);
      return false;
    }
    path(false);
    put("<");
    arguments();
    return true;
  }

  // ---- constants ----

  std::string_view digits() {
    const size_t begin = at_;
    while (is_hex(peek())) at_++;
    const std::string_view found = text_.substr(begin, at_ - begin);
    if (!eat('_')) failed_ = true;
    return found;
  }
  static std::optional<uint64_t> number(std::string_view digits) {
    while (digits.starts_with('0')) digits.remove_prefix(1);
    if (digits.size() > 16) return {};
    uint64_t value = 0;
    for (const char c : digits) value = value << 4 | hex_value(c);
    return value;
  }
  void unsigned_constant() {
    const std::string_view text = digits();
    if (const auto value = number(text)) return put(std::to_string(*value));
    put("0x");
    put(text);
  }

  void character(uint64_t code, char quote) {
    if (code == static_cast<uint64_t>(quote) || code == '\\')
      return put({'\\', static_cast<char>(code)});
    if (code == '\n') return put("\\n");
    if (code == '\t') return put("\\t");
    if (code == '\r') return put("\\r");
    if (code == 0) return put("\\0");
    std::string text;
    if (code < ' ' || (code >= 0x7F && code < 0xA0)) {
      constexpr std::string_view hex = "0123456789abcdef";
      text = "\\u{";
      if (code >= 16) text += hex[code >> 4];
      text += hex[code & 15];
      text += '}';
    } else {
      append_utf8(text, static_cast<uint32_t>(code));
    }
    put(text);
  }

  // Bytes of UTF-8 as digits.
  void text_constant() {
    const std::string_view text = digits();
    std::string bytes;
    for (size_t i = 0; i + 1 < text.size(); i += 2)
      bytes += static_cast<char>(hex_value(text[i]) << 4 | hex_value(text[i + 1]));
    if (text.size() % 2 != 0) failed_ = true;
    put("\"");
    for (const char c : bytes) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte < 0x80)
        character(byte, '"');
      else
        put({c});
    }
    put("\"");
  }

  // `is_value`: needs no braces.
  void constant(bool is_value) {
    const Step step(*this);
    const char tag = next();
    bool is_in_braces = false;
    const auto open = [&] {
      if (is_value) return;
      is_in_braces = true;
      put("{");
    };
    switch (tag) {
      case 'p':
        put("_");
        break;
      case 'h':
      case 't':
      case 'm':
      case 'y':
      case 'o':
      case 'j':
        unsigned_constant();
        break;
      case 'a':
      case 's':
      case 'l':
      case 'x':
      case 'n':
      case 'i':
        if (eat('n')) put("-");
        unsigned_constant();
        break;
      case 'b': {
        const auto value = number(digits());
        if (!value || *value > 1) failed_ = true;
        put(value == 1 ? "true" : "false");
        break;
      }
      case 'c': {
        const auto value = number(digits());
        if (!value || !is_character(*value)) {
          failed_ = true;
          break;
        }
        put("'");
        character(*value, '\'');
        put("'");
        break;
      }
      case 'e':
        open();
        put("*");
        text_constant();
        break;
      case 'R':
      case 'Q':
        if (tag == 'R' && eat('e')) {
          text_constant();
          break;
        }
        open();
        put(tag == 'R' ? "&" : "&mut ");
        constant(true);
        break;
      case 'A':
        open();
        put("[");
        list(", ", [&] { constant(true); });
        put("]");
        break;
      case 'T':
        open();
        put("(");
        if (list(", ", [&] { constant(true); }) == 1) put(",");
        put(")");
        break;
      case 'V':
        open();
        path(true);
        variant();
        break;
      case 'B':
        back_reference([&] { constant(is_value); });
        break;
      default:
        failed_ = true;
    }
    if (is_in_braces) put("}");
  }

  void variant() {
    if (eat('U')) return;
    if (eat('T')) {
      put("(");
      list(", ", [&] { constant(true); });
      return put(")");
    }
    if (!eat('S')) {
      failed_ = true;
      return;
    }
    put(" { ");
    list(", ", [&] {
      put(identifier().name);
      put(": ");
      constant(true);
    });
    put(" }");
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string out_ = {};
  bool failed_ = false;
  unsigned silent_ = 0;
  unsigned depth_ = 0;
  unsigned steps_ = 0;
  uint64_t lifetimes_ = 0;
};

}  // namespace

std::optional<std::string> rust_name(std::string_view mangled) {
  if (mangled.size() > longest) return {};
  if (mangled.starts_with("_ZN")) return older_name(mangled);
  if (mangled.starts_with("_R")) return V0(mangled.substr(2)).run();
  return {};
}

}  // namespace skein
