// Files on disk, and standard input.
#pragma once

#include "base/file.h"

struct stat;

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

 protected:
  // False: `path` is only opened if it is a regular file itself, not a link to one, and type()
  // returns Other for anything else. Never blocks on such a path.
  virtual bool follows_links(const std::string& path) const;

 private:
  // A file that is read only once (standard input, pipe, device). Open from head() to open().
  struct Flow {
    int descriptor = -1;
    std::vector<uint8_t> head = {};  // read by head() and not yet returned by open()
  };

  bool flows(const std::string& path);
  // Opens a file that is not a flow, and gets its status. The caller closes it.
  Result<int> open_file(const std::string& path, struct stat& status);
  Result<Flow*> flow(const std::string& path);
  Result<std::vector<uint8_t>> read_up_to(int descriptor, const std::string& path,
                                          std::vector<uint8_t> start, uint64_t limit);
  Result<Contents> read_all(int descriptor, const std::string& path, std::vector<uint8_t> start);

  uint64_t limit_;
  std::map<std::string, Flow> flows_;  // by path
};

// Files for output that leaves this machine, such as a page. What the user names is opened as by
// DiskFiles, even if it is a link. Inside a directory that the user names, only regular files
// exist: a link in it may lead to any file of the user.
class UnlinkedFiles : public DiskFiles {
 public:
  explicit UnlinkedFiles(std::vector<std::string> named) : named_(std::move(named)) {}

 protected:
  bool follows_links(const std::string& path) const override;

 private:
  std::vector<std::string> named_;
};

}  // namespace skein
