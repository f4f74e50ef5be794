#include "frames/unreferenced.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "frames/references.h"

namespace skein {

namespace {

using State = SuspendedCoroutine::State;

constexpr uint32_t none = UINT32_MAX;
constexpr uint64_t largest = 1 << 16;  // bytes of a frame

// Something that is in use if something else that is in use refers to it: a frame, or a block of the
// heap in which a reference to another node is.
struct Node {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool is_reached = false;
  bool is_block = false;
  struct Reference {
    uint64_t from = 0;  // the address
    uint32_t to = 0;    // a node
  };
  std::vector<Reference> refers_to = {};
  std::vector<FrameExtent> spare = {};  // parts that a container does not use
  bool is_spare(uint64_t address) const {
    return std::any_of(spare.begin(), spare.end(), [&](const FrameExtent& part) {
      return address >= part.begin && address < part.end;
    });
  }
};

// A word that refers to a node.
struct Found {
  uint64_t from = 0;  // its address; 0: a register
  uint32_t to = 0;
};

class AddressSearch {
 public:
  AddressSearch(const Target& target, std::span<const UnusedStack> unused)
      : target_(target), unused_(unused) {}

  // False: some are unknown.
  bool read_registers(const std::vector<uint64_t>& kernel_words) {
    registers_ = kernel_words;
    for (const TargetThread& thread : target_.threads()) {
      if (thread.state == TargetThread::State::Ended) continue;
      const size_t count = target_.architecture() == Architecture::X86_64 ? 16 : 31;
      for (size_t i = 0; i < count; i++) {
        const auto value = thread.registers.get(i);
        if (!value) return false;
        registers_.push_back(*value);
      }
      if (const auto sp = thread.registers.get(Registers::sp_of(target_.architecture())))
        stacks_.push_back(*sp);
    }
    for (const UnusedStack& one : unused_)
      registers_.insert(registers_.end(), one.registers.begin(), one.registers.end());
    return true;
  }

  // How often all memory may be read.
  size_t rounds() const {
    constexpr uint64_t budget = uint64_t{4} << 30;  // bytes: the process may stand still
    constexpr uint64_t most = 6;
    uint64_t size = 1;
    for (const Mapping& mapping : target_.mappings())
      if (is_data(mapping)) size += mapping.size();
    return std::clamp<uint64_t>(budget / size, 1, most);
  }

  // What refers to the targets, which must have ascending addresses without overlaps: words at
  // multiples of `step` bytes, and registers.
  std::vector<Found> find(std::vector<std::pair<FrameExtent, uint32_t>> targets, size_t step) {
    targets_ = std::move(targets);
    found_.clear();
    for (const uint64_t word : registers_) add(0, word);
    for (const Mapping& mapping : target_.mappings())
      if (is_data(mapping)) scan(mapping.begin, mapping.end, step);
    return std::move(found_);
  }

  // Words from this address on; fewer if they cannot be read.
  std::vector<uint64_t> words(uint64_t address, size_t count) const {
    std::vector<uint64_t> read(count);
    const auto bytes = std::span(reinterpret_cast<uint8_t*>(read.data()), 8 * count);  // NOLINT
    read.resize(target_.read(address, bytes) / 8);
    return read;
  }

 private:
  // As it is; with flags in its upper 16 bits; with flags in its lower 16 bits, behind which the
  // address begins: it may belong to the next object.
  void add(uint64_t from, uint64_t word) {
    constexpr uint64_t bytes_of_flags = 2;
    add_address(from, word);
    if (word >> 48 != 0) add_address(from, word & 0xFFFFFFFFFFFF);
    add_address(from == 0 ? 0 : from + bytes_of_flags, word >> 16);
  }

  void add_address(uint64_t from, uint64_t address) {
    const uint64_t lowest = targets_.front().first.begin;
    if (address - lowest >= targets_.back().first.end - lowest) return;
    const auto at =
        std::upper_bound(targets_.begin(), targets_.end(), address,
                         [](uint64_t a, const auto& b) { return a < b.first.begin; });
    if (at != targets_.begin() && address < std::prev(at)->first.end)
      found_.push_back({from, std::prev(at)->second});
  }

