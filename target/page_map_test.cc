#include "target/page_map.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <vector>

#include "target/process.h"

using namespace skein;

namespace {

constexpr uint64_t page_size = 4096;

class Pages {
 public:
  explicit Pages(uint64_t count)
      : size_(count * page_size),
        at_(static_cast<uint8_t*>(mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
    REQUIRE(at_ != MAP_FAILED);
    madvise(at_, size_, MADV_NOHUGEPAGE);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { munmap(at_, size_); }

  void write(uint64_t number) { at_[number * page_size] = 7; }
  uint64_t begin() const { return reinterpret_cast<uint64_t>(at_); }  // NOLINT
  uint64_t end() const { return begin() + size_; }
  uint64_t at(uint64_t number) const { return begin() + number * page_size; }

 private:
  uint64_t size_;
  uint8_t* at_;
};

uint64_t pages_in_memory() {
  std::ifstream file("/proc/self/statm");
  uint64_t all = 0;
  uint64_t resident = 0;
  file >> all >> resident;
  return resident;
}

}  // namespace

TEST_CASE("runs of written pages") {
  Pages pages(5000);
  for (const uint64_t number : {3U, 4U, 5U, 4096U, 4999U}) pages.write(number);
  const PageMap map("/proc/self");
  if (!map.is_known()) {
    MESSAGE("skipped: no permission to read pagemap");
    return;
  }
  const auto runs = map.runs(pages.begin(), pages.end());
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].begin == pages.at(3));
  CHECK(runs[0].end == pages.at(6));
  CHECK(runs[1].begin == pages.at(4096));
  CHECK(runs[2].begin == pages.at(4999));
  CHECK(runs[2].end == pages.end());

  const auto part = map.runs(pages.at(4) + 8, pages.at(5) + 16);
  REQUIRE(part.size() == 1);
  CHECK(part[0].begin == pages.at(4) + 8);
  CHECK(part[0].end == pages.at(5) + 16);
  CHECK(map.runs(pages.at(6), pages.at(4096)).empty());
  CHECK(map.runs(pages.begin(), pages.begin()).empty());
  CHECK(map.first(pages.begin(), pages.end()) == pages.at(3));
  CHECK(map.first(pages.at(6), pages.at(4096)) == pages.at(4096));
}

TEST_CASE("more runs than the kernel lists at once") {
  Pages pages(2000);
  for (uint64_t i = 0; i < 2000; i += 2) pages.write(i);
  const PageMap map("/proc/self");
  if (!map.is_known()) {
    MESSAGE("skipped: no permission to read pagemap");
    return;
  }
  const auto runs = map.runs(pages.begin(), pages.end());
  REQUIRE(runs.size() == 1000);
  for (uint64_t i = 0; i < 1000; i++) CHECK(runs[i].begin == pages.at(2 * i));
}

TEST_CASE("of a process that cannot be looked at, all may be written") {
  const PageMap map("/no/such/folder");
  CHECK(!map.is_known());
  CHECK(map.first(100, 200) == 100);
  REQUIRE(map.runs(100, 200).size() == 1);
  CHECK(map.runs(100, 200)[0].end == 200);
}

TEST_CASE("reading what was written leaves the rest without pages") {
  Pages pages(50000);
  for (uint64_t i = 0; i < 50000; i += 500) pages.write(i);
  const auto opened = open_process(static_cast<uint64_t>(getpid()));
  REQUIRE(opened);
  if (!PageMap("/proc/self").is_known()) {
    MESSAGE("skipped: no permission to read pagemap");
    return;
  }
  std::vector<uint8_t> bytes(pages.end() - pages.begin(), 1);
  const uint64_t before = pages_in_memory();
  CHECK((*opened)->read_written(pages.begin(), bytes) == bytes.size());
  CHECK(pages_in_memory() < before + 1000);
  bool is_right = true;
  for (uint64_t i = 0; i < bytes.size(); i++)
    is_right = is_right && bytes[i] == (i % (500 * page_size) == 0 ? 7 : 0);
  CHECK(is_right);
}
