// A temporary directory, removed at the end of the test, whether it passes or fails. A signal that
// kills the test leaves it.
#pragma once
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace skein::test {

class Scratch {
 public:
  explicit Scratch(const char* topic) : owner_(getpid()) {
    std::string pattern =
        (std::filesystem::temp_directory_path() / ("skein-" + std::string(topic) + "-XXXXXX"));
    if (mkdtemp(pattern.data()) == nullptr) {
      perror(pattern.c_str());
      exit(1);
    }
    path_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    if (getpid() == owner_) std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  pid_t owner_;
  std::string path_;
};

}  // namespace skein::test
