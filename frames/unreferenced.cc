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
  // Parts that the container in the block does not use, and the array of a std::deque's blocks.
  std::vector<FrameExtent> spare = {};
  uint64_t map = 0;
  bool is_spare(uint64_t address) const {
    return std::any_of(spare.begin(), spare.end(), [&](const FrameExtent& part) {
      return address >= part.begin && address < part.end;
    });
  }
};

// A word that refers to a node.
struct Found {
  uint64_t from = 0;     // its address; 0: a register
  uint64_t address = 0;  // where it leads
  uint32_t to = 0;
};

class AddressSearch {
 public:
  AddressSearch(const Target& target, std::span<const UnusedStack> unused)
      : target_(target), unused_(unused.begin(), unused.end()) {
    std::sort(unused_.begin(), unused_.end(),
              [](const UnusedStack& a, const UnusedStack& b) { return a.begin < b.begin; });
  }

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
      stacks_.push_back(*thread.registers.get(Registers::sp_of(target_.architecture())));
    }
    std::sort(stacks_.begin(), stacks_.end());
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
      if (is_data(mapping)) scan(begin_of_data(mapping), mapping.end, step);
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
    if (at != targets_.begin() && address < std::prev(at)->first.end && !is_unused(from))
      found_.push_back({from, address, std::prev(at)->second});
  }

  bool is_unused(uint64_t address) const {
    const auto next =
        std::upper_bound(unused_.begin(), unused_.end(), address,
                         [](uint64_t a, const UnusedStack& b) { return a < b.begin; });
    return next != unused_.begin() && address < std::prev(next)->end;
  }

  // Below the stack pointer is nothing, if the mapping is the stack of a single thread. In others,
  // the stack may be that of a fiber: there, others may be.
  uint64_t begin_of_data(const Mapping& mapping) const {
    const auto sp = std::upper_bound(stacks_.begin(), stacks_.end(), mapping.begin);
    const auto after = std::lower_bound(sp, stacks_.end(), mapping.end);
    if (after - sp != 1 || !is_stack_of_thread(mapping)) return mapping.begin;
    return std::max(mapping.begin, (*sp - UnusedStack::red_zone) / 8 * 8);
  }

  // That of the first thread; or an anonymous mapping behind one without access, as glibc makes it.
  bool is_stack_of_thread(const Mapping& mapping) const {
    constexpr uint64_t usual_guard = 64 << 10;
    if (mapping.file == "[stack]") return true;
    if (!mapping.file.empty()) return false;
    const Mapping* before = find_mapping(target_.mappings(), mapping.begin - 1);
    return before != nullptr && !before->readable && !before->writable && !before->executable &&
           before->file.empty() && before->size() <= usual_guard;
  }

  void scan(uint64_t begin, uint64_t end, size_t step) {
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
        if (word > 4096) add(at + i, word);
      }
    }
  }

  const Target& target_;
  std::vector<UnusedStack> unused_;       // by address
  std::vector<uint64_t> registers_ = {};  // and words that the kernel has
  std::vector<uint64_t> stacks_ = {};     // stack pointers, ascending
  std::vector<uint8_t> buffer_ = {};
  std::vector<std::pair<FrameExtent, uint32_t>> targets_ = {};  // with the numbers of nodes
  std::vector<Found> found_ = {};
};

// Whether a file of the target calls something that leaves addresses with the kernel. The C library
// has these names in any case.
bool may_leave_addresses(const Target& target, std::span<const char* const> calls) {
  std::set<std::string> seen;
  for (const Mapping& mapping : target.mappings()) {
    if (!mapping.has_file() || !seen.insert(mapping.file).second) continue;
    if (is_c_library(mapping.file)) continue;
    const Result<Contents> file = target.file_of(mapping);
    if (!file) return true;
    const auto bytes = file->bytes();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (const char* call : calls)
      if (text.find(call) != std::string_view::npos) return true;
  }
  return false;
}

