// A directory that is made for a trace: 0700, its files 0600; nothing that is there already is
// written to or followed.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace skein::cli {

class NewTrace {
 public:
  // Makes the directory; on failure says why on stderr and throws CLI::RuntimeError(2).
  explicit NewTrace(const std::string& path);
  ~NewTrace();
  NewTrace(const NewTrace&) = delete;
  NewTrace& operator=(const NewTrace&) = delete;

  // On failure (full disk) says why on stderr and throws CLI::RuntimeError(1).
  void write(const std::string& name, std::span<const uint8_t> bytes);

 private:
  std::string path_;
  int directory_;
};

}  // namespace skein::cli
