#include "cli/print.h"

#include <cerrno>
#include <cstring>

#include "cli/fail.h"

namespace skein::cli {

void Output::flush() {
  const bool written = std::fwrite(text_.data(), 1, text_.size(), file_) == text_.size();
  text_.clear();
  if (!written) fail(1, std::string("cannot write: ") + std::strerror(errno));
}

void Output::finish() {
  flush();
  if (std::fflush(file_) != 0) fail(1, std::string("cannot write: ") + std::strerror(errno));
}

}  // namespace skein::cli