// Whether the kernel may have addresses that are not known. It shows those of epoll and of timers,
// but none of asynchronous I/O, whose memory is mapped also after the descriptor is closed, and of
// mq_notify(3).
bool has_more_in_kernel(const Target& target, const std::optional<KernelWords>& words) {
  static constexpr const char* notify[] = {"mq_notify"};
  static constexpr const char* all[] = {"epoll_ctl", "io_uring_", "timer_create", "io_submit",
                                        "mq_notify"};
  for (const Mapping& mapping : target.mappings())
    if (mapping.file.find("[io_uring]") != std::string::npos || mapping.file.starts_with("/[aio]"))
      return true;
  if (!words) return may_leave_addresses(target, all);
  return words->has_others || may_leave_addresses(target, notify);
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
    if (!are_frames_reached()) check_deques();
    if (!are_frames_reached() && !look_anywhere()) return {};
    std::vector<uint32_t> left;
    for (uint32_t i = 0; i < coroutines_.size(); i++)
      if (!nodes_[i].is_reached) left.push_back(coroutines_[i]);
    return left;
  }

 private:
  static constexpr uint64_t padding = 24;       // of malloc's blocks
  static constexpr uint64_t deque_block = 512;  // of libstdc++'s deque
  static constexpr size_t words_of_deque = 10;

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
    find_spare(found, blocks);
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
    if (node.is_reached && !node.is_spare(found.from))
      reach(found.to);
    else if (source != found.to)
      node.refers_to.push_back({found.from, found.to});
  }

  // What a std::vector or std::deque has removed keeps its bytes in their blocks: a queue of
  // handles has those that were resumed. But what looks like a container may be an old copy of one,
  // a cursor or a ring: nothing else may lead into the part, and all containers of the block must
  // agree.
  void find_spare(const std::vector<Found>& found, const std::vector<HeapBlock>& blocks) {
    std::map<uint32_t, std::vector<Container>> containers;  // by node
    for (size_t i = 0; i < found.size(); i++)
      if (!blocks[i].is_freed() && nodes_[found[i].to].is_block && found[i].from % 8 == 0 &&
          found[i].from != 0 && tests_ != 0)
        add_containers(found[i], containers[found[i].to]);
    if (tests_ == 0) return;  // some are unknown
    for (const auto& [number, described] : containers) {
      const std::vector<Container>& all = described;
      const auto is_same = [&](const Container& one) { return one == all.front(); };
      if (all.empty() || !std::all_of(all.begin(), all.end(), is_same)) continue;
      nodes_[number].spare = all.front().spare;
      nodes_[number].map = all.front().map;
    }
    std::set<uint32_t> in_maps;
    for (size_t i = 0; i < found.size(); i++) {
      const Found& one = found[i];
      Node& node = nodes_[one.to];
      std::erase_if(node.spare, [&](const FrameExtent& part) {
        return one.address > part.begin && one.address < part.end;
      });
      if (node.map == 0 || one.address != node.begin || blocks[i].is_freed()) continue;
      const std::vector<Container>& all = containers[one.to];
      if (one.from - node.map < 8 * all.front().map_size)
        in_maps.insert(one.to);
      else if (std::none_of(all.begin(), all.end(),
                            [&](const Container& each) { return each.has(one.from); }))
        node.spare.clear();  // it may be in the map of another one
    }
    // A map that is freed is that of an old copy.
    for (const auto& [number, described] : containers)
      if (nodes_[number].map != 0 && !in_maps.contains(number)) nodes_[number].spare.clear();
  }

  // A block as a container describes it.
  struct Container {
    uint64_t address = 0;
    uint64_t map = 0;  // of a std::deque
    uint64_t map_size = 0;
    std::vector<FrameExtent> spare = {};
    bool has(uint64_t word) const { return word - address < 8 * words_of_deque; }
    bool operator==(const Container& other) const {
      return map == other.map &&
             std::equal(spare.begin(), spare.end(), other.spare.begin(), other.spare.end(),
                        [](const FrameExtent& a, const FrameExtent& b) {
                          return a.begin == b.begin && a.end == b.end;
                        });
    }
  };

  // Those that a word which leads to a block belongs to.
  void add_containers(const Found& found, std::vector<Container>& to) {
    const Node& node = nodes_[found.to];
    if (found.address != node.begin) return;
    tests_--;
    add_vector(found.from, node, to);
    const uint64_t size = node.end - node.begin;
    if (size < deque_block || size >= deque_block + padding) return;
    for (const uint64_t place : {3U, 7U})
      if (const auto deque = deque_at(found.from - 8 * place))
        to.push_back(part_of(*deque, node.begin));
  }

  void add_vector(uint64_t address, const Node& node, std::vector<Container>& to) {
    const std::vector<uint64_t> vector = search_.words(address, 3);
    // One that is empty looks like a position in a std::deque.
    if (vector.size() != 3 || vector[0] != node.begin || vector[1] <= vector[0] ||
        vector[2] < vector[1] || vector[2] > node.end || vector[2] + padding <= node.end)
      return;
    Container found;
    if (has_unused_end(vector[1], vector[2])) found.spare.push_back({vector[1], vector[2]});
    to.push_back(std::move(found));
  }

  // Whether the last part of what follows a vector was never used. To the end of a cursor, and of
  // a ring once it is full, there are elements.
  bool has_unused_end(uint64_t begin, uint64_t end) const {
    constexpr size_t count = 8;  // words: more than an element has
    if (end - begin < 8 * count) return false;
    const std::vector<uint64_t> last = search_.words(end - 8 * count, count);
    return last.size() == count &&
           std::all_of(last.begin(), last.end(), [](uint64_t word) { return word < 4096; });
  }

  struct Deque {
    uint64_t address = 0;
    uint64_t map = 0;  // an array of addresses of blocks
    uint64_t map_size = 0;
    std::vector<uint64_t> first =
        {};  // where it is, the block's begin and end, the place in the map
    std::vector<uint64_t> last = {};
  };

  // Nothing: there is none.
  std::optional<Deque> deque_at(uint64_t address) const {
    constexpr uint64_t largest_map = 1 << 20;
    const std::vector<uint64_t> words = search_.words(address, words_of_deque);
    if (words.size() != words_of_deque || words[1] == 0 || words[1] > largest_map) return {};
    const auto is_position = [&](size_t at) {
      return words[at + 2] - words[at + 1] == deque_block && words[at] >= words[at + 1] &&
             words[at] < words[at + 2] && words[at + 3] >= words[0] &&
             words[at + 3] - words[0] < 8 * words[1] && words[at + 3] % 8 == 0 &&
             search_.words(words[at + 3], 1) == std::vector{words[at + 1]};
    };
    if (!is_position(2) || !is_position(6) || words[9] < words[5]) return {};
    return Deque{address,
                 words[0],
                 words[1],
                 {words.begin() + 2, words.begin() + 6},
                 {words.begin() + 6, words.end()}};
  }

  static Container part_of(const Deque& deque, uint64_t block) {
    Container found{.address = deque.address, .map = deque.map, .map_size = deque.map_size};
    const auto add = [&](uint64_t begin, uint64_t end) {
      if (begin != end) found.spare.push_back({begin, end});
    };
    if (deque.first[1] == block) add(deque.first[1], deque.first[0]);
    if (deque.last[1] == block) add(deque.last[0], deque.last[2]);
    return found;
  }

  // What was left out because of a deque: another one with the same blocks, of which it is an old
  // copy, may use it. In the middle of that one, nothing but its map leads to the block.
  void check_deques() {
    std::map<uint64_t, std::vector<uint32_t>> by_map;
    for (uint32_t i = 0; i < nodes_.size(); i++)
      if (nodes_[i].map != 0 && nodes_[i].is_reached && leaves_out(nodes_[i]))
        by_map[nodes_[i].map].push_back(i);
    if (by_map.empty()) return;
    std::vector<std::pair<FrameExtent, uint32_t>> targets;
    std::vector<const std::vector<uint32_t>*> nodes;
    for (const auto& [map, all] : by_map) {
      targets.push_back({{map, map + 1}, static_cast<uint32_t>(nodes.size())});
      nodes.push_back(&all);
    }
    for (const Found& found : search_.find(std::move(targets), 8)) {
      if (found.from == 0 || found.from % 8 != 0) continue;
      const std::optional<Deque> deque = deque_at(found.from);
      if (!deque || deque->map != found.address) continue;
      for (const uint32_t number : *nodes[found.to])
        if (uses_spare(*deque, nodes_[number])) nodes_[number].spare.clear();
    }
    for (const auto& [map, all] : by_map)
      for (const uint32_t number : all)
        if (nodes_[number].spare.empty())
          for (const Node::Reference& one : std::vector(nodes_[number].refers_to)) reach(one.to);
  }

  bool leaves_out(const Node& node) const {
    return std::any_of(node.refers_to.begin(), node.refers_to.end(),
                       [&](const Node::Reference& one) {
                         return node.is_spare(one.from) && !nodes_[one.to].is_reached;
                       });
  }

  bool uses_spare(const Deque& deque, const Node& node) const {
    const size_t count = (deque.last[3] - deque.first[3]) / 8 + 1;
    const std::vector<uint64_t> blocks = search_.words(deque.first[3], count);
    const auto at = std::find(blocks.begin(), blocks.end(), node.begin);
    if (at == blocks.end()) return false;
    const uint64_t begin = at == blocks.begin() ? deque.first[0] : node.begin;
    const uint64_t end =
        at - blocks.begin() + 1 == std::ssize(blocks) ? deque.last[0] : node.begin + deque_block;
    return std::any_of(node.spare.begin(), node.spare.end(), [&](const FrameExtent& part) {
      return part.begin < end && begin < part.end;
    });
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
  return name.starts_with("libc.so") || name.starts_with("libc-") || name.starts_with("libpthread");
}

std::vector<bool> find_unreferenced(const Target& target,
                                    std::span<const SuspendedCoroutine> coroutines,
                                    std::span<const std::unique_ptr<Heap>> heaps,
                                    std::span<const UnusedStack> unused) {
  AddressSearch search(target, unused);
  Reachability reachability(search, coroutines, heaps);
  if (!reachability.has_frames()) return {};
  const std::optional<KernelWords> words = target.kernel_words();
  if (has_more_in_kernel(target, words) ||
      !search.read_registers(words ? words->words : std::vector<uint64_t>()))
    return {};
  const std::optional<std::vector<uint32_t>> lost = reachability.run();
  if (!lost) return {};
  std::vector<bool> unreferenced(coroutines.size());
  for (const uint32_t one : *lost) unreferenced[one] = true;
  return unreferenced;
}

}  // namespace skein
