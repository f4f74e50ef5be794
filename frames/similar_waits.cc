#include "frames/similar_waits.h"

#include <optional>

namespace skein {

namespace {

using State = SuspendedCoroutine::State;
constexpr uint32_t none = SuspendedCoroutine::none;
constexpr uint32_t least_examples = 8;

}  // namespace

SimilarWaits::SimilarWaits(SuspendedCoroutines& found, const Waiters& waiters,
                           const AwaitedObjects& awaited, CoroutineProgram& program)
    : found_(found), waiters_(waiters), program_(program) {
  if (waiters.searched() == found.coroutines.size()) return;
  for (const auto& [coroutine, match] : awaited.matches()) add_example(coroutine, match);
  for (uint32_t i = 0; i < found.awaited.size(); i++) objects_.emplace(found.awaited[i].address, i);
}

void SimilarWaits::add_example(uint32_t coroutine, const AwaitedObjects::Match& match) {
  const SuspendedCoroutine& one = found_.coroutines[coroutine];
  if (one.awaited == none || one.point == SuspendedCoroutine::unknown) return;
  const WaitObject& object = found_.awaited[one.awaited];
  const Shape shape{.slot = match.slot,
                    .handle = match.handle,
                    .back = match.back,
                    .kind = object.kind,
                    .type = object.type,
                    .is_linked = match.is_linked,
                    .count = 1};
  const auto [at, is_new] = shapes_.try_emplace(Place{one.function, one.point}, shape);
  Shape& known = at->second;
  if (is_new || known.count == 0) return;
  const uint32_t count = known.count + 1;
  const bool is_same =
      known.slot == shape.slot && known.kind == shape.kind && known.type == shape.type;
  // Only what leads back shows where the handle is.
  const bool has_same_links =
      !known.is_linked || !shape.is_linked ||
      (known.handle == shape.handle && known.back == shape.back);
  if (shape.is_linked && !known.is_linked) known = shape;
  known.count = is_same && has_same_links ? count : 0;
}

bool SimilarWaits::may_wait(const SuspendedCoroutine& one) const {
  const SuspendedCoroutines::Function& function = found_.functions[one.function];
  return (one.state == State::Waits || one.state == State::Unknown) && one.awaits == none &&
         one.awaited == none && one.object == none && !function.is_internal &&
         function.operation.empty();
}

uint64_t SimilarWaits::find() {
  if (shapes_.empty()) return 0;
  uint64_t left = 0;
  for (uint32_t i = 0; i < found_.coroutines.size(); i++) {
    const SuspendedCoroutine& one = found_.coroutines[i];
    if (!may_wait(one)) continue;
    const auto shape = shapes_.find(Place{one.function, one.point});
    if (shape == shapes_.end()) continue;
    const bool is_known = shape->second.count >= least_examples && add(i, shape->second);
    if (!is_known && !waiters_.has_words(i)) left++;
  }
  return left;
}

bool SimilarWaits::add(uint32_t coroutine, const Shape& shape) {
  SuspendedCoroutine& one = found_.coroutines[coroutine];
  MemoryCache& memory = waiters_.memory();
  if (shape.slot + 8 > one.size || shape.handle + 8 > one.size) return false;
  const uint64_t object = memory.word(one.frame + shape.slot);
  if (!waiters_.may_be_object(object) || !is_where_it_was(one)) return false;
  if (shape.handle == 0 || !waiters_.is_handle_of(coroutine, memory.word(one.frame + shape.handle)))
    return false;
  const auto known = objects_.find(object);
  uint32_t number = known == objects_.end() ? none : known->second;
  if (number == none) {
    if (!shape.is_linked || !leads_to_waiter(object, shape)) return false;
    number = static_cast<uint32_t>(found_.awaited.size());
    objects_.emplace(object, number);
    found_.awaited.push_back({.address = object,
                              .kind = shape.kind,
                              .type = shape.type,
                              .is_linked = true});
  }
  WaitObject& to = found_.awaited[number];
  if (to.kind != shape.kind || to.type != shape.type) return false;
  to.waiters.push_back(coroutine);
  one.awaited = number;
  one.state = State::Waits;
  return true;
}

// It has not gone on since it was found.
bool SimilarWaits::is_where_it_was(const SuspendedCoroutine& one) {
  const std::optional<ResumeIndex> index = program_.index_of(one.function);
  if (!index) return true;
  uint16_t value = 0;  // little-endian, as the target
  return waiters_.memory().read(one.frame + index->offset, &value, index->size) &&
         value == one.point;
}

// The object has the address of a node in a frame that has the address of the object.
bool SimilarWaits::leads_to_waiter(uint64_t object, const Shape& shape) const {
  const uint64_t node = waiters_.memory().word(object + shape.back);
  const uint32_t owner = waiters_.frame_around(node);
  return owner != none &&
         waiters_.memory().word(found_.coroutines[owner].frame + shape.slot) == object;
}

}  // namespace skein
