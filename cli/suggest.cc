#include "cli/suggest.h"

#include <algorithm>
#include <vector>

namespace skein::cli {

namespace {

// The optimal string alignment distance.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), now(b.size() + 1);
  for (size_t j = 0; j <= b.size(); j++) last[j] = j;
  for (size_t i = 1; i <= a.size(); i++) {
    now[0] = i;
    for (size_t j = 1; j <= b.size(); j++) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before = last;
    std::swap(last, now);
  }
  return last[b.size()];
}

}  // namespace

std::string most_similar(std::string_view word, std::span<const std::string> candidates) {
  const auto begins = [&](const std::string& one) { return one.starts_with(word); };
  if (word.size() >= 2 && std::count_if(candidates.begin(), candidates.end(), begins) == 1)
    return *std::find_if(candidates.begin(), candidates.end(), begins);
  std::string best;
  size_t least = std::max<size_t>(1, word.size() / 3) + 1;
  for (const std::string& one : candidates)
    if (const size_t d = distance(word, one); d < least && d < one.size()) {
      least = d;
      best = one;
    }
  return best;
}

}  // namespace skein::cli