  bool is_unused(uint64_t address) const {
    return std::any_of(unused_.begin(), unused_.end(), [&](const UnusedStack& one) {
      return address >= one.begin && address < one.end;
    });
  }

  void scan(uint64_t begin, uint64_t end, size_t step) {
    bool is_stack = false;
    for (const uint64_t sp : stacks_)
      if (sp > begin && sp < end) {
        begin = std::max(begin, (sp - UnusedStack::red_zone) / 8 * 8);
        is_stack = true;
      }
    constexpr uint64_t block = uint64_t{1} << 20;
    buffer_.resize(block + 8);
    for (uint64_t at = begin; at < end; at += block) {
      const uint64_t data = target_.first_data(at, end);
      if (data >= end) break;
      at += (data - at) / block * block;
      const uint64_t size = std::min(block + 8, end - at);
      const size_t read = target_.read_written(at, std::span(buffer_).first(size));
      for (size_t i = 0; i + 8 <= read; i += step) {
        uint64_t word = 0;
        std::memcpy(&word, buffer_.data() + i, sizeof word);
        if (word > 4096 && !(is_stack && is_unused(at + i))) add(at + i, word);
      }
    }
  }

  const Target& target_;
  std::span<const UnusedStack> unused_;
  std::vector<uint64_t> registers_ = {};  // and words that the kernel has
  std::vector<uint64_t> stacks_ = {};
  std::vector<uint8_t> buffer_ = {};
  std::vector<std::pair<FrameExtent, uint32_t>> targets_ = {};  // with the numbers of nodes
  std::vector<Found> found_ = {};
};

// Whether a file of the target calls something that leaves addresses with the kernel. The C library
// has these names in any case.
bool may_leave_addresses(const Target& target) {
  std::set<std::string> seen;
  for (const Mapping& mapping : target.mappings()) {
    if (!mapping.has_file() || !seen.insert(mapping.file).second) continue;
    if (is_c_library(mapping.file)) continue;
    const Result<Contents> file = target.file_of(mapping);
    if (!file) return true;
    const auto bytes = file->bytes();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (const char* call : {"epoll_ctl", "io_uring_", "timer_create", "io_submit", "mq_notify"})
      if (text.find(call) != std::string_view::npos) return true;
  }
  return false;
}

// Follows references backwards, from the frames to the variables, stacks and registers that lead to
// them. A block of the heap counts only if something leads to it: an event that only the frame of
// the coroutine that waits for it has is not known to anything else.
class Reachability {
 public:
  Reachability(AddressSearch& search, std::span<const SuspendedCoroutine> all,
               std::span<const std::unique_ptr<Heap>> heaps)
      : search_(search), heaps_(heaps) {
    for (uint32_t i = 0; i < all.size(); i++) {
      if (!all[i].is_certain || all[i].is_elided ||
          (all[i].state != State::Waits && all[i].state != State::Unknown) ||
          all[i].size >= largest)  // the rest of it is unknown
        continue;
      coroutines_.push_back(i);
      add_node(all[i].frame, all[i].frame + all[i].size);
    }
  }

  bool has_frames() const { return !coroutines_.empty(); }

  // The coroutines that nothing leads to; nothing: the heap is damaged.
  std::optional<std::vector<uint32_t>> run() {
    constexpr size_t most_nodes = 1'000'000;
    const size_t most_rounds = search_.rounds();
    for (size_t begin = 0, round = 0; round < most_rounds; round++) {
      const size_t end = nodes_.size();
      if (!look_for(begin, end)) return {};
      begin = end;
      if (begin == nodes_.size() || are_frames_reached() || nodes_.size() > most_nodes) {
        reach_from(begin);
        break;
      }
      if (round + 1 == most_rounds) reach_from(begin);
    }
    if (!are_frames_reached() && !look_anywhere()) return {};
    std::vector<uint32_t> left;
    for (uint32_t i = 0; i < coroutines_.size(); i++)
      if (!nodes_[i].is_reached) left.push_back(coroutines_[i]);
    return left;
  }

