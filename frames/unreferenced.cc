#include "frames/unreferenced.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <string_view>

namespace skein {

namespace {

using State = SuspendedCoroutine::State;

struct Found {
  uint64_t from = 0;   // an address
  uint32_t frame = 0;  // to which the word there refers
};

class AddressSearch {
 public:
  AddressSearch(const Target& target, std::span<const SuspendedCoroutine> all) : target_(target) {
    for (uint32_t i = 0; i < all.size(); i++)
      if (all[i].is_certain && !all[i].is_elided &&
          (all[i].state == State::Waits || all[i].state == State::Unknown))
        frames_.push_back({all[i].frame, all[i].frame + all[i].size, i});
  }
  bool is_empty() const { return frames_.empty(); }
  size_t size() const { return frames_.size(); }
  uint32_t coroutine(uint32_t frame) const { return frames_[frame].coroutine; }

  // False: some are unknown.
  bool read_registers() {
    for (const TargetThread& thread : target_.threads()) {
      if (thread.state == TargetThread::State::Ended) continue;
      const size_t count = target_.architecture() == Architecture::X86_64 ? 16 : 31;
      for (size_t i = 0; i < count; i++) {
        const auto value = thread.registers.get(i);
        if (!value) return false;
        add(0, *value);
      }
      if (const auto sp = thread.registers.get(Registers::sp_of(target_.architecture())))
        stacks_.push_back(*sp);
    }
    return true;
  }

  // Of words at multiples of `step` bytes.
  void scan(size_t step) {
    for (const Mapping& mapping : target_.mappings())
      if (is_data(mapping)) scan(mapping.begin, mapping.end, step);
  }

  std::vector<Found> take() { return std::move(found_); }
  // The number of the frame that contains an address, or none.
  uint32_t frame_around(uint64_t address) const {
    const auto at = std::upper_bound(frames_.begin(), frames_.end(), address,
                                     [](uint64_t a, const Extent& b) { return a < b.begin; });
    if (at == frames_.begin() || address >= std::prev(at)->end) return SuspendedCoroutine::none;
    return static_cast<uint32_t>(std::prev(at) - frames_.begin());
  }

 private:
  struct Extent {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint32_t coroutine = 0;
  };

  void add(uint64_t from, uint64_t word) {
    // As it is; with flags in its upper 16 bits; with flags in its lower 16 bits.
    for (const uint64_t address : {word, word & 0xFFFFFFFFFFFF, word >> 16}) {
      if (address - frames_.front().begin >= frames_.back().end - frames_.front().begin) continue;
      if (const uint32_t frame = frame_around(address); frame != SuspendedCoroutine::none)
        found_.push_back({from, frame});
    }
  }

  void scan(uint64_t begin, uint64_t end, size_t step) {
    constexpr uint64_t red_zone = 128;  // System V ABI
    for (const uint64_t sp : stacks_)
      if (sp > begin && sp < end) begin = std::max(begin, (sp - red_zone) / 8 * 8);
    constexpr uint64_t block = uint64_t{1} << 20;
    buffer_.resize(block + 8);
    for (uint64_t at = begin; at < end; at += block) {
      const uint64_t data = target_.first_data(at, end);
      if (data >= end) break;
      at += (data - at) / block * block;
      const uint64_t size = std::min(block + 8, end - at);
      const size_t read = target_.read(at, std::span(buffer_).first(size));
      for (size_t i = 0; i + 8 <= read; i += step) {
        uint64_t word = 0;
        std::memcpy(&word, buffer_.data() + i, sizeof word);
        if (word > 4096) add(at + i, word);
      }
    }
  }

  const Target& target_;
  std::vector<Extent> frames_ = {};
  std::vector<uint64_t> stacks_ = {};
  std::vector<uint8_t> buffer_ = {};
  std::vector<Found> found_ = {};
};

// Whether a file of the target calls something that leaves addresses with the kernel. The C library
// has these names in any case.
bool may_leave_addresses(const Target& target) {
  std::set<std::string> seen;
  for (const Mapping& mapping : target.mappings()) {
    if (!mapping.has_file() || !seen.insert(mapping.file).second) continue;
    const std::string name = mapping.file.substr(mapping.file.rfind('/') + 1);
    if (name.starts_with("libc.so") || name.starts_with("libc-") || name.starts_with("ld-"))
      continue;
    const Result<Contents> file = target.file_of(mapping);
    if (!file) return true;
    const auto bytes = file->bytes();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (const char* call : {"epoll_ctl", "io_uring_", "timer_create", "io_submit", "mq_notify"})
      if (text.find(call) != std::string_view::npos) return true;
  }
  return false;
}

// Marks what is referred to from outside of the frames, directly or by others.
void mark(const AddressSearch& search, std::vector<Found> found,
          std::span<const std::unique_ptr<Heap>> heaps, bool& is_damaged,
          std::vector<bool>& referred) {
  std::sort(found.begin(), found.end(),
            [](const Found& a, const Found& b) { return a.from < b.from; });
  std::vector<uint64_t> sources;
  for (const Found& one : found) sources.push_back(one.from);
  std::vector<HeapBlock> blocks(sources.size());
  for (const auto& heap : heaps) is_damaged |= !heap->find_blocks(sources, blocks);
  std::vector<std::vector<uint32_t>> by_frame(search.size());
  std::vector<uint32_t> reached;
  const auto reach = [&](uint32_t frame) {
    if (!referred[frame]) reached.push_back(frame);
    referred[frame] = true;
  };
  for (size_t i = 0; i < found.size(); i++) {
    if (blocks[i].is_freed()) continue;
    const uint32_t source = search.frame_around(found[i].from);
    if (source == SuspendedCoroutine::none)
      reach(found[i].frame);
    else
      by_frame[source].push_back(found[i].frame);
  }
  for (uint32_t i = 0; i < referred.size(); i++)
    if (referred[i]) reached.push_back(i);
  while (!reached.empty()) {
    const uint32_t frame = reached.back();
    reached.pop_back();
    for (const uint32_t next : by_frame[frame]) reach(next);
  }
}

}  // namespace

std::vector<bool> find_unreferenced(const Target& target,
                                    std::span<const SuspendedCoroutine> coroutines,
                                    std::span<const std::unique_ptr<Heap>> heaps) {
  AddressSearch search(target, coroutines);
  if (search.is_empty() || !search.read_registers() || may_leave_addresses(target)) return {};
  std::vector<bool> referred(search.size());
  bool is_damaged = false;
  for (const size_t step : {size_t{8}, size_t{1}}) {  // in structures without padding, anywhere
    search.scan(step);
    mark(search, search.take(), heaps, is_damaged, referred);
    if (is_damaged) return {};
    if (std::find(referred.begin(), referred.end(), false) == referred.end()) break;
  }
  std::vector<bool> unreferenced(coroutines.size());
  for (uint32_t i = 0; i < referred.size(); i++)
    if (!referred[i]) unreferenced[search.coroutine(i)] = true;
  return unreferenced;
}

}  // namespace skein
