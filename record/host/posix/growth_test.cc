#include "record/host/posix/growth.h"

#include <doctest/doctest.h>

using namespace skein::record;

namespace {
constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kRoom = 64 * 1024 * kMiB;
constexpr uint64_t kSecond = 1'000'000'000;
}  // namespace

TEST_CASE("a ring keeps five seconds within 16 MiB per thread and 256 MiB per process") {
  const Growth growth = growth_of({}, kRoom);
  CHECK(growth.keep_ns == 5 * kSecond);
  CHECK(growth.most_of_thread == 16 * kMiB);
  CHECK(growth.most == 256 * kMiB);
}

TEST_CASE("a size alone is fixed, and so are a log and a ring with all files at start") {
  Options options;
  options.size = kMiB;
  CHECK(growth_of(options, kRoom).keep_ns == 0);
  Options log;
  log.log = true;
  CHECK(growth_of(log, kRoom).keep_ns == 0);
  Options all;
  all.all_files_for = 16;
  CHECK(growth_of(all, kRoom).keep_ns == 0);
}

TEST_CASE("a time or a limit that is set is for one thread as well") {
  Options keep;
  keep.size = kMiB;
  keep.keep_ns = 60 * kSecond;
  CHECK(growth_of(keep, kRoom).keep_ns == 60 * kSecond);
  CHECK(growth_of(keep, kRoom).most_of_thread == 256 * kMiB);
  Options most;
  most.size = kMiB;
  most.most = 1024 * kMiB;
  CHECK(growth_of(most, kRoom).keep_ns == 5 * kSecond);
  CHECK(growth_of(most, kRoom).most == 1024 * kMiB);
  CHECK(growth_of(most, kRoom).most_of_thread == 1024 * kMiB);
}

TEST_CASE("on a small machine a sixteenth of it, unless a limit is set") {
  CHECK(growth_of({}, 512 * kMiB).most == 32 * kMiB);
  Options most;
  most.most = 100 * kMiB;
  CHECK(growth_of(most, 512 * kMiB).most == 100 * kMiB);
}

TEST_CASE("a ring grows to exactly its limit, with at most 64 chunks") {
  const Growth growth = {.keep_ns = kSecond, .most_of_thread = 4096 * kMiB, .most = 4096 * kMiB};
  uint64_t bytes = kMiB;
  unsigned chunks = 8;
  while (const size_t size = size_of_grown(growth, bytes, kMiB / 8, UINT64_MAX)) {
    CHECK(size % 4096 == 0);
    CHECK(size >= kMiB / 8);
    CHECK(size <= bytes / 6 + kMiB / 8);
    bytes += size;
    ++chunks;
  }
  CHECK(bytes == growth.most_of_thread);
  CHECK(chunks <= 64);
}

TEST_CASE("no chunk is larger than a file may be") {
  const Growth growth = {.keep_ns = kSecond, .most_of_thread = 16 * kMiB, .most = 16 * kMiB};
  CHECK(size_of_grown(growth, 12 * kMiB, kMiB / 8, kMiB) == kMiB);
  CHECK(size_of_grown(growth, 12 * kMiB, kMiB / 8, kMiB / 16) == 0);
  CHECK(size_of_grown(growth, 16 * kMiB, kMiB / 8, UINT64_MAX) == 0);
  CHECK(size_of_grown(growth, 20 * kMiB, kMiB / 8, UINT64_MAX) == 0);
}
