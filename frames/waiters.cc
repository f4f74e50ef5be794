#include "frames/waiters.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "frames/handle_containers.h"
#include "frames/seastar_promises.h"

namespace skein {

namespace {

constexpr uint32_t no_coroutine = SuspendedCoroutine::none;
constexpr uint64_t frame_header = 16;   // two addresses; then the promise
constexpr uint64_t awaiter_reach = 64;  // bytes from an awaiter's beginning to its members
constexpr uint64_t object_words = 24;   // of an object that are searched for lists
constexpr uint64_t handle_words = 8;    // the same for the address of a frame
constexpr size_t most_words_of_frame = 512;
constexpr size_t most_words = size_t{8} << 20;  // of all frames
constexpr size_t most_objects = 1'000'000;

std::tuple<bool, uint64_t, uint64_t> rank(const WaitCandidate& one) {
  const uint64_t distance = std::max(one.node, one.slot) - std::min(one.node, one.slot);
  return {!one.is_list, one.back, distance};
}

}  // namespace

Waiters::Waiters(const Target& target, MemoryCache& memory,
                 std::span<const SuspendedCoroutine> coroutines, const std::vector<bool>& may_wait,
                 std::span<const uint32_t> adapted, size_t most)
    : target_(target), memory_(memory), all_(coroutines), may_wait_(may_wait), adapted_(adapted) {
  read_frames(most);
  for (uint32_t i = 0; i < all_.size(); i++) {
    if (!has_words(i)) continue;
    find_joins(i, may_wait);
    if (!may_wait[i]) continue;
    find_lists(i);
    find_handles(i);
    const auto found = candidates_.find(i);
    if (found == candidates_.end()) continue;
    std::stable_sort(
        found->second.begin(), found->second.end(),
        [](const WaitCandidate& a, const WaitCandidate& b) { return rank(a) < rank(b); });
    keep_closest(found->second);
  }
}

// Of objects one behind the other, both seem to have what the second one has. Those that are closest
// come first.
void Waiters::keep_closest(std::vector<WaitCandidate>& all) {
  std::unordered_map<uint64_t, uint64_t> objects;  // by the address of what leads back
  std::erase_if(all, [&](const WaitCandidate& one) {
    return !one.is_list && !one.is_promise &&
           objects.try_emplace(one.object + one.back, one.object).first->second != one.object;
  });
}

namespace {

size_t words_of(const SuspendedCoroutine& one) {
  return std::min<size_t>(one.size / 8, most_words_of_frame);
}

}  // namespace

// Few of a kind are all chosen; the kinds with more share the rest.
std::vector<bool> Waiters::choose(size_t most) const {
  size_t words = 0;
  for (const SuspendedCoroutine& one : all_) words += words_of(one);
  std::vector<bool> chosen(all_.size(), true);
  if (all_.size() <= most && words <= most_words) return chosen;
  struct Group {
    uint64_t kind = 0;
    size_t count = 0;
    size_t words = 0;  // of the largest frame
    size_t share = 0;
    size_t seen = 0;
  };
  const auto kind_of = [](const SuspendedCoroutine& one) {
    return uint64_t{one.function} << 32 | one.point;
  };
  std::unordered_map<uint64_t, Group> groups;
  for (const SuspendedCoroutine& one : all_) {
    Group& group = groups[kind_of(one)];
    group.kind = kind_of(one);
    group.count++;
    group.words = std::max(group.words, words_of(one));
  }
  std::vector<Group*> by_count;
  for (auto& [kind, group] : groups) by_count.push_back(&group);
  std::sort(by_count.begin(), by_count.end(), [](const Group* a, const Group* b) {
    return std::pair(a->count, a->kind) < std::pair(b->count, b->kind);
  });
  size_t left = most;
  size_t words_left = most_words;
  for (size_t i = 0; i < by_count.size(); i++) {
    Group& group = *by_count[i];
    const size_t groups_left = by_count.size() - i;
    group.share = std::min({group.count, left / groups_left,
                            words_left / groups_left / std::max<size_t>(1, group.words)});
    left -= group.share;
    words_left -= group.share * group.words;
  }
  for (size_t i = 0; i < all_.size(); i++) {
    Group& group = groups[kind_of(all_[i])];
    const size_t at = group.seen++;
    chosen[i] = at < group.share - group.share / 2 || at >= group.count - group.share / 2;
  }
  return chosen;
}

void Waiters::read_frames(size_t most) {
  const std::vector<bool> chosen = choose(most);
  begins_.reserve(all_.size() + 1);
  begins_.push_back(0);
  for (size_t i = 0; i < all_.size(); i++) {
    const size_t count = chosen[i] ? words_of(all_[i]) : 0;
    words_.resize(begins_.back() + count);
    if (!memory_.read(all_[i].frame, words_.data() + begins_.back(), 8 * count))
      words_.resize(begins_.back());
    searched_ += chosen[i] ? 1 : 0;
    begins_.push_back(static_cast<uint32_t>(words_.size()));
  }
}

std::span<const uint64_t> Waiters::words(uint32_t coroutine) const {
  if (coroutine + 1 >= begins_.size()) return {};
  return std::span(words_).subspan(begins_[coroutine], begins_[coroutine + 1] - begins_[coroutine]);
}

const std::vector<WaitCandidate>& Waiters::candidates(uint32_t coroutine) const {
  static const std::vector<WaitCandidate> none;
  const auto found = candidates_.find(coroutine);
  return found == candidates_.end() ? none : found->second;
}

bool Waiters::may_be_object(uint64_t address) const {
  if (address < 4096 || address % 8 != 0) return false;
  const Mapping* mapping = find_mapping(target_.mappings(), address);
  return mapping != nullptr && is_data(*mapping);
}

uint32_t Waiters::frame_around(uint64_t address) const {
  const auto at =
      std::upper_bound(all_.begin(), all_.end(), address,
                       [](uint64_t a, const SuspendedCoroutine& b) { return a < b.frame; });
  if (at == all_.begin() || address >= std::prev(at)->frame + std::prev(at)->size)
    return no_coroutine;
  return static_cast<uint32_t>(std::prev(at) - all_.begin());
}

// An object ends before the next frame: a small block may be followed by one.
size_t Waiters::most_words_at(uint64_t object, size_t count) const {
  const auto next =
      std::upper_bound(all_.begin(), all_.end(), object,
                       [](uint64_t a, const SuspendedCoroutine& b) { return a < b.frame; });
  return next == all_.end() ? count : std::min<size_t>(count, (next->frame - object) / 8);
}

uint32_t Waiters::frame_at(uint64_t address) const {
  const uint32_t found = frame_around(address);
  return found != no_coroutine && all_[found].frame == address ? found : no_coroutine;
}

bool Waiters::is_handle_of(uint32_t coroutine, uint64_t word) const {
  if (word == all_[coroutine].frame) return true;
  if (adapted_.empty()) return false;
  const uint32_t adapter = frame_at(word);
  return adapter < adapted_.size() && adapted_[adapter] == coroutine;
}

// 0: unknown.
uint64_t Waiters::word_in(uint32_t coroutine, uint64_t offset) const {
  const auto frame = words(coroutine);
  return offset % 8 == 0 && offset / 8 < frame.size() ? frame[offset / 8] : 0;
}

// Whether a frame has its own handle near this offset, behind its header.
bool Waiters::has_handle_near(uint32_t coroutine, uint64_t offset) const {
  const auto frame = words(coroutine);
  const uint64_t begin = std::max<uint64_t>(frame_header, offset - std::min(offset, awaiter_reach));
  for (uint64_t at = begin; at <= offset + awaiter_reach && at / 8 < frame.size(); at += 8)
    if (is_handle_of(coroutine, frame[at / 8])) return true;
  return false;
}

// The nodes of a list from `first` on, which may be none: those that nodes have the addresses of.
void Waiters::add_list(uint64_t object, uint64_t first, uint64_t back, Nodes& to) {
  constexpr auto reach = static_cast<int64_t>(awaiter_reach);
  const uint32_t owner = frame_around(first);
  if (first % 8 != 0 || owner == no_coroutine) return;
  const uint64_t offset = first - all_[owner].frame;
  for (int64_t slot = -reach; slot <= reach; slot += 8)
    if (word_in(owner, offset + static_cast<uint64_t>(slot)) == object)
      to.merge(list_from(object, first, slot, back));
}

Waiters::Nodes Waiters::list_from(uint64_t object, uint64_t first, int64_t slot,
                                  uint64_t back) const {
  Nodes found;
  std::vector<uint64_t> left = {first};
  while (!left.empty()) {
    const uint64_t node = left.back();
    left.pop_back();
    const uint32_t owner = frame_around(node);
    if (owner == no_coroutine) continue;
    const uint64_t offset = node - all_[owner].frame;
    const uint64_t slot_offset = offset + static_cast<uint64_t>(slot);
    if (offset <= frame_header || slot_offset < frame_header ||
        word_in(owner, slot_offset) != object || !has_handle_near(owner, offset))
      continue;
    if (found.contains(owner)) continue;
    found.emplace(owner, Node{offset, slot_offset, back});
    for (uint64_t at = offset - std::min(offset, awaiter_reach); at <= offset + awaiter_reach;
         at += 8)
      if (const uint64_t next = word_in(owner, at); next % 8 == 0 && next != object && next != 0)
        left.push_back(next);
  }
  return found;
}

const Waiters::Nodes& Waiters::nodes_of(uint64_t object) {
  if (objects_.size() == most_objects) objects_.clear();
  const auto [at, is_new] = objects_.try_emplace(object);
  if (!is_new) return at->second;
  uint64_t content[object_words] = {};
  size_t count = most_words_at(object, object_words);
  while (count > 1 && !memory_.read(object, content, 8 * count)) count /= 2;
  for (size_t i = 0; i < count; i++)
    if (frame_around(content[i]) != no_coroutine) add_list(object, content[i], 8 * i, at->second);
  return at->second;
}

void Waiters::find_lists(uint32_t coroutine) {
  const auto frame = words(coroutine);
  for (uint64_t slot = frame_header; slot / 8 < frame.size(); slot += 8) {
    const uint64_t object = frame[slot / 8];
    if (is_handle_of(coroutine, object) || !may_be_object(object)) continue;
    if (!has_handle_near(coroutine, slot)) continue;
    const Nodes& nodes = nodes_of(object);
    const auto [begin, end] = nodes.equal_range(coroutine);
    for (auto node = begin; node != end; ++node) {
      if (node->second.slot != slot) continue;
      const uint64_t offset = node->second.offset;
      for (uint64_t at = offset - std::min(offset, awaiter_reach); at <= offset + awaiter_reach;
           at += 8)
        if (at >= frame_header && is_handle_of(coroutine, word_in(coroutine, at)))
          candidates_[coroutine].push_back({.object = object,
                                            .slot = slot,
                                            .handle = at,
                                            .node = offset,
                                            .back = node->second.back,
                                            .is_list = true});
    }
  }
}

// The coroutine that a word resumes, or whose awaiter is there.
uint32_t Waiters::coroutine_of(uint64_t word) const {
  const uint32_t owner = frame_around(word);
  if (owner == no_coroutine) return no_coroutine;
  const uint64_t offset = word - all_[owner].frame;
  if (offset == 0 || offset == frame_header)
    return owner < adapted_.size() && adapted_[owner] != no_coroutine ? adapted_[owner] : owner;
  return offset % 8 == 0 && offset > frame_header && has_handle_near(owner, offset) ? owner
                                                                                    : no_coroutine;
}

// By coroutine. The size of the object is unknown: what begins far behind may be the next one's.
const std::vector<Waiters::Contained>& Waiters::contained_in(uint64_t object) {
  if (contained_.size() == most_objects) contained_.clear();
  const auto [at, is_new] = contained_.try_emplace(object);
  if (!is_new) return at->second;
  for (const ContainerWord& one :
       container_words(memory_, object, content(object, object_words), container_budget_))
    if (const uint32_t owner = coroutine_of(one.value);
        owner != no_coroutine && one.container < 8 * handle_words)
      at->second.push_back({owner, one.container});
  std::stable_sort(
      at->second.begin(), at->second.end(),
      [](const Contained& a, const Contained& b) { return a.coroutine < b.coroutine; });
  return at->second;
}

// Objects outside the frame that have the address of the frame or of its promise.
void Waiters::find_handles(uint32_t coroutine) {
  const auto frame = words(coroutine);
  const uint64_t address = all_[coroutine].frame;
  for (size_t slot = frame_header / 8; slot < frame.size(); slot++) {
    const uint64_t object = frame[slot];
    if (!may_be_object(object)) continue;
    if (leads_to_seastar_promise(memory_, address, 8 * slot, object)) {
      candidates_[coroutine].push_back({.object = object, .slot = 8 * slot, .is_promise = true});
      continue;
    }
    if (object - address < all_[coroutine].size) continue;
    const bool is_task =
        frame_at(object) != no_coroutine || frame_at(object - frame_header) != no_coroutine;
    uint64_t content[handle_words] = {};
    const size_t count = is_task ? 0 : most_words_at(object, handle_words);
    if (count != 0 && !memory_.read(object, content, 8 * count)) continue;
    size_t handle = 0;
    while (handle < count && !is_handle_of(coroutine, content[handle]) &&
           content[handle] != address + frame_header)
      handle++;
    if (handle < count) {
      candidates_[coroutine].push_back({.object = object, .slot = 8 * slot, .back = 8 * handle});
      continue;
    }
    const std::vector<Contained>& contained = contained_in(object);
    const auto own =
        std::lower_bound(contained.begin(), contained.end(), coroutine,
                         [](const Contained& a, uint32_t b) { return a.coroutine < b; });
    if (own != contained.end() && own->coroutine == coroutine)
      candidates_[coroutine].push_back({.object = object,
                                        .slot = 8 * slot,
                                        .back = own->back,
                                        .is_in_container = true,
                                        .is_task = is_task});
  }
}

void Waiters::find_joins(uint32_t coroutine, const std::vector<bool>& may_wait) {
  constexpr size_t promise_words = 24;
  constexpr uint64_t most_children = 1'000'000;
  const auto frame = words(coroutine);
  for (size_t i = frame_header / 8; i < std::min(frame.size(), promise_words); i++) {
    if (!may_be_object(frame[i])) continue;
    uint64_t counter[2] = {};
    if (!memory_.read(frame[i], counter, sizeof counter)) continue;
    if (counter[0] == 0 || counter[0] > most_children) continue;
    uint32_t parent = frame_at(counter[1]);
    if (parent < adapted_.size() && adapted_[parent] != no_coroutine) parent = adapted_[parent];
    if (parent == no_coroutine || parent == coroutine || parent >= may_wait.size() ||
        !may_wait[parent])
      continue;
    joins_.push_back({coroutine, parent, frame[i], counter[0], 8 * i});
    return;
  }
}

std::function<size_t(uint64_t, std::span<uint8_t>)> Waiters::frame_memory(
    uint32_t coroutine) const {
  return [frame = all_[coroutine].frame, words = words(coroutine)](
             uint64_t address, std::span<uint8_t> to) -> size_t {
    const uint64_t size = 8 * words.size();
    const uint64_t at = address - frame;
    if (at >= size || to.size() > size - at) return 0;
    std::memcpy(to.data(), reinterpret_cast<const uint8_t*>(words.data()) + at, to.size());  // NOLINT
    return to.size();
  };
}

std::vector<uint64_t> Waiters::content(uint64_t object, size_t count) const {
  std::vector<uint64_t> words(most_words_at(object, count));
  while (!words.empty() && !memory_.read(object, words.data(), 8 * words.size()))
    words.resize(words.size() / 2);
  return words;
}

// The coroutine whose frame has an object there with the frame's own address.
uint32_t Waiters::parent_around(uint64_t object) const {
  const uint32_t parent = frame_around(object);
  if (parent == no_coroutine || object % 8 != 0) return no_coroutine;
  const uint64_t frame = all_[parent].frame;
  const uint64_t begin = object - frame;
  if (begin <= frame_header) return no_coroutine;
  for (uint64_t at = begin; at < begin + 8 * handle_words; at += 8)
    if (const uint64_t word = word_in(parent, at); word == frame || word == frame + frame_header)
      return parent;
  return no_coroutine;
}

std::vector<SharedObject> Waiters::shared_objects() const {
  std::vector<bool> may_be_parent(all_.size());
  std::unordered_map<uint64_t, uint32_t> parents;  // by object
  for (uint32_t i = 0; i < all_.size(); i++) {
    const std::vector<WaitCandidate>& all = candidates(i);
    // An object in the frame itself is next to what refers to it.
    may_be_parent[i] =
        may_wait_[i] && std::none_of(all.begin(), all.end(), [&](const WaitCandidate& one) {
          return one.is_list && one.object - all_[i].frame >= all_[i].size;
        });
    if (!may_be_parent[i]) continue;
    for (const WaitCandidate& one : all)
      if (!one.is_in_container) parents.emplace(one.object, i);
  }
  std::vector<SharedObject> found;
  for (uint32_t i = 0; i < all_.size(); i++) {
    const auto frame = words(i);
    for (size_t slot = frame_header / 8; slot < frame.size(); slot++) {
      const uint64_t object = frame[slot];
      const auto at = parents.find(object);
      const uint32_t parent = at != parents.end() ? at->second : parent_around(object);
      if (parent != no_coroutine && parent != i && parent < may_be_parent.size() &&
          may_be_parent[parent])
        found.push_back({i, parent, object});
    }
  }
  std::sort(found.begin(), found.end(), [](const SharedObject& a, const SharedObject& b) {
    return std::tie(a.parent, a.object, a.child) < std::tie(b.parent, b.object, b.child);
  });
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace skein
