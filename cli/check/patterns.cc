#include "cli/check/patterns.h"

#include <regex.h>

#include <fstream>

namespace skein::cli {

const std::string* find_match(const std::vector<std::string>& patterns, const std::string& text) {
  for (const std::string& pattern : patterns) {
    regex_t regex = {};
    if (regcomp(&regex, pattern.c_str(), REG_EXTENDED | REG_NOSUB) != 0) continue;
    const bool matches = regexec(&regex, text.c_str(), 0, nullptr, 0) == 0;
    regfree(&regex);
    if (matches) return &pattern;
  }
  return nullptr;
}

const std::string* OutputWatch::match() {
  constexpr size_t longest_line = size_t{1} << 20;
  if (match_ != nullptr || patterns_->empty()) return match_;
  std::ifstream file(file_, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(at_));
  char part[65536];
  while (file.read(part, sizeof part), file.gcount() > 0) {
    const auto size = static_cast<size_t>(file.gcount());
    at_ += size;
    line_.append(part, size);
    size_t begin = 0;
    for (size_t end = 0; (end = line_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      match_ = find_match(*patterns_, line_.substr(begin, end - begin));
      if (match_ != nullptr) return match_;
    }
    line_.erase(0, begin);
    if (line_.size() > longest_line) line_.clear();
  }
  return nullptr;
}

}  // namespace skein::cli
