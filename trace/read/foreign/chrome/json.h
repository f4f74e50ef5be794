// Reads JSON sequentially, one token at a time, without building a tree:
//
//   Json json(text);
//   if (json.take('{'))
//     do {
//       const std::string key(json.string());
//       if (!json.take(':')) break;
//       if (key == "name") use(json.scalar()); else json.skip();
//     } while (json.take(','));
//   if (json.failed()) report(json.at());
//
// It is lenient where that loses nothing, since a trace written with printf is still a trace: a
// comma may precede a closing bracket, a word (NaN, None) may be a value, and strings may contain
// any bytes. If the next token is not the requested one, the reader fails, stays there and returns
// empty values from then on. Nothing recurses: any nesting depth is allowed.
//
// Rejected: nlohmann's SAX parser. It cannot continue after the first error, reports positions only
// for errors, and builds a std::string even for skipped values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace skein::chrome {

class Json {
 public:
  explicit Json(std::string_view text, size_t at = 0) : text_(text), at_(at) {}

  size_t at() const { return at_; }
  bool failed() const { return failed_; }
  // Continues at `at` and clears the failure.
  void move_to(size_t at) {
    at_ = at;
    failed_ = false;
  }

  // The first character of the next token; 0 at the end or after a failure.
  char peek();
  // Consumes `wanted` if it comes next; returns whether it did.
  bool take(char wanted);
  // Consumes `wanted`; fails if it does not come next.
  void expect(char wanted) {
    if (!take(wanted)) failed_ = true;
  }

  // A string's contents; valid until the next call, and no longer than the file.
  std::string_view string();

  struct Scalar {
    enum class Type : uint8_t { Text, Number, Word, Nested };
    Type type = Type::Nested;  // an object or array, which is skipped
    std::string_view text = {};
  };
  // Reads any value. `text` is the contents of a string, or the characters of a number or word.
  Scalar scalar();

  // Skips a value of any type.
  void skip();

  // Number of invalid strings, and the offset of the first: half a surrogate pair or an unknown
  // escape (both are replaced), or bytes that are not UTF-8 (left as they are).
  uint64_t invalid_strings() const { return invalid_strings_; }
  size_t first_invalid() const { return first_invalid_; }

 private:
  bool pass_string();
  std::string_view word();
  void pass_key();
  // Sets `is_invalid` if it replaces something.
  std::string_view unescaped(std::string_view raw, bool& is_invalid);

  std::string_view text_;
  size_t at_;
  bool failed_ = false;
  uint64_t invalid_strings_ = 0;
  size_t first_invalid_ = 0;
  std::string scratch_;  // contents of an unescaped string
  std::string open_;     // unclosed brackets in skip()
};

}  // namespace skein::chrome
