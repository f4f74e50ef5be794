// Which pages of a process have something in them, by /proc/PID/pagemap. A page that was never
// written reads as zeros, but reading it may give the process a page of its own.
//
//   PageMap pages("/proc/123");
//   for (const PageRun& run : pages.runs(begin, end)) read(run);
//
// Documentation/admin-guide/mm/pagemap.rst.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace skein {

struct PageRun {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Not for several threads at once.
class PageMap {
 public:
  explicit PageMap(const std::string& folder);  // of the process
  PageMap(const PageMap&) = delete;
  PageMap& operator=(const PageMap&) = delete;
  ~PageMap();

  bool is_known() const { return pages_ >= 0; }  // false: no permission

  // The first address in [begin, end) on a page in memory or swapped out; `end`: there is none;
  // `begin` if that is not known. 1 us; 10 us for each 4 MiB with a kernel before 6.7.
  uint64_t first(uint64_t begin, uint64_t end) const;

  // All such pages in [begin, end), ascending, cut at both ends. The whole range if that is not
  // known. 10 us for each 4 MiB.
  std::vector<PageRun> runs(uint64_t begin, uint64_t end) const;

 private:
  // Those of [begin, end) until there are `most` pages. Nothing: the kernel cannot scan.
  std::optional<std::vector<PageRun>> scan(uint64_t begin, uint64_t end, uint64_t most) const;
  std::vector<PageRun> read(uint64_t begin, uint64_t end, uint64_t most) const;

  int pages_;
  mutable bool scans_ = true;
};

}  // namespace skein
