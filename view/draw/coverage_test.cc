#include "view/draw/coverage.h"

#include <doctest/doctest.h>

#include <random>

using namespace skein;
using Runs = std::vector<Coverage::Run>;

namespace {

size_t filled(const Coverage& coverage, double origin) {
  size_t count = 0;
  for (const Coverage::Run& run : coverage.runs(origin)) count += run.end - run.first;
  return count;
}

}  // namespace

TEST_CASE("whole columns are filled, parts are rounded") {
  Coverage c(100);
  CHECK(c.runs(0).empty());
  c.add(10, 12);
  c.add(20.5, 23.5);  // 3 columns
  c.add(40.25, 40.5);
  CHECK(c.runs(0) == Runs{{10, 12}, {21, 24}});
  c.add(40.6, 41.1);  // one column stands for the two
  CHECK(c.runs(0) == Runs{{10, 12}, {21, 24}, {40, 41}});
}

TEST_CASE("one interval is visible, however short") {
  for (const double x : {0.0, 7.5, 99.9999999}) {
    Coverage c(100);
    c.add(x, x);
    CHECK(filled(c, 0) == 1);
  }
}

TEST_CASE("outside of the columns an interval has no effect") {
  Coverage c(10);
  c.add(-5, -1);
  c.add(10, 20);
  c.add(5, 3);
  c.add(std::nan(""), 3);
  CHECK(c.runs(0).empty());
  c.add(-1e300, 1e300);
  CHECK(c.runs(0) == Runs{{0, 10}});
  c.add(-1e300, 1e300);  // overlapping
  CHECK(c.runs(0) == Runs{{0, 10}});
}

TEST_CASE("the share that is filled is the share that is covered") {
  std::mt19937 random(1);
  for (const double share : {0.001, 0.007, 0.04, 0.3, 0.9, 0.999})
    for (const double period : {0.001, 0.1, 1.0, 7.0, 90.0})
      for (int i = 0; i < 20; i++) {
        CAPTURE(share);
        CAPTURE(period);
        Coverage c(1000);
        const double phase = static_cast<double>(random() % 1000) / 1000;
        double lasted = 0;
        for (double at = -phase * period; at < 1000; at += period) {
          c.add(at, at + period * share);
          lasted += std::max(0.0, std::min(at + period * share, 1000.0) - std::max(at, 0.0));
        }
        const auto columns = static_cast<double>(filled(c, static_cast<double>(random() % 5000)));
        CHECK(columns >= std::floor(lasted / 2));
        CHECK(columns <= 1 + 2 * lasted);
      }
}

TEST_CASE("a picture that moves shows the same, except near its ends") {
  std::mt19937 random(2);
  std::vector<double> starts;
  for (int i = 0; i < 20'000; i++)
    starts.push_back(static_cast<double>(random() % 4'000'000) / 1000);
  const auto picture = [&](int origin) {
    Coverage c(1000);
    for (const double start : starts) c.add(start - origin, start + 0.01 - origin);
    std::vector<uint8_t> columns(4000);
    for (const Coverage::Run& run : c.runs(origin))
      for (size_t i = run.first; i < run.end; i++) columns[i + static_cast<size_t>(origin)] = 1;
    return columns;
  };
  const std::vector<uint8_t> first = picture(1000);
  for (const int move : {1, 17, 300}) {
    const std::vector<uint8_t> second = picture(1000 + move);
    CHECK(std::equal(first.begin() + 1536, first.begin() + 1536 + 300, second.begin() + 1536));
  }
}
