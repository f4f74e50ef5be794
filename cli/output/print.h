// Fast, checked text output.
#pragma once

#include <cstdio>
#include <string>

namespace skein::cli {

// Buffers text and writes it in large pieces. flush and finish throw CommandError(1) if the write
// fails, as on a full disk or a closed pipe.
class Output {
 public:
  // Text is for users and is converted to ASCII if the locale requires it. Data is unchanged.
  enum class Content { Text, Data };

  explicit Output(std::FILE* file, Content content = Content::Data);

  std::string& text() { return text_; }

  // Call after each line: writes the buffer if it is large enough.
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
