#include "trace/ask/doctor/lock_graph.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace skein;

namespace {

// The locks that are kept, of six.
std::string cyclic(const std::vector<LockStep>& steps) {
  std::string text;
  const std::vector<bool> kept = find_cyclic(steps, 6);
  for (size_t i = 0; i < kept.size(); i++)
    if (kept[i]) text += std::to_string(i);
  return text;
}

}  // namespace

TEST_CASE("locks on cycles, and between them, are kept") {
  CHECK(cyclic({}) == "");
  CHECK(cyclic({{0, 1}, {1, 2}, {0, 2}}) == "");
  CHECK(cyclic({{0, 1}, {1, 0}}) == "01");
  CHECK(cyclic({{3, 0}, {0, 1}, {1, 2}, {2, 0}, {2, 4}}) == "012");
  CHECK(cyclic({{0, 1}, {1, 0}, {1, 2}, {2, 3}, {3, 4}, {4, 3}, {4, 5}}) == "01234");
  CHECK(cyclic({{0, 1}, {0, 1}, {1, 0}, {5, 0}, {5, 0}}) == "01");
}

TEST_CASE("a long chain takes linear time") {
  std::vector<LockStep> steps;
  constexpr TaskIndex count = 200'000;
  for (TaskIndex i = 0; i + 1 < count; i++) steps.push_back({i, i + 1});
  std::vector<bool> kept = find_cyclic(steps, count);
  CHECK(std::count(kept.begin(), kept.end(), true) == 0);
  steps.push_back({count - 1, 0});
  kept = find_cyclic(steps, count);
  CHECK(std::count(kept.begin(), kept.end(), true) == count);
}
