// Fast, checked text output.
#pragma once

#include <cstdio>
#include <string>

namespace skein::cli {

// Collects text and writes it in big pieces. A full disk or a closed pipe is noticed: flush and
// finish then throw CommandError(1).
class Output {
 public:
  // Text for a person is converted to ASCII where the locale asks for it; data stays as it is.
  enum class Content { Text, Data };

  explicit Output(std::FILE* file, Content content = Content::Data);

  std::string& text() { return text_; }

  // To be called after every line: writes when enough has been collected.
  void line_done() {
    if (text_.size() >= piece) flush();
  }
  void flush();
  void finish();

 private:
  static constexpr size_t piece = size_t{256} << 10;

  std::FILE* file_;
  bool is_ascii_;
  std::string text_;
};

}  // namespace skein::cli
