#include "profile/perf/logical_stacks.h"

#include <algorithm>
#include <string_view>

#include "base/cursor.h"

namespace skein {

namespace {

constexpr std::string_view magic = "SKEINLS1";

template <typename Number>
void append(std::vector<uint8_t>& bytes, Number number) {
  for (size_t i = 0; i < sizeof number; i++) bytes.push_back(static_cast<uint8_t>(number >> 8 * i));
}

void append_text(std::vector<uint8_t>& bytes, std::string_view text) {
  text = text.substr(0, text.find('\0'));
  bytes.insert(bytes.end(), text.begin(), text.end());
  bytes.push_back(0);
}

}  // namespace

void LogicalSample::append_to(std::vector<uint8_t>& bytes) const {
  append(bytes, functions);
  append(bytes, chain);
  append(bytes, static_cast<uint32_t>(frames.size()));
  for (const uint64_t frame : frames) append(bytes, frame);
  if (task) append(bytes, *task);
}

std::optional<LogicalSample> LogicalSample::read(std::span<const uint8_t> raw) {
  Cursor cursor(raw);
  LogicalSample sample{.functions = cursor.u32(), .chain = cursor.u32()};
  const uint32_t frames = cursor.u32();
  const uint64_t words = cursor.failed() ? 0 : (raw.size() - head_size) / 8;
  if (cursor.failed() || raw.size() != head_size + words * 8 ||
      (words != frames && words != uint64_t{frames} + 1))
    return {};
  for (uint32_t i = 0; i < frames; i++) sample.frames.push_back(cursor.u64());
  if (words != frames) sample.task = cursor.u64();
  return sample;
}

uint32_t LogicalStacks::add(uint32_t outer, uint32_t coroutine) {
  const auto [at, is_new] =
      numbers_.try_emplace({outer, coroutine}, static_cast<uint32_t>(chains_.size() + 1));
  if (is_new) chains_.push_back({.outer = outer, .coroutine = coroutine});
  return at->second;
}

void LogicalStacks::set_coroutine(uint32_t number, Coroutine coroutine) {
  if (number >= coroutines_.size()) coroutines_.resize(size_t{number} + 1);
  coroutines_[number] = std::move(coroutine);
}

std::vector<uint32_t> LogicalStacks::chain(uint32_t number) const {
  std::vector<uint32_t> found;
  while (number != 0 && number <= chains_.size()) {
    found.push_back(chains_[number - 1].coroutine);
    number = chains_[number - 1].outer;
  }
  return found;
}

std::vector<uint8_t> LogicalStacks::bytes() const {
  std::vector<uint8_t> bytes(magic.begin(), magic.end());
  append(bytes, static_cast<uint32_t>(coroutines_.size()));
  append(bytes, static_cast<uint32_t>(chains_.size()));
  for (const Coroutine& one : coroutines_) {
    append(bytes, one.line);
    append_text(bytes, one.function);
    append_text(bytes, one.file);
  }
  for (const Chain& one : chains_) {
    append(bytes, one.outer);
    append(bytes, one.coroutine);
  }
  return bytes;
}

Result<LogicalStacks> LogicalStacks::read(std::span<const uint8_t> section, uint64_t offset) {
  Cursor cursor(section, offset);
  const auto head = cursor.bytes(magic.size());
  if (!std::equal(head.begin(), head.end(), magic.begin(), magic.end()))
    return Error{.what = "logical stacks of another version", .offset = offset};
  const uint32_t coroutines = cursor.u32();
  const uint32_t chains = cursor.u32();
  LogicalStacks stacks;
  for (uint32_t i = 0; i < coroutines && !cursor.failed(); i++) {
    Coroutine one;
    one.line = cursor.u32();
    one.function = cursor.text();
    one.file = cursor.text();
    if (!cursor.failed()) stacks.coroutines_.push_back(std::move(one));
  }
  for (uint32_t i = 0; i < chains && !cursor.failed(); i++) {
    Chain one{.outer = cursor.u32(), .coroutine = cursor.u32()};
    if (cursor.failed()) break;
    // Each follows those that it refers to: there is no cycle.
    if (one.outer > i || one.coroutine >= coroutines)
      return Error{.what = "damaged logical stacks", .offset = cursor.offset()};
    if (one.outer != 0) one.length = stacks.chains_[one.outer - 1].length + 1;
    if (one.length > longest)
      return Error{.what = "damaged logical stacks", .offset = cursor.offset()};
    stacks.chains_.push_back(one);
  }
  if (cursor.failed()) return Error{.what = "logical stacks cut short", .offset = cursor.offset()};
  return stacks;
}

}  // namespace skein
