#include "trace/read/events.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <numeric>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace skein {

namespace {

constexpr std::array<std::string_view, event_kinds> kind_names{
    "create",     "resume",      "switch_to",  "suspend",        "await",        "ready",
    "try_read",   "resolve",     "fail",       "cancel",         "become",       "notify",
    "acquire",    "release",     "label",      "should_resolve", "counter_add",  "counter_set",
    "span_begin", "span_end",    "idle",       "wake",           "pause",        "send",
    "receive",    "clock",       "sample",     "executor_begin", "executor_end", "resource",
    "capacity",   "scope_enter", "scope_exit", "scope_cancel",   "scope_member", "io",
    "lost"};

// A third of decoding a long trace is the kernel handing out pages of 4 KiB one by one.
void prefer_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] size_t size) {
#ifdef __linux__
  constexpr size_t least = size_t{8} << 20;
  constexpr uintptr_t page = 4096;
  if (size < least) return;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(data) + page - 1) / page * page;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(data) + size) / page * page;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

template <typename T>
bool permute(Column<T>& column, const std::vector<uint32_t>& order) {
  Column<T> sorted;
  if (!sorted.grow(order.size())) return false;
  for (size_t i = 0; i < order.size(); i++) sorted[i] = column[order[i]];
  column = std::move(sorted);
  return true;
}

template <typename T>
bool permute(LateColumn<T>& column, const std::vector<uint32_t>& order) {
  Column<T>* values = column.values();
  return !values || permute(*values, order);
}

}  // namespace

std::string_view name(EventKind kind) {
  const auto index = static_cast<size_t>(kind);
  return index < kind_names.size() ? kind_names[index] : "unknown";
}

void prefer_large_pages([[maybe_unused]] void* begin, [[maybe_unused]] size_t size) {
#if defined(__linux__)
  constexpr uintptr_t large = uintptr_t{2} << 20;
  const auto from = (reinterpret_cast<uintptr_t>(begin) + large - 1) & ~(large - 1);
  const auto to = (reinterpret_cast<uintptr_t>(begin) + size) & ~(large - 1);
  // Where that is not to be had, pages stay small.
  if (from < to) madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE);
#endif
}

bool Events::reserve(size_t count) {
  if (count <= capacity_) return true;
  const auto grow = [count](auto& column) {
    if (!column.grow(count)) return false;
    prefer_huge_pages(column.data(), count * sizeof(column[0]));
    return true;
  };
  if (!grow(time) || !grow(task) || !grow(other) || !grow(value) || !grow(text) || !grow(kind) ||
      !grow(flags) || !location.grow(count) || !executor.grow(count))
    return false;
  capacity_ = count;
  return true;
}

EventRow Events::row(size_t index) const {
  return {.time = time[index],
          .task = task[index],
          .other = other[index],
          .value = value[index],
          .text = text[index],
          .location = location[index],
          .executor = executor[index],
          .kind = kind[index],
          .flags = flags[index]};
}

bool Events::sort_by_time() {
  if (size_ == 0 || std::is_sorted(time.data(), time.data() + size_)) return true;
  if (size_ > UINT32_MAX) return false;
  std::vector<uint32_t> order(size_);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [this](uint32_t a, uint32_t b) { return time[a] < time[b]; });
  const bool done = permute(time, order) && permute(task, order) && permute(other, order) &&
                    permute(value, order) && permute(text, order) && permute(location, order) &&
                    permute(executor, order) && permute(kind, order) && permute(flags, order);
  capacity_ = size_;  // the sorted columns have no spare room
  return done;
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
    losses.push_back({.what = "more damage, summed up from here on",
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
