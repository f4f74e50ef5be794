// Files on this machine's disk, and standard input.
#pragma once

#include "base/file.h"

namespace skein {

class DiskFiles : public Files {
 public:
  explicit DiskFiles(uint64_t limit = default_limit) : limit_(limit) {}

  FileType type(const std::string& path) override;
  Result<Contents> open(const std::string& path, Access access = Access::Map) override;
  Result<std::vector<uint8_t>> head(const std::string& path, size_t count) override;
  Result<std::vector<std::string>> list(const std::string& path) override;

 private:
  Result<std::vector<uint8_t>> read_up_to(int descriptor, const std::string& path,
                                          std::vector<uint8_t> start, uint64_t limit);
  Result<Contents> read_all(int descriptor, const std::string& path, std::vector<uint8_t> start);

  uint64_t limit_;
  std::vector<uint8_t> input_head_;  // read from standard input, not yet given to open()
};

}  // namespace skein