 private:
  uint32_t add_node(uint64_t begin, uint64_t end) {
    const auto number = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back({.begin = begin, .end = end, .is_block = number >= coroutines_.size()});
    by_address_.emplace(begin, number);
    return number;
  }

  // The node that contains an address, or none.
  uint32_t node_around(uint64_t address) const {
    auto at = by_address_.upper_bound(address);
    if (at == by_address_.begin()) return none;
    --at;
    return address < nodes_[at->second].end ? at->second : none;
  }

  bool are_frames_reached() const {
    return std::all_of(nodes_.begin(),
                       nodes_.begin() + static_cast<ptrdiff_t>(coroutines_.size()),
                       [](const Node& one) { return one.is_reached; });
  }

  void reach(uint32_t node) {
    std::vector<uint32_t> left = {node};
    while (!left.empty()) {
      Node& at = nodes_[left.back()];
      left.pop_back();
      if (at.is_reached) continue;
      at.is_reached = true;
      for (const Node::Reference& one : at.refers_to)
        if (!at.is_spare(one.from)) left.push_back(one.to);
    }
  }
  // Nodes of which it is not known whether anything leads to them.
  void reach_from(size_t begin) {
    for (size_t i = begin; i < nodes_.size(); i++) reach(static_cast<uint32_t>(i));
  }

