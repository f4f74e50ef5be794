#include "trace/ask/stack_finder.h"

#include <utility>
#include <vector>

#include "base/large_pages.h"
#include "trace/ask/logical_times.h"

namespace skein {

namespace {

struct StoredIntervals {
  void begin(size_t usual) {
    all.clear();
    reserve_large(all, usual);  // to grow later would double the time
  }
  void add(const LogicalTimes::Interval& interval) { all.push_back(interval); }
  std::vector<LogicalTimes::Interval> all = {};
};

}  // namespace

LogicalTimes find_logical_times(const Subject& subject) {
  StoredIntervals stored;
  LogicalTimes found = find_stacks(subject, stored);
  found.intervals = std::move(stored.all);
  return found;
}

}  // namespace skein
