#include "target/thread_ids.h"

#include <algorithm>
#include <charconv>

#include "base/disk_files.h"

namespace skein {

std::vector<uint64_t> thread_ids(const std::string& folder) {
  std::vector<uint64_t> ids;
  DiskFiles files;
  const Result<std::vector<std::string>> names = files.list(folder);
  if (!names) return ids;
  for (const std::string& name : *names) {
    uint64_t id = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), id).ec == std::errc())
      ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace skein
