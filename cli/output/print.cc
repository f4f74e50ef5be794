#include "cli/output/print.h"

#include <cerrno>
#include <cstring>

#include "base/ascii.h"
#include "cli/die.h"
#include "cli/output/terminal.h"

namespace skein::cli {

Output::Output(std::FILE* file, Content content)
    : file_(file), is_ascii_(content == Content::Text && locale_is_ascii()) {}

void Output::flush() {
  if (is_ascii_) text_ = ascii(text_);
  const bool written = std::fwrite(text_.data(), 1, text_.size(), file_) == text_.size();
  text_.clear();
  if (!written) die(1, std::string("cannot write: ") + std::strerror(errno));
}

void Output::finish() {
  flush();
  if (std::fflush(file_) != 0) die(1, std::string("cannot write: ") + std::strerror(errno));
}

}  // namespace skein::cli
