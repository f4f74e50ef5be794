#include "trace/read/loss.h"

#include <string_view>
#include <utility>

#include "base/text.h"

namespace skein {

std::string loss_text(const Loss& loss) {
  // Losses that the recorder counted have no position in the file.
  const bool has_offset = loss.bytes != 0u || loss.packets != 0u || loss.offset != 0;
  std::string text = loss.file;
  if (has_offset) text += (text.empty() ? "byte " : ", byte ") + grouped(loss.offset);
  if (!text.empty()) text += ": ";
  text += loss.what;
  std::string sizes;
  const auto add = [&](const std::optional<uint64_t>& count, std::string_view thing) {
    if (!count || *count == 0) return;
    sizes += (sizes.empty() ? "" : ", ") + counted(*count, thing);
  };
  add(loss.bytes, "byte");
  add(loss.packets, "packet");
  add(loss.events, "event");
  if (!loss.events) sizes += std::string(sizes.empty() ? "" : ", ") + "an unknown number of events";
  return sizes.empty() ? text : text + " (" + sizes + ")";
}

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
