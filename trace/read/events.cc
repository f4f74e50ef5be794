#include "trace/read/events.h"

#include <algorithm>
#include <bit>

#include "base/large_pages.h"

namespace skein {

namespace {

// Stores the low sizeof(Narrow) bytes of each row; returns the end.
template <typename Narrow, typename T>
uint8_t* narrow(const std::array<T, block_rows>& rows, uint8_t* to) {
  for (size_t i = 0; i < block_rows; i++) {
    const auto low = static_cast<Narrow>(rows[i]);
    std::memcpy(to + i * sizeof low, &low, sizeof low);
  }
  return to + block_rows * sizeof(Narrow);
}

}  // namespace

template <typename T, Coding coding>
void Column<T, coding>::begin_block(const Rows& rows) {
  pieces_.push_back({.bytes = reinterpret_cast<const uint8_t*>(rows.data()),
                     .mask = ~uint64_t{0} >> (64 - 8 * sizeof(T)),
                     .common = 0,
                     .shift = std::countr_zero(sizeof(T))});
}

template <typename T, Coding coding>
uint8_t* Column<T, coding>::pack(const Rows& rows, uint8_t* to) {
  Piece& piece = pieces_.back();
  piece.bytes = to;
  const auto bits = [](T value) { return static_cast<uint64_t>(value); };
  uint64_t differ = 0;
  for (size_t i = 0; i < block_rows; i++) differ |= bits(rows[i]) ^ bits(rows[0]);
  const auto keep = [&]<typename Narrow>(Narrow) {
    piece.mask = static_cast<Narrow>(~Narrow{0});
    piece.shift = std::countr_zero(sizeof(Narrow));
    if constexpr (sizeof(Narrow) <= sizeof(T)) to = narrow<Narrow>(rows, to);
  };
  if (differ == 0)
    piece.mask = 0;
  else if (differ <= UINT8_MAX)
    keep(uint8_t{});
  else if (differ <= UINT16_MAX)
    keep(uint16_t{});
  else if (differ <= UINT32_MAX)
    keep(uint32_t{});
  else
    keep(uint64_t{});
  piece.common = bits(rows[0]) & ~piece.mask;
  return to;
}

bool Events::next_block() {
  const auto each = [this](const auto& act) {
    act(time, open_->time);
    act(task, open_->task);
    act(other, open_->other);
    act(value, open_->value);
    act(text, open_->text);
    act(location, open_->location);
    act(executor, open_->executor);
    act(kind, open_->kind);
    act(flags, open_->flags);
  };
  if (!open_) {
    open_.reset(static_cast<Block*>(std::malloc(sizeof(Block))));
    if (!open_) return false;
  } else {
    uint8_t* const begin = room();
    if (!begin) return false;
    uint8_t* to = begin;
    each([&](auto& column, const auto& rows) { to = column.pack(rows, to); });
    chunk_at_ = to;
    chunk_left_ -= static_cast<size_t>(to - begin);
  }
  each([](auto& column, const auto& rows) { column.begin_block(rows); });
  return true;
}

// Returns space for a packed block of any size; null if memory is exhausted. Large chunks use large
// pages: page faults for 4 KiB pages would cost a fifth of the decoding time.
uint8_t* Events::room() {
  constexpr size_t smallest = size_t{64} << 10;
  constexpr size_t largest = size_t{4} << 20;
  constexpr size_t large_page = size_t{2} << 20;
  if (chunk_left_ < sizeof(Block)) {
    const size_t size = std::clamp(std::bit_ceil(chunk_bytes_), smallest, largest);
    std::unique_ptr<uint8_t, Free> chunk(
        static_cast<uint8_t*>(std::aligned_alloc(std::min(size, large_page), size)));
    if (!chunk) return nullptr;
    prefer_large_pages(chunk.get(), size);
    chunk_at_ = chunk.get();
    chunk_left_ = size;
    chunk_bytes_ += size;
    chunks_.push_back(std::move(chunk));
  }
  return chunk_at_;
}

size_t Events::bytes() const {
  const auto pieces = [](const auto& column) {
    return column.pieces_.capacity() * sizeof(column.pieces_[0]);
  };
  return (open_ ? sizeof(Block) : 0) + chunk_bytes_ - chunk_left_ + pieces(time) + pieces(task) +
         pieces(other) + pieces(value) + pieces(text) + pieces(location) + pieces(executor) +
         pieces(kind) + pieces(flags);
}

void Events::amend_last(uint64_t new_time, uint8_t more_flags) {
  if (size_ == 0) return;
  const size_t last = (size_ - 1) % block_rows;  // in the open block: see append
  open_->time[last] = new_time;
  open_->flags[last] |= more_flags;
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

size_t Events::count_before(uint64_t end) const {
  size_t first = 0;
  for (size_t last = size_; first < last;) {
    const size_t middle = first + (last - first) / 2;
    if (time[middle] < end)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

std::array<uint64_t, event_kinds> count_kinds(const Events& events) {
  std::array<uint64_t, event_kinds> counts{};
  for (size_t begin = 0; begin < events.size(); begin += block_rows) {
    const auto kinds = events.kind.block(begin);
    for (size_t i = 0; i < std::min(block_rows, events.size() - begin); i++)
      counts[static_cast<size_t>(kinds[i])]++;
  }
  return counts;
}

}  // namespace skein
