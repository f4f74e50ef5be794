#include "base/stable_sort.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

using namespace skein;

TEST_CASE("the result is that of std::stable_sort, for all small sizes") {
  uint32_t seed = 1;
  for (size_t size = 0; size < 200; size++) {
    CAPTURE(size);
    std::vector<std::pair<uint32_t, std::string>> items;
    for (size_t i = 0; i < size; i++) {
      seed = seed * 1103515245 + 12345;
      items.emplace_back((seed >> 16) % (size / 3 + 1), std::to_string(i));
    }
    const auto less = [](const auto& a, const auto& b) { return a.first < b.first; };
    auto expected = items;
    std::stable_sort(expected.begin(), expected.end(), less);
    auto by_number = items;
    stable_sort(items, less);
    CHECK(items == expected);
    stable_sort_by(by_number, [](const auto& item) { return item.first; });
    CHECK(by_number == expected);
    stable_sort(items, less);
    CHECK(items == expected);
  }
}

TEST_CASE("negative numbers sort before positive ones") {
  std::vector<int64_t> numbers = {3, -1, INT64_MAX, 0, INT64_MIN, -2};
  stable_sort_by(numbers, [](int64_t number) { return number; });
  CHECK(numbers == std::vector<int64_t>{INT64_MIN, -2, -1, 0, 3, INT64_MAX});
}
