// Fast, checked text output and the numbers in it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace skein::cli {

// Collects text and writes it in big pieces. A full disk or a closed pipe is noticed: flush and
// finish then throw CommandError(1).
class Output {
 public:
  explicit Output(std::FILE* file) : file_(file) {}

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
  std::string text_;
};

void append_number(std::string& out, uint64_t number);
void append_signed(std::string& out, int64_t number);

// "5.898599766"
void append_seconds(std::string& out, uint64_t nanoseconds);
std::string seconds(uint64_t nanoseconds);

// "10,078"
std::string grouped(uint64_t number);

// Lines of cells below each other, two spaces between them and `indent` before, none at the end.
// `align`: '<' or '>' for each column, to the left or to the right.
void append_columns(std::string& out, const std::vector<std::vector<std::string>>& lines,
                    std::string_view align, size_t indent);

// At most 100 characters a line where words allow it, each behind `indent` spaces.
void append_paragraph(std::string& out, std::string_view text, size_t indent);

}  // namespace skein::cli
