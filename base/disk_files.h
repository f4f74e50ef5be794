// Files on disk, and standard input.
#pragma once

#include "base/file.h"

namespace skein {

class DiskFiles : public Files {
 public:
  explicit DiskFiles(uint64_t limit = default_limit) : limit_(limit) {}
  DiskFiles(const DiskFiles&) = delete;
  DiskFiles& operator=(const DiskFiles&) = delete;
  ~DiskFiles() override;

  FileType type(const std::string& path) override;
  Result<Contents> open(const std::string& path, Access access = Access::Map) override;
  Result<std::vector<uint8_t>> head(const std::string& path, size_t count) override;
  Result<std::vector<std::string>> list(const std::string& path) override;

 private:
  // A file that is read only once (standard input, pipe, device). Open from head() to open().
  struct Flow {
    int descriptor = -1;
    std::vector<uint8_t> head = {};  // read by head() and not yet returned by open()
  };

  bool flows(const std::string& path) { return path == "-" || type(path) == FileType::Other; }
  Result<Flow*> flow(const std::string& path);
  Result<std::vector<uint8_t>> read_up_to(int descriptor, const std::string& path,
                                          std::vector<uint8_t> start, uint64_t limit);
  Result<Contents> read_all(int descriptor, const std::string& path, std::vector<uint8_t> start);

  uint64_t limit_;
  std::map<std::string, Flow> flows_;  // by path
};

}  // namespace skein
