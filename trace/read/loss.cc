#include "trace/read/loss.h"

#include <utility>

namespace skein {

void add_loss(std::vector<Loss>& losses, Loss loss) {
  constexpr size_t most = 1000;
  if (losses.size() < most) {
    losses.push_back(std::move(loss));
    return;
  }
  const auto sum = [](std::optional<uint64_t>& total, std::optional<uint64_t> more) {
    if (total && more)
      *total += *more;
    else
      total.reset();
  };
  if (losses.size() == most)
    losses.push_back({.what = "more damage, merged from here on",
                      .file = loss.file,
                      .offset = loss.offset,
                      .bytes = 0,
                      .packets = 0,
                      .events = 0});
  sum(losses.back().bytes, loss.bytes);
  sum(losses.back().packets, loss.packets);
  sum(losses.back().events, loss.events);
}

}  // namespace skein