  std::vector<Found> find(size_t begin, size_t end, size_t step) {
    std::vector<std::pair<FrameExtent, uint32_t>> targets;
    for (size_t i = begin; i < end; i++)
      if (!nodes_[i].is_reached)
        targets.push_back({{nodes_[i].begin, nodes_[i].end}, static_cast<uint32_t>(i)});
    if (targets.empty()) return {};
    std::sort(targets.begin(), targets.end(),
              [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
    std::vector<Found> found = search_.find(std::move(targets), step);
    std::sort(found.begin(), found.end(),
              [](const Found& a, const Found& b) { return a.from < b.from; });
    return found;
  }

  bool find_blocks(const std::vector<Found>& found, std::vector<HeapBlock>& blocks) {
    std::vector<uint64_t> sources;
    for (const Found& one : found) sources.push_back(one.from);
    blocks.resize(sources.size());
    bool is_sound = true;
    for (const auto& heap : heaps_) is_sound &= heap->find_blocks(sources, blocks);
    return is_sound;
  }

  // Whether it is a block that can be a node: no frame is a part of it.
  bool is_plain(const HeapBlock& block) const {
    if (!block.is_used() || block.begin == 0 || block.end <= block.begin) return false;
    const auto next = by_address_.lower_bound(block.begin);
    return next == by_address_.end() || next->first >= block.end;
  }

  // What refers to the nodes [begin, end). False: the heap is damaged.
  bool look_for(size_t begin, size_t end) {
    const std::vector<Found> found = find(begin, end, 8);
    std::vector<HeapBlock> blocks;
    if (!find_blocks(found, blocks)) return false;
    for (size_t i = 0; i < found.size(); i++)
      if (!blocks[i].is_freed()) find_spare(found[i]);
    for (size_t i = 0; i < found.size(); i++)
      if (!blocks[i].is_freed() && node_around(found[i].from) == none && !is_plain(blocks[i]))
        reach(found[i].to);
    for (size_t i = 0; i < found.size(); i++) {
      if (blocks[i].is_freed() || nodes_[found[i].to].is_reached) continue;
      uint32_t source = node_around(found[i].from);
      if (source == none) source = add_node(blocks[i].begin, blocks[i].end);
      refer(source, found[i]);
    }
    return true;
  }

  void refer(uint32_t source, const Found& found) {
    Node& node = nodes_[source];
    if (node.is_spare(found.from)) return;
    if (node.is_reached)
      reach(found.to);
    else if (source != found.to)
      node.refers_to.push_back({found.from, found.to});
  }

  // What a std::vector or std::deque has removed keeps its bytes in their blocks: a queue of handles
  // has those that were resumed.
  void find_spare(const Found& found) {
    constexpr uint64_t padding = 24;  // of malloc
    Node& node = nodes_[found.to];
    if (!node.is_block || found.from == 0 || found.from % 8 != 0 || tests_ == 0) return;
    tests_--;
    const uint64_t size = node.end - node.begin;
    const std::vector<uint64_t> vector = search_.words(found.from, 3);
    // One that is empty looks like a position in a std::deque.
    if (vector.size() == 3 && vector[0] == node.begin && vector[1] > vector[0] &&
        vector[2] > vector[1] && vector[2] <= node.end && vector[2] + padding > node.end)
      node.spare.push_back({vector[1], vector[2]});
    constexpr uint64_t block = 512;  // of libstdc++'s deque
    if (size < block || size >= block + padding) return;
    // The array of blocks, its size, and two positions: where it is, the block's begin and end, and
    // where the array has its address.
    for (const uint64_t place : {2U, 3U, 6U, 7U}) {
      const std::vector<uint64_t> deque = search_.words(found.from - 8 * place, 10);
      if (deque.size() != 10 || deque[place] < node.begin || deque[place] > node.begin + block)
        continue;
      const auto is_position = [&](size_t at) {
        return deque[at + 2] - deque[at + 1] == block && deque[at] >= deque[at + 1] &&
               deque[at] < deque[at + 2] && deque[at + 3] >= deque[0] &&
               deque[at + 3] - deque[0] < 8 * deque[1] && deque[at + 3] % 8 == 0 &&
               search_.words(deque[at + 3], 1) == std::vector{deque[at + 1]};
      };
      constexpr uint64_t largest_map = 1 << 20;
      if (deque[1] == 0 || deque[1] > largest_map || !is_position(2) || !is_position(6)) continue;
      if (deque[3] == node.begin) node.spare.push_back({deque[3], deque[2]});
      if (deque[7] == node.begin) node.spare.push_back({deque[6], deque[8]});
    }
  }

  // In structures without padding, addresses are anywhere. Those in other blocks are not followed.
  bool look_anywhere() {
    const std::vector<Found> found = find(0, nodes_.size(), 1);
    std::vector<HeapBlock> blocks;
    if (!find_blocks(found, blocks)) return false;
    std::vector<uint32_t> reached;
    for (size_t i = 0; i < found.size(); i++) {
      if (blocks[i].is_freed()) continue;
      const uint32_t source = node_around(found[i].from);
      if (source == none)
        reached.push_back(found[i].to);
      else
        refer(source, found[i]);
    }
    for (const uint32_t node : reached) reach(node);
    return true;
  }

  AddressSearch& search_;
  std::span<const std::unique_ptr<Heap>> heaps_;
  std::vector<Node> nodes_ = {};            // those of coroutines_ first
  std::vector<uint32_t> coroutines_ = {};
  std::map<uint64_t, uint32_t> by_address_ = {};
  size_t tests_ = 100'000;  // of what may be containers
};

}  // namespace

bool is_c_library(std::string_view file) {
  const std::string_view name = file.substr(file.rfind('/') + 1);
  return name.starts_with("libc.so") || name.starts_with("libc-") || name.starts_with("ld-") ||
         name.starts_with("libpthread");
}

std::vector<bool> find_unreferenced(const Target& target,
                                    std::span<const SuspendedCoroutine> coroutines,
                                    std::span<const std::unique_ptr<Heap>> heaps,
                                    std::span<const UnusedStack> unused) {
  AddressSearch search(target, unused);
  Reachability reachability(search, coroutines, heaps);
  if (!reachability.has_frames()) return {};
  const std::optional<std::vector<uint64_t>> words = target.kernel_words();
  if ((!words && may_leave_addresses(target)) || !search.read_registers(words.value_or(std::vector<uint64_t>())))
    return {};
  const std::optional<std::vector<uint32_t>> lost = reachability.run();
  if (!lost) return {};
  std::vector<bool> unreferenced(coroutines.size());
  for (const uint32_t one : *lost) unreferenced[one] = true;
  return unreferenced;
}

}  // namespace skein
