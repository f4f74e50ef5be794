// Reads JSON from the front, a token at a time, without making anything of it:
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
// It is less strict than a parser where nothing is lost by it, since a trace that somebody's printf
// wrote is still a trace: a comma may stand before a closing bracket, a word (NaN, None) may be a
// value, and texts may hold any bytes. Where a token cannot be what is asked for it fails, stays
// there and gives empty values from then on. Nothing here recurses: any depth is allowed.
//
// Rejected: nlohmann's SAX parser, which cannot go on behind the first mistake, nor say where it is
// while all is well; and it makes a std::string of everything that one only wants to pass over.
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
  // Goes on reading there, whatever was wrong.
  void move_to(size_t at) {
    at_ = at;
    failed_ = false;
  }

  // The character the next token begins with; 0 at the end or after a failure.
  char peek();
  // Is this what comes next? Then it is passed.
  bool take(char wanted);
  // It must come next.
  void expect(char wanted) {
    if (!take(wanted)) failed_ = true;
  }

  // A text's contents; valid until the next one is asked for, and as long as the file.
  std::string_view string();

  struct Scalar {
    enum class Type : uint8_t { Text, Number, Word, Nested };
    Type type = Type::Nested;  // an object or array, which was passed over
    std::string_view text = {};
  };
  // Any value. Of a number and a word: the characters themselves.
  Scalar scalar();

  // Passes over a value of any kind.
  void skip();

  // Texts that were said otherwise than they are meant to be: half a surrogate pair, an escape that
  // does not exist (both replaced), bytes that are no UTF-8 (left as they are).
  uint64_t odd_texts() const { return odd_texts_; }
  size_t first_odd() const { return first_odd_; }

 private:
  bool pass_string();
  std::string_view word();
  void pass_key();
  // `is_odd` becomes true if something had to be replaced.
  std::string_view unescaped(std::string_view raw, bool& is_odd);

  std::string_view text_;
  size_t at_;
  bool failed_ = false;
  uint64_t odd_texts_ = 0;
  size_t first_odd_ = 0;
  std::string scratch_;  // of an unescaped text
  std::string open_;     // brackets in skip()
};

}  // namespace skein::chrome
