#include "trace/read/foreign/chrome/json.h"

#include <charconv>

#include "base/utf8.h"

namespace skein::chrome {

namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_in_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
         c == '+' || c == '_';
}

bool is_number(std::string_view word) {
  size_t at = word.starts_with('-');
  if (at == word.size() || !is_digit(word[at])) return false;
  return word.find_first_not_of("0123456789.eE+-") == std::string_view::npos;
}

// Parses the four digits after \u; UINT32_MAX if invalid.
uint32_t hexadecimal(std::string_view digits) {
  uint32_t code = 0;
  if (digits.size() < 4) return UINT32_MAX;
  const char* const end = digits.data() + 4;
  const auto [at, error] = std::from_chars(digits.data(), end, code, 16);
  return at == end && error == std::errc() && digits[0] != '-' ? code : UINT32_MAX;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t size = static_cast<uint8_t>(text[0]) < 0x80 ? 1 : decode_utf8(text).size;
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace

char Json::peek() {
  while (at_ < text_.size() && is_space(text_[at_])) at_++;
  return failed_ || at_ == text_.size() ? '\0' : text_[at_];
}

bool Json::take(char wanted) {
  if (peek() != wanted) return false;
  at_++;
  return true;
}

// Moves from after the opening quotation mark to after the closing one. Fails at the end of a line:
// a quotation mark is missing.
bool Json::pass_string() {
  for (; at_ < text_.size(); at_++) {
    const char c = text_[at_];
    if (c == '"') {
      at_++;
      return true;
    }
    if (c == '\n') break;
    if (c == '\\' && ++at_ == text_.size()) break;
  }
  failed_ = true;
  return false;
}

std::string_view Json::string() {
  expect('"');
  const size_t begin = at_;
  if (failed_ || !pass_string()) return {};
  const std::string_view raw = text_.substr(begin, at_ - begin - 1);
  bool is_plain = true;
  bool is_ascii = true;
  for (const char c : raw) {
    is_plain &= c != '\\';
    is_ascii &= static_cast<uint8_t>(c) < 0x80;
  }
  bool is_invalid = !is_ascii && !is_utf8(raw);
  const std::string_view text = is_plain ? raw : unescaped(raw, is_invalid);
  if (is_invalid && invalid_strings_++ == 0) first_invalid_ = begin;
  return text;
}

std::string_view Json::unescaped(std::string_view raw, bool& is_invalid) {
  constexpr uint32_t replacement = 0xfffd;
  scratch_.clear();
  for (size_t i = 0; i < raw.size(); i++) {
    if (raw[i] != '\\') {
      scratch_ += raw[i];
      continue;
    }
    static constexpr std::string_view letters = "bfnrt\"\\/";
    static constexpr std::string_view meant = "\b\f\n\r\t\"\\/";
    const char letter = raw[++i];  // exists, or the string would not end here
    if (const size_t which = letters.find(letter); which != std::string_view::npos) {
      scratch_ += meant[which];
      continue;
    }
    uint32_t code = letter == 'u' ? hexadecimal(raw.substr(i + 1)) : UINT32_MAX;
    if (code == UINT32_MAX) {
      is_invalid = true;
      scratch_ += letter;
      continue;
    }
    i += 4;
    if (code >= 0xd800 && code < 0xdc00 && raw.substr(i + 1).starts_with("\\u")) {
      const uint32_t second = hexadecimal(raw.substr(i + 3));
      if (second >= 0xdc00 && second < 0xe000) {
        code = 0x10000 + ((code - 0xd800) << 10 | (second - 0xdc00));
        i += 6;
      }
    }
    if (code >= 0xd800 && code < 0xe000) {
      is_invalid = true;
      code = replacement;
    }
    append_utf8(scratch_, code);
  }
  return scratch_;
}

std::string_view Json::word() {
  peek();
  const size_t begin = at_;
  while (at_ < text_.size() && is_in_word(text_[at_])) at_++;
  if (at_ == begin) failed_ = true;
  return text_.substr(begin, at_ - begin);
}

Json::Scalar Json::scalar() {
  const char first = peek();
  if (first == '"') return {.type = Scalar::Type::Text, .text = string()};
  if (first == '{' || first == '[') {
    skip();
    return {};
  }
  const std::string_view found = word();
  return {.type = is_number(found) ? Scalar::Type::Number : Scalar::Type::Word, .text = found};
}

void Json::pass_key() {
  expect('"');
  if (!failed_) pass_string();
  expect(':');
}

void Json::skip() {
  open_.clear();
  do {
    const char first = peek();
    if (first == '{' || first == '[') {
      at_++;
      open_ += static_cast<char>(first + 2);  // the closing bracket
    } else if (first == '"') {
      at_++;
      pass_string();
    } else {
      word();
    }
    // After a value or an opening bracket: advances to the next value.
    bool is_first = first == '{' || first == '[';
    while (!failed_ && !open_.empty()) {
      const bool is_separated = take(',') || is_first;
      is_first = false;
      if (take(open_.back())) {
        open_.pop_back();
        continue;
      }
      if (!is_separated) failed_ = true;
      if (open_.back() == '}') pass_key();
      break;
    }
  } while (!failed_ && !open_.empty());
}

}  // namespace skein::chrome
