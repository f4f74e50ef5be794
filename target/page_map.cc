#include "target/page_map.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace skein {

namespace {

uint64_t page_size() {
  static const auto size = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return size;
}

uint64_t page_of(uint64_t address) { return address / page_size(); }

// Adds what [begin, end) has in common with the range.
void add_run(std::vector<PageRun>& runs, PageRun run, uint64_t begin, uint64_t end) {
  run.begin = std::max(run.begin, begin);
  run.end = std::min(run.end, end);
  if (run.begin >= run.end) return;
  if (!runs.empty() && runs.back().end == run.begin)
    runs.back().end = run.end;
  else
    runs.push_back(run);
}

}  // namespace

PageMap::PageMap(const std::string& folder)
    : pages_(open((folder + "/pagemap").c_str(), O_RDONLY | O_CLOEXEC)) {}

PageMap::~PageMap() {
  if (pages_ >= 0) close(pages_);
}

uint64_t PageMap::first(uint64_t begin, uint64_t end) const {
  if (begin >= end) return end;
  if (!is_known()) return begin;
  std::optional<std::vector<PageRun>> found = scan(begin, end, 1);
  if (!found) found = read(begin, end, 1);
  return found->empty() ? end : found->front().begin;
}

std::vector<PageRun> PageMap::runs(uint64_t begin, uint64_t end) const {
  if (begin >= end) return {};
  if (!is_known()) return {{begin, end}};
  std::optional<std::vector<PageRun>> found = scan(begin, end, UINT64_MAX);
  return found ? std::move(*found) : read(begin, end, UINT64_MAX);
}

// PAGEMAP_SCAN of Linux 6.7, which skips what has no table of pages: terabytes in no time.
std::optional<std::vector<PageRun>> PageMap::scan(uint64_t begin, uint64_t end,
                                                  uint64_t most) const {
  struct Region {
    uint64_t begin, end, categories;
  };
  struct Scan {  // struct pm_scan_arg of <linux/fs.h>
    uint64_t size, flags, begin, end, walked_to, regions, most_regions, most_pages;
    uint64_t inverted, all_of, any_of, returned;
  };
  constexpr uint64_t in_memory_or_swapped = 1 << 3 | 1 << 4;
  constexpr uint64_t zeros_of_all = 1 << 5;  // the page that all processes share until they write
  if (!scans_) return {};
  std::array<Region, 256> regions;
  std::vector<PageRun> found;
  Scan scan = {};
  scan.size = sizeof scan;
  scan.begin = page_of(begin) * page_size();
  scan.end = (page_of(end - 1) + 1) * page_size();
  scan.regions = reinterpret_cast<uint64_t>(regions.data());  // NOLINT
  scan.most_regions = most == 1 ? 1 : regions.size();
  scan.most_pages = most == 1 ? 1 : 0;
  scan.inverted = zeros_of_all;
  scan.all_of = zeros_of_all;
  scan.any_of = in_memory_or_swapped;
  scan.returned = in_memory_or_swapped;
  while (scan.begin < scan.end) {
    const int count = ioctl(pages_, _IOWR('f', 16, Scan), &scan);
    if (count < 0) {
      if (errno == EINTR) continue;
      scans_ = errno != ENOTTY && errno != EINVAL;
      return {};
    }
    for (int i = 0; i < count; i++) {
      const Region& one = regions[static_cast<size_t>(i)];
      add_run(found, {one.begin, one.end}, begin, end);
    }
    if (most == 1 || scan.walked_to <= scan.begin) break;
    scan.begin = scan.walked_to;
  }
  return found;
}

// 64 bits a page; 63: it is in memory, 62: swapped out.
std::vector<PageRun> PageMap::read(uint64_t begin, uint64_t end, uint64_t most) const {
  const uint64_t after = page_of(end - 1) + 1;
  std::array<uint64_t, 8192> entries;
  std::vector<PageRun> found;
  for (uint64_t at = page_of(begin); at < after;) {
    const uint64_t count = std::min<uint64_t>(entries.size(), after - at);
    const ssize_t size = pread(pages_, entries.data(), count * sizeof(uint64_t),
                               static_cast<off_t>(at * sizeof(uint64_t)));
    if (size < static_cast<ssize_t>(count * sizeof(uint64_t))) {  // not known
      add_run(found, {at * page_size(), after * page_size()}, begin, end);
      return found;
    }
    for (uint64_t i = 0; i < count; i++) {
      if (entries[i] >> 62 == 0) continue;
      add_run(found, {(at + i) * page_size(), (at + i + 1) * page_size()}, begin, end);
      if (most == 1) return found;
    }
    at += count;
  }
  return found;
}

}  // namespace skein
