#include "frames/references.h"

#include <algorithm>
#include <iterator>

namespace skein {

namespace {

constexpr uint64_t promise = 16;  // in a frame, behind two addresses

struct Reference {
  uint64_t from = 0;
  uint32_t frame = 0;
};

class ReferenceSearch {
 public:
  ReferenceSearch(const Target& target, std::span<const FrameExtent> frames)
      : target_(target), frames_(frames) {
    for (const TargetThread& thread : target.threads())
      if (const auto sp = thread.registers.get(Registers::sp_of(target.architecture())))
        stacks_.push_back(*sp);
    std::sort(stacks_.begin(), stacks_.end());
  }

  std::vector<Reference> run() {
    for (const Mapping& mapping : target_.mappings())
      if (is_data(mapping)) scan(mapping.begin, mapping.end);
    return std::move(found_);
  }

 private:
  void scan(uint64_t begin, uint64_t end) {
    // A thread uses its stack from its stack pointer on, and 128 bytes below (System V ABI).
    constexpr uint64_t red_zone = 128;
    const auto after = std::lower_bound(stacks_.begin(), stacks_.end(), end);
    if (after != stacks_.begin() && *std::prev(after) > begin)
      begin = std::max(begin, (*std::prev(after) - red_zone) / 8 * 8);
    constexpr uint64_t step = uint64_t{2} << 20;  // at multiples of it, see written_parts()
    buffer_.resize(step / 8);
    const uint64_t lowest = frames_.front().begin;
    const uint64_t range = frames_.back().begin + promise - lowest;
    uint64_t size = 0;
    for (uint64_t at = begin; at < end; at += size) {
      const uint64_t data = target_.first_data(at, end);
      if (data >= end) break;
      at = std::max(at, data / step * step);
      size = std::min(step - at % step, end - at);
      const auto bytes = std::span(reinterpret_cast<uint8_t*>(buffer_.data()), size);  // NOLINT
      const size_t words = target_.read_written(at, bytes) / 8;
      for (size_t i = 0; i < words; i++)
        if (buffer_[i] - lowest <= range) add(at + 8 * i, buffer_[i]);
    }
  }

  void add(uint64_t from, uint64_t word) {
    for (const uint64_t frame : {word, word - promise}) {
      const auto at =
          std::lower_bound(frames_.begin(), frames_.end(), frame,
                           [](const FrameExtent& a, uint64_t b) { return a.begin < b; });
      if (at == frames_.end() || at->begin != frame) continue;
      if (from < at->begin || from >= at->end)
        found_.push_back({from, static_cast<uint32_t>(at - frames_.begin())});
      return;
    }
  }

  const Target& target_;
  std::span<const FrameExtent> frames_;
  std::vector<uint64_t> stacks_ = {};  // stack pointers
  std::vector<uint64_t> buffer_ = {};
  std::vector<Reference> found_ = {};
};

// The number of the range that contains an address, or -1.
ptrdiff_t range_of(std::span<const FrameExtent> ranges, uint64_t address) {
  const auto at = std::upper_bound(ranges.begin(), ranges.end(), address,
                                   [](uint64_t a, const FrameExtent& b) { return a < b.begin; });
  if (at == ranges.begin() || address >= std::prev(at)->end) return -1;
  return std::prev(at) - ranges.begin();
}

}  // namespace

std::vector<bool> find_referred(const Target& target, std::span<const FrameExtent> frames,
                                std::span<const std::unique_ptr<Heap>> heaps,
                                std::span<const FrameExtent> ignored) {
  std::vector<bool> referred(frames.size());
  if (frames.empty()) return referred;
  std::vector<Reference> found = ReferenceSearch(target, frames).run();
  std::sort(found.begin(), found.end(),
            [](const Reference& a, const Reference& b) { return a.from < b.from; });
  std::vector<uint64_t> sources;
  sources.reserve(found.size());
  for (const Reference& one : found) sources.push_back(one.from);
  std::vector<HeapBlock> blocks(sources.size());
  for (const auto& heap : heaps) heap->find_blocks(sources, blocks);
  std::vector<std::vector<uint32_t>> by_frame(frames.size());  // what each refers to
  std::vector<uint32_t> reached;
  const auto reach = [&](uint32_t frame) {
    if (referred[frame]) return;
    referred[frame] = true;
    reached.push_back(frame);
  };
  for (size_t i = 0; i < found.size(); i++) {
    if (blocks[i].is_freed() || range_of(ignored, found[i].from) >= 0) continue;
    const ptrdiff_t source = range_of(frames, found[i].from);
    if (source < 0)
      reach(found[i].frame);
    else
      by_frame[static_cast<size_t>(source)].push_back(found[i].frame);
  }
  while (!reached.empty()) {
    const uint32_t frame = reached.back();
    reached.pop_back();
    for (const uint32_t next : by_frame[frame]) reach(next);
  }
  return referred;
}

}  // namespace skein
