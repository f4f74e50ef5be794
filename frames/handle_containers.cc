#include "frames/handle_containers.h"

#include <algorithm>

namespace skein {

namespace {

constexpr uint64_t most = uint64_t{1} << 20;  // bytes of a container

bool is_place(uint64_t address) { return address >= 4096 && address % 8 == 0; }

class ContainerSearch {
 public:
  ContainerSearch(MemoryCache& memory, uint64_t object, std::span<const uint64_t> content,
                  uint64_t& budget)
      : memory_(memory), object_(object), content_(content), budget_(budget) {}

  std::vector<ContainerWord> run() {
    for (size_t i = 0; i < content_.size() && budget_ != 0; i++) {
      begin_ = 8 * i;
      const auto left = content_.subspan(i);
      if (!add_deque(left) && !add_vector(left)) add_list(left);
    }
    return std::move(found_);
  }

 private:
  // False: there is not so much left, and nothing more is read.
  bool spend(uint64_t bytes) {
    if (bytes > budget_) {
      budget_ = 0;
      return false;
    }
    budget_ -= bytes;
    return true;
  }

  // False: the words do not look like one.
  bool add_vector(std::span<const uint64_t> words) {
    if (words.size() < 3) return false;
    const uint64_t begin = words[0];
    const uint64_t end = words[1];
    if (!is_place(begin) || !is_place(end) || end <= begin || words[2] < end ||
        words[2] - begin > 4 * most || words[2] % 8 != 0)
      return false;
    return add_range(begin, end);
  }

  bool add_range(uint64_t begin, uint64_t end) {
    if (end - begin > most || !spend(end - begin)) return false;
    std::vector<uint64_t> values((end - begin) / 8);
    if (!memory_.read(begin, values.data(), 8 * values.size())) return false;
    for (const uint64_t value : values) add(value);
    return true;
  }

  // Nodes with the addresses of the next and the previous one, in a circle with the list itself.
  void add_list(std::span<const uint64_t> words) {
    constexpr size_t longest = 10'000;
    constexpr size_t words_of_node = 4;
    const uint64_t head = object_ + begin_;
    if (words.size() < 2 || !is_place(words[0]) || !is_place(words[1]) || words[0] == head) return;
    if (memory_.word(words[1]) != head) return;
    uint64_t before = head;
    uint64_t at = words[0];
    for (size_t i = 0; i < longest && at != head; i++) {
      uint64_t node[words_of_node] = {};
      if (!is_place(at) || !spend(sizeof node) || !memory_.read(at, node, sizeof node) ||
          node[1] != before)
        return;
      add(node[2]);
      add(node[3]);
      before = at;
      at = node[0];
    }
  }

  // An array of addresses of blocks of 512 bytes, its size, and two positions: where it is, the
  // block's begin and end, and where the array has its address.
  bool add_deque(std::span<const uint64_t> words) {
    constexpr uint64_t block = 512;
    constexpr size_t size = 10;
    if (words.size() < size || !is_place(words[0]) || words[1] == 0 || words[1] > most / 8)
      return false;
    const auto first = words.subspan(2, 4);
    const auto last = words.subspan(6, 4);
    for (const auto& at : {first, last})
      if (at[2] - at[1] != block || at[0] < at[1] || at[0] >= at[2] || at[0] % 8 != 0 ||
          at[3] < words[0] || at[3] >= words[0] + 8 * words[1] || at[3] % 8 != 0 ||
          memory_.word(at[3]) != at[1])
        return false;
    if (last[3] < first[3]) return false;
    for (uint64_t node = first[3]; node <= last[3]; node += 8) {
      if (!spend(sizeof node)) break;
      const uint64_t begin = memory_.word(node);
      if (!is_place(begin)) break;
      add_range(node == first[3] ? first[0] : begin, node == last[3] ? last[0] : begin + block);
    }
    return true;
  }

  void add(uint64_t value) {
    if (value != 0) found_.push_back({begin_, value});
  }

  MemoryCache& memory_;
  uint64_t object_;
  std::span<const uint64_t> content_;
  uint64_t& budget_;
  uint64_t begin_ = 0;  // of the container: bytes from the object's beginning
  std::vector<ContainerWord> found_ = {};
};

}  // namespace

std::vector<ContainerWord> container_words(MemoryCache& memory, uint64_t object,
                                           std::span<const uint64_t> content, uint64_t& budget) {
  return ContainerSearch(memory, object, content, budget).run();
}

}  // namespace skein
