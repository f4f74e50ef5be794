// The regular expressions of CTest's properties.
//
// CMake's are nearest to the extended ones of POSIX. One that is invalid there matches nothing.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace skein::cli {

// The first of the patterns that matches the text; null: none.
const std::string* find_match(const std::vector<std::string>& patterns, const std::string& text);

// Waits for a line in a file that grows.
class OutputWatch {
 public:
  // `patterns` must outlive it. No patterns: it never matches.
  OutputWatch(std::string file, const std::vector<std::string>& patterns)
      : file_(std::move(file)), patterns_(&patterns) {}

  // Reads what was appended since the last call. The pattern that matches a line of the file; null:
  // none so far. A line is matched when it is complete.
  const std::string* match();

 private:
  std::string file_;
  const std::vector<std::string>* patterns_;
  const std::string* match_ = nullptr;
  size_t at_ = 0;          // bytes read
  std::string line_ = {};  // the beginning of an incomplete one
};

}  // namespace skein::cli
