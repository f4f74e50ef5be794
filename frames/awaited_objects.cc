#include "frames/awaited_objects.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "frames/asio_groups.h"
#include "frames/seastar_promises.h"
#include "frames/wait_shapes.h"

namespace skein {

namespace {

using Match = AwaitedObjects::Match;
using State = SuspendedCoroutine::State;
constexpr uint32_t no_coroutine = SuspendedCoroutine::none;
constexpr const char* seastar_promise = "seastar::promise";

// The pointer of an object at this offset; null: it has none.
const TypedPointer* pointer_at(const ObjectType& type, uint64_t offset) {
  for (const TypedPointer& one : type.pointers)
    if (one.offset == offset) return &one;
  return nullptr;
}

bool contains(const FrameMember& member, uint64_t slot) {
  return slot >= member.offset && slot < member.offset + std::max<uint64_t>(member.type.size, 8);
}

// The only object of the matches, or nothing.
std::optional<Match> only_one(const std::vector<Match>& matches) {
  if (matches.empty()) return {};
  for (const Match& one : matches)
    if (one.object != matches.front().object) return {};
  return matches.front();
}

// Whether a class is this one or inside of it.
bool is_within(const std::string& type, const std::string& around) {
  return type.starts_with(around) &&
         (type.size() == around.size() || type.compare(around.size(), 2, "::") == 0);
}

Match match_of(const WaitCandidate& candidate, std::string type) {
  return {.object = candidate.object,
          .slot = candidate.slot,
          .handle = candidate.handle,
          .back = candidate.back,
          .type = std::move(type),
          .is_linked = true};
}

// In an awaiter of one of these types. Those of a template may have pointers to different classes:
// then the object's is unknown.
std::optional<Match> of_list(const std::vector<ObjectType>& types, const std::string& awaiter,
                             const WaitCandidate& candidate) {
  std::optional<Match> found;
  for (const ObjectType& type : types) {
    if (!type.handle) continue;
    const TypedPointer* pointer =
        pointer_at(type, *type.handle + candidate.slot - candidate.handle);
    if (pointer == nullptr || !is_to_object(type, *pointer)) continue;
    std::string to = object_of_pointer(awaiter, pointer->to);
    if (!found)
      found = match_of(candidate, std::move(to));
    else if (found->type != to)
      found->type.clear();
  }
  return found;
}

}  // namespace

const std::string& AwaitedObjects::awaiter_of(uint32_t coroutine) const {
  return found_.places[found_.coroutines[coroutine].place].awaiter;
}

// Whether a container with the coroutine may be a part of the object: not of what follows it.
bool AwaitedObjects::may_contain(uint32_t coroutine, const WaitCandidate& candidate,
                                 const std::string& type) {
  if (!candidate.is_in_container || type.empty()) return true;
  const auto size = program_.size_of(found_.coroutines[coroutine].function, type);
  return !size || candidate.back < *size;
}

// In an awaiter that the compiler has described: best in that to which the object leads, of the
// type that is awaited where the coroutine is.
std::optional<Match> AwaitedObjects::of_awaiter_in(const FrameLayout& layout, uint32_t coroutine) {
  const std::string& awaiter = awaiter_of(coroutine);
  std::vector<Match> handles;
  std::optional<Match> best;
  int rank_of_best = 0;
  // Those of earlier awaits keep their bytes.
  const bool has_current = std::any_of(
      layout.members.begin(), layout.members.end(), [&](const FrameMember& member) {
        return member.is_awaiter && !awaiter.empty() && is_awaiter_of(member.type, awaiter);
      });
  for (const WaitCandidate& candidate : candidates_) {
    for (const FrameMember& member : layout.members) {
      if (!member.is_awaiter || !contains(member, candidate.slot)) continue;
      if (has_current && !is_awaiter_of(member.type, awaiter) && !contains(member, candidate.node))
        continue;
      // g++ describes a class with virtual functions only in the unit that defines them.
      const bool is_opaque = member.type.pointers.empty() && !member.type.handle;
      const TypedPointer* pointer = pointer_at(member.type, candidate.slot - member.offset);
      const bool is_known =
          pointer != nullptr && (member.is_reference || is_to_object(member.type, *pointer));
      if (!is_known && !is_opaque) continue;
      const std::string type = is_known ? object_of_pointer(member.type.name, pointer->to)
                                        : object_of_awaiter(member.type.name);
      const bool has_type = is_awaiter_of(member.type, awaiter);
      const int rank =
          1 + 2 * static_cast<int>(contains(member, candidate.node)) + static_cast<int>(has_type);
      if (candidate.is_list && rank > rank_of_best) {
        best = match_of(candidate, type);
        rank_of_best = rank;
      }
      if (!candidate.is_list && is_known && (awaiter.empty() || has_type) &&
          may_contain(coroutine, candidate, type))
        handles.push_back(match_of(candidate, type));
    }
  }
  return best ? best : only_one(handles);
}

// A parameter or a variable: the awaiter is elsewhere, or is the object.
std::optional<Match> AwaitedObjects::of_reference_in(const FrameLayout& layout,
                                                     uint32_t coroutine) {
  for (const WaitCandidate& candidate : candidates_)
    for (const FrameMember& member : layout.members) {
      if (member.is_awaiter || !contains(member, candidate.slot)) continue;
      const TypedPointer* pointer = pointer_at(member.type, candidate.slot - member.offset);
      if (pointer == nullptr || pointer->to.empty() || pointer->to.starts_with("std::") ||
          pointer->to.starts_with("skein::__detail::"))
        continue;
      if (candidate.is_list ||
          (pointer->to == awaiter_of(coroutine) && may_contain(coroutine, candidate, pointer->to)))
        return match_of(candidate, pointer->to);
    }
  return {};
}

// By the type of the awaiter alone.
std::optional<Match> AwaitedObjects::of_type(uint32_t coroutine) {
  const std::string& awaiter = awaiter_of(coroutine);
  if (awaiter.empty()) return {};
  const auto& types = program_.awaiters(found_.coroutines[coroutine].function, awaiter);
  std::vector<Match> handles;
  for (const WaitCandidate& candidate : candidates_) {
    if (candidate.is_list) {
      if (auto found = of_list(types, awaiter, candidate)) return found;
      continue;
    }
    for (const ObjectType& type : types) {
      const auto pointer =
          std::find_if(type.pointers.begin(), type.pointers.end(),
                       [&](const TypedPointer& one) { return is_to_object(type, one); });
      const std::string& to = pointer == type.pointers.end() ? awaiter : pointer->to;
      const bool is_itself = pointer == type.pointers.end() && type.handle == candidate.back;
      if ((pointer != type.pointers.end() || is_itself) && may_be(coroutine, candidate, to))
        handles.push_back(match_of(candidate, to));
    }
  }
  return only_one(handles);
}

std::optional<Match> AwaitedObjects::of_shape(uint32_t coroutine) {
  const std::string type = object_of_awaiter(awaiter_of(coroutine));
  std::vector<Match> handles;
  for (const WaitCandidate& candidate : candidates_) {
    // An object in the frame of another coroutine may be its awaiter, and this one the other's
    // object.
    const bool is_in_frame = waiters_.frame_around(candidate.object) != no_coroutine &&
                             waiters_.frame_at(candidate.object) == no_coroutine;
    if (candidate.is_list && (!is_in_frame || !type.empty())) return match_of(candidate, type);
    if (candidate.is_list) continue;
    // A container may belong to what follows an object whose size is unknown.
    if (candidate.is_in_container &&
        !program_.size_of(found_.coroutines[coroutine].function, type))
      continue;
    if (!type.empty() && may_be(coroutine, candidate, type))
      handles.push_back(match_of(candidate, type));
  }
  return only_one(handles);
}

// Whether an object that has the handle of the coroutine, by which it need not be resumed, may be of
// this type, by what the compiler has described.
bool AwaitedObjects::may_be(uint32_t coroutine, const WaitCandidate& candidate,
                            const std::string& type) {
  const uint32_t function = found_.coroutines[coroutine].function;
  const std::vector<uint64_t> content = waiters_.content(candidate.object, candidate.back / 8 + 1);
  const bool is_handle =
      !content.empty() && waiters_.is_handle_of(coroutine, content[content.size() - 1]);
  return program_.may_have_handle(function, type, candidate.back, !is_handle) &&
         fits(function, candidate.object, type) && !is_declared_otherwise(coroutine, candidate, type);
}

// False: the object is in a frame, and ends behind it.
bool AwaitedObjects::fits(uint32_t function, uint64_t object, const std::string& type) {
  const uint32_t owner = waiters_.frame_around(object);
  if (owner == no_coroutine) return true;
  const std::optional<uint64_t> size = program_.size_of(function, type);
  const SuspendedCoroutine& around = found_.coroutines[owner];
  return !size || *size <= around.frame + around.size - object;
}

// Whether the frame has the address of the object in a variable or an awaiter for another type.
bool AwaitedObjects::is_declared_otherwise(uint32_t coroutine, const WaitCandidate& candidate,
                                           const std::string& type) {
  constexpr size_t most = 2000;  // looked up
  const SuspendedCoroutine& one = found_.coroutines[coroutine];
  const auto is_other = [&](const std::string& declared) {
    return !declared.empty() && declared != type &&
           !program_.may_begin_with(one.function, declared, type) &&
           !program_.may_begin_with(one.function, type, declared);
  };
  const FrameLayout& layout = program_.layout(one.function);
  for (const FrameMember& member : layout.members) {
    if (!contains(member, candidate.slot)) continue;
    const TypedPointer* pointer = pointer_at(member.type, candidate.slot - member.offset);
    if (pointer != nullptr && is_other(pointer->to)) return true;
  }
  if (!layout.members.empty() || one.point == SuspendedCoroutine::unknown || looked_up_ == most)
    return false;
  looked_up_++;
  const std::vector<FrameObject> variables =
      program_.objects(one.function, one.frame, one.point, waiters_.frame_memory(coroutine));
  return std::any_of(variables.begin(), variables.end(), [&](const FrameObject& each) {
    return each.is_pointer && each.word() == candidate.object && is_other(each.type);
  });
}

// The awaiter's type and its content say what it waits for; the object does not lead back.
std::optional<Match> AwaitedObjects::unlinked_in(const FrameLayout& layout, uint32_t coroutine) {
  const auto words = waiters_.words(coroutine);
  const std::string& awaiter = awaiter_of(coroutine);
  std::vector<Match> found;
  for (const FrameMember& member : layout.members) {
    if (!member.is_awaiter || member.is_reference || member.offset % 8 != 0 || awaiter.empty() ||
        !is_awaiter_of(member.type, awaiter))
      continue;
    const uint64_t handle = member.offset + member.type.handle.value_or(0);
    if (member.type.handle &&
        (handle / 8 >= words.size() || !waiters_.is_handle_of(coroutine, words[handle / 8])))
      continue;
    for (const TypedPointer& pointer : member.type.pointers) {
      const uint64_t slot = member.offset + pointer.offset;
      if (!is_to_object(member.type, pointer) || slot % 8 != 0 || slot / 8 >= words.size())
        continue;
      found.push_back({.object = words[slot / 8],
                       .slot = slot,
                       .handle = member.type.handle ? handle : 0,
                       .type = pointer.to});
    }
  }
  return only_one(found);
}

std::optional<Match> AwaitedObjects::unlinked_of_type(uint32_t coroutine) {
  const auto words = waiters_.words(coroutine);
  const std::string& awaiter = awaiter_of(coroutine);
  const SuspendedCoroutine& one = found_.coroutines[coroutine];
  if (awaiter.empty()) return {};
  std::vector<Match> found;
  for (const ObjectType& type : program_.awaiters(one.function, awaiter)) {
    if (!type.handle) continue;
    for (uint64_t handle = 2; handle < words.size(); handle++) {
      if (!waiters_.is_handle_of(coroutine, words[handle]) || 8 * handle < *type.handle) continue;
      for (const TypedPointer& pointer : type.pointers) {
        const uint64_t slot = 8 * handle - *type.handle + pointer.offset;
        if (is_to_object(type, pointer) && slot % 8 == 0 && slot / 8 < words.size())
          found.push_back(
              {.object = words[slot / 8], .slot = slot, .handle = 8 * handle, .type = pointer.to});
      }
    }
  }
  return only_one(found);
}

// Without what cannot be an awaiter's. In the promise of a coroutine, an address leads to what
// waits for it: g++ keeps the frame's own address behind the promise.
void AwaitedObjects::choose_candidates(uint32_t coroutine) {
  const SuspendedCoroutine& one = found_.coroutines[coroutine];
  const auto words = waiters_.words(coroutine);
  const bool is_gcc =
      program_.pairs()[one.function].function.compiler == CoroutineFunction::Compiler::Gcc;
  const auto own =
      std::find(words.begin() + std::min<ptrdiff_t>(2, std::ssize(words)), words.end(), one.frame);
  const auto end_of_promise =
      is_gcc && own != words.end() ? static_cast<uint64_t>(8 * (own - words.begin())) : 0;
  candidates_.clear();
  for (const WaitCandidate& candidate : waiters_.candidates(coroutine))
    if (candidate.slot > end_of_promise) candidates_.push_back(candidate);
}

// What it waits for is in another frame, or in an object.
std::optional<Match> AwaitedObjects::of_promise(const FrameLayout& layout,
                                                uint32_t coroutine) const {
  const auto candidate = std::find_if(candidates_.begin(), candidates_.end(),
                                      [](const WaitCandidate& one) { return one.is_promise; });
  if (candidate == candidates_.end()) return {};
  Match found = match_of(*candidate, seastar_promise);
  const uint32_t around = waiters_.frame_around(found.object);
  if (around != no_coroutine)
    found.back = found.object + 2 * 8 - found_.coroutines[around].frame;  // behind two addresses
  const auto owner =
      owner_of_promise(waiters_.memory(), waiters_.words(coroutine), layout, found.object);
  if (owner) {
    found.object = owner->address;
    found.type = owner->type;
  }
  return found;
}

// Whether what the coroutine waits for is of the class that the other one's function returns.
bool AwaitedObjects::returns_awaited(uint32_t task, uint32_t coroutine, const std::string& object) {
  const FrameLayout& layout = program_.layout(found_.coroutines[task].function);
  const std::string& awaiter = awaiter_of(coroutine);
  if (!layout.promise || awaiter.empty()) return false;
  // "app::Task::promise_type"; the scope of another name may be a namespace.
  constexpr std::string_view usual = "::promise_type";
  std::string returned = layout.returned;
  const std::string& promise = layout.promise->name;
  if (returned.empty() && promise.ends_with(usual))
    returned = promise.substr(0, promise.size() - usual.size());
  if (returned.empty() || returned.starts_with("std::")) return false;
  return is_within(awaiter, returned) || (!object.empty() && is_within(object, returned));
}

// Whether the address there may be that of what the coroutine waits for now: in the awaiter of this
// type, if the compiler has described it, or in a variable.
bool AwaitedObjects::may_be_in_awaiter(const FrameLayout& layout, uint32_t coroutine,
                                       uint64_t slot) const {
  const std::string& awaiter = awaiter_of(coroutine);
  if (slot < promise_end(coroutine)) return false;
  const auto around =
      std::find_if(layout.members.begin(), layout.members.end(),
                   [&](const FrameMember& member) { return contains(member, slot); });
  if (around == layout.members.end() || !around->is_awaiter || awaiter.empty()) return true;
  return is_awaiter_of(around->type, awaiter);
}

// Another coroutine, whose promise has a list or a container with the coroutine: of those that wait
// for its end, or of those that it cancels.
std::optional<Match> AwaitedObjects::task_with_list(const FrameLayout& layout,
                                                    uint32_t coroutine) const {
  constexpr uint64_t header = 16;
  std::vector<Match> found;
  for (const WaitCandidate& candidate : candidates_) {
    if (!candidate.is_list && !candidate.is_task) continue;
    Match match = match_of(candidate, "");
    if (waiters_.frame_at(match.object) == no_coroutine) {
      match.object -= header;
      match.back += header;
    }
    const uint32_t other = waiters_.frame_at(match.object);
    if (other == no_coroutine || other == coroutine ||
        found_.coroutines[other].state == State::Final)
      continue;
    const uint64_t end = promise_end(other);
    if (end != 0 && match.back >= header && match.back + 8 <= end &&
        may_be_in_awaiter(layout, coroutine, candidate.slot))
      found.push_back(std::move(match));
  }
  return only_one(found);
}

// The address of the awaiter, to which the frame may have a reference only; 0: unknown.
uint64_t AwaitedObjects::awaiter_address(const FrameLayout& layout, uint32_t coroutine) {
  const SuspendedCoroutine& one = found_.coroutines[coroutine];
  const std::string& awaiter = awaiter_of(coroutine);
  const auto words = waiters_.words(coroutine);
  std::set<uint64_t> variables;
  for (const FrameMember& member : layout.members) {
    if (member.is_awaiter && !member.is_reference && is_awaiter_of(member.type, awaiter) &&
        is_awaiter_of_point(member.name, one.point))
      return one.frame + member.offset;
    const TypedPointer* pointer = member.is_reference ? pointer_at(member.type, 0) : nullptr;
    if (pointer == nullptr || pointer->to != awaiter || member.offset / 8 >= words.size()) continue;
    const uint64_t address = words[member.offset / 8];
    if (!member.is_awaiter)
      variables.insert(address);
    else if (is_awaiter_of_point(member.name, one.point))
      return address;
  }
  if (layout.members.empty() && one.point != SuspendedCoroutine::unknown)
    for (const FrameObject& object :
         program_.objects(one.function, one.frame, one.point, waiters_.frame_memory(coroutine)))
      if (object.is_pointer && object.type == awaiter) variables.insert(object.word().value_or(0));
  return variables.size() == 1 ? *variables.begin() : 0;
}

// The task whose handle the awaiter has, if the awaiter is what the task's function has returned: a
// task that is its own awaiter.
std::optional<AwaitedObjects::OwnAwaiter> AwaitedObjects::task_of_awaiter(const FrameLayout& layout,
                                                                          uint32_t coroutine) {
  const std::string& awaiter = awaiter_of(coroutine);
  constexpr uint64_t largest = 4096;  // bytes of an awaiter
  if (!is_program_type(awaiter)) return {};
  std::set<uint64_t> handles;  // where objects of the type have one
  uint64_t size = 0;
  for (const ObjectType& type : program_.awaiters(found_.coroutines[coroutine].function, awaiter)) {
    handles.insert(type.handle.value_or(UINT64_MAX));
    size = std::max(size, type.size);
  }
  if (size > largest || handles.size() != 1 || *handles.begin() % 8 != 0 ||
      *handles.begin() + 8 > size)
    return {};
  const uint64_t address = awaiter_address(layout, coroutine);
  const std::vector<uint64_t> content =
      address == 0 ? std::vector<uint64_t>() : waiters_.content(address, size / 8);
  if (content.size() != size / 8) return {};
  const uint64_t handle = content[*handles.begin() / 8];
  const uint32_t task = waiters_.frame_at(handle);
  if (task == no_coroutine || found_.coroutines[task].state == State::Final ||
      !returns_awaited(task, coroutine, ""))
    return {};
  // Something finds its handle there, such as a timer, and may resume it first.
  const bool has_own = std::any_of(content.begin(), content.end(), [&](uint64_t word) {
    return word != handle && waiters_.is_handle_of(coroutine, word);
  });
  return OwnAwaiter{.task = task, .is_alone = !has_own};
}

void AwaitedObjects::read_promises() {
  constexpr uint64_t header = 16;
  has_read_promises_ = true;
  for (uint32_t i = 0; i < found_.coroutines.size(); i++) {
    if (found_.coroutines[i].state == State::Final) continue;
    const auto words = waiters_.words(i);
    const uint64_t end = promise_end(i);
    for (uint64_t at = header; at + 8 <= end && at / 8 < words.size(); at += 8) {
      const uint64_t word = words[at / 8];
      if (!waiters_.may_be_object(word) || waiters_.frame_around(word) != no_coroutine) continue;
      const auto [known, is_new] = promises_.try_emplace(word, i);
      if (!is_new && known->second != i) known->second = no_coroutine;
    }
  }
}

// The coroutine whose result is the object: the only one whose promise has its address, and whose
// function returns an object of the class that is awaited.
uint32_t AwaitedObjects::producer_of(uint32_t coroutine, const Match& match) {
  if (!match.is_linked || awaiter_of(coroutine).empty()) return no_coroutine;
  if (!has_read_promises_) read_promises();
  const auto at = promises_.find(match.object);
  if (at == promises_.end() || at->second == no_coroutine || at->second == coroutine ||
      !returns_awaited(at->second, coroutine, match.type))
    return no_coroutine;
  return at->second;
}

// A coroutine that has a list of awaiters may have forgotten to clear it: in a cycle, all must be
// known. False: it would close one.
bool AwaitedObjects::set_awaits(uint32_t coroutine, uint32_t other, bool is_proven) {
  if (leads_to(other, coroutine)) {
    if (!is_proven) return false;
    cycle_closers_.push_back(coroutine);
  }
  found_.coroutines[coroutine].awaits = other;
  return true;
}

std::optional<Match> AwaitedObjects::match(uint32_t coroutine) {
  const std::string& awaiter = awaiter_of(coroutine);
  std::erase_if(candidates_, [](const WaitCandidate& one) { return one.is_task; });
  const FrameLayout& layout = program_.layout(found_.coroutines[coroutine].function);
  if (auto found = of_promise(layout, coroutine)) return found;
  if (!awaiter.empty() && !is_program_type(awaiter)) return {};
  if (is_without_pointers(program_.awaiters(found_.coroutines[coroutine].function, awaiter)))
    return {};
  if (auto found = of_awaiter_in(layout, coroutine)) return found;
  if (auto found = of_reference_in(layout, coroutine)) return found;
  if (auto found = of_type(coroutine)) return found;
  if (auto found = of_shape(coroutine)) return found;
  std::optional<Match> found = unlinked_in(layout, coroutine);
  if (!found && layout.members.empty()) found = unlinked_of_type(coroutine);
  if (!found || !waiters_.may_be_object(found->object)) return {};
  return found;
}

// Whether a coroutine waits for the other, directly or not; also if they are the same.
bool AwaitedObjects::leads_to(uint32_t from, uint32_t to) const {
  constexpr int longest = 100'000;
  for (int i = 0; i < longest && from != no_coroutine; i++, from = found_.coroutines[from].awaits)
    if (from == to) return true;
  return from != no_coroutine;
}

// Bytes from the frame; 0: unknown. g++'s frames have their own address behind the promise.
uint64_t AwaitedObjects::promise_end(uint32_t coroutine) const {
  constexpr uint64_t header = 16;
  const SuspendedCoroutine& one = found_.coroutines[coroutine];
  const FrameLayout& layout = program_.layout(one.function);
  if (layout.promise && layout.promise->size != 0) return header + layout.promise->size;
  const auto words = waiters_.words(coroutine);
  const auto own = std::find(words.begin(), words.end(), one.frame);
  return own == words.end() ? 0 : 8 * static_cast<uint64_t>(own - words.begin());
}

void AwaitedObjects::add(uint32_t coroutine, const Match& match) {
  SuspendedCoroutine& one = found_.coroutines[coroutine];
  const WaitObject::Kind kind =
      match.type.empty() ? kind_of_awaiter(awaiter_of(coroutine)) : kind_of_type(match.type);
  // The state of another coroutine, whose end it waits for.
  uint32_t other = waiters_.frame_at(match.object);
  if (other == no_coroutine && kind == WaitObject::Kind::Result)
    other = waiters_.frame_around(match.object);
  if (other != no_coroutine && !leads_to(other, coroutine)) {
    // A handle alone is that of a generator's consumer, of a parent; so is what leads back from
    // outside the promise. A promise of Seastar may be a variable there.
    const bool may_be_variable = match.type == seastar_promise;
    const uint64_t end = promise_end(other);
    const uint64_t usual_end = may_be_variable ? 16 + 7 * 8 : UINT64_MAX;
    const bool is_in_promise = match.is_linked && match.back + 8 <= (end != 0 ? end : usual_end);
    if (is_in_promise || (kind == WaitObject::Kind::Result && !may_be_variable))
      one.awaits = other;
    if (one.awaits != no_coroutine || !may_be_variable) return;
  }
  if (const uint32_t producer = producer_of(coroutine, match); producer != no_coroutine) {
    set_awaits(coroutine, producer, true);
    return;
  }
  const auto [at, is_new] =
      numbers_.try_emplace(match.object, static_cast<uint32_t>(found_.awaited.size()));
  if (is_new) found_.awaited.push_back({.address = match.object});
  WaitObject& object = found_.awaited[at->second];
  if (object.type.empty()) {
    object.type = match.type;
    object.kind = kind;
  }
  object.is_linked |= match.is_linked;
  object.waiters.push_back(coroutine);
  one.awaited = at->second;
  matches_.emplace(coroutine, match);
}

// Coroutines that one waits for together: those that have not ended are as many as it counts.
void AwaitedObjects::add_joins() {
  struct Children {
    uint64_t count = 0;
    uint64_t counter = 0;
    std::vector<uint32_t> all = {};
  };
  std::map<uint32_t, Children> by_parent;
  for (const Join& join : waiters_.joins()) {
    // Behind the promise, it may be the address of anything with a number and a handle.
    const uint64_t end = promise_end(join.child);
    const std::string& awaiter = awaiter_of(join.parent);
    if (end != 0 ? join.slot + 8 > end
                 : join.count == 1 && !awaiter.empty() && !is_name_of_join(awaiter))
      continue;
    Children& children = by_parent[join.parent];
    if (!children.all.empty() && children.counter != join.counter) continue;
    children.count = join.count;
    children.counter = join.counter;
    children.all.push_back(join.child);
  }
  for (const auto& [parent, children] : by_parent) {
    const auto open = static_cast<uint64_t>(std::count_if(
        children.all.begin(), children.all.end(),
        [&](uint32_t child) { return found_.coroutines[child].state != State::Final; }));
    if (open != children.count) continue;
    for (const uint32_t child : children.all) found_.coroutines[child].joined_by = parent;
    found_.coroutines[parent].awaited = static_cast<uint32_t>(found_.awaited.size());
    found_.awaited.push_back({.address = children.counter,
                              .kind = WaitObject::Kind::WhenAll,
                              .type = object_of_awaiter(awaiter_of(parent)),
                              .is_linked = true,
                              .waiters = {parent}});
  }
}

// Of the program itself: an object with the address of the parent, and with the number of those of
// its children that have not ended. Where a single one is left, the number alone is no evidence.
void AwaitedObjects::add_own_joins() {
  const std::vector<SharedObject> all = waiters_.shared_objects();
  for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    const uint32_t parent = all[begin].parent;
    const uint64_t address = all[begin].object;
    while (end < all.size() && all[end].parent == parent && all[end].object == address) end++;
    add_own_join(parent, address, std::span(all).subspan(begin, end - begin));
  }
}

void AwaitedObjects::add_own_join(uint32_t parent, uint64_t address,
                                  std::span<const SharedObject> children) {
  SuspendedCoroutine& waiter = found_.coroutines[parent];
  if (waiter.awaits != no_coroutine || waiter.object != no_coroutine) return;
  WaitObject* object = waiter.awaited == no_coroutine ? nullptr : &found_.awaited[waiter.awaited];
  if (object != nullptr && (object->address != address || !may_count_tasks(object->kind) ||
                            object->waiters.size() != 1))
    return;
  // Without types, any object with a handle and a number would be one.
  const std::string& awaiter = awaiter_of(parent);
  if (awaiter.empty() || (!is_program_type(awaiter) || !may_count_tasks(kind_of_awaiter(awaiter))))
    return;
  uint64_t open = 0;
  for (const SharedObject& one : children) {
    const SuspendedCoroutine& child = found_.coroutines[one.child];
    if (child.joined_by != no_coroutine || leads_to(one.child, parent) ||
        leads_to(parent, one.child))
      return;
    open += child.state == State::Final ? 0 : 1;
  }
  const std::string type = object != nullptr && !object->type.empty() ? object->type : awaiter;
  const bool has_name = is_name_of_join(type) || is_name_of_join(awaiter);
  if (open == 0 || (open == 1 && !has_name) || !has_count(address, open)) return;
  for (const SharedObject& one : children) found_.coroutines[one.child].joined_by = parent;
  if (object == nullptr) {
    waiter.awaited = static_cast<uint32_t>(found_.awaited.size());
    found_.awaited.push_back({.address = address, .type = type, .waiters = {parent}});
    object = &found_.awaited.back();
  }
  object->kind = WaitObject::Kind::WhenAll;
  object->is_linked = true;
  waiter.state = State::Waits;
}

// Whether the object has this number, in 32 or 64 bits.
bool AwaitedObjects::has_count(uint64_t address, uint64_t count) const {
  constexpr size_t most = 8;
  for (const uint64_t word : waiters_.content(address, most))
    if (word == count || (word & 0xFFFFFFFF) == count || word >> 32 == count) return true;
  return false;
}

void AwaitedObjects::add_groups(const std::vector<Join>& groups) {
  for (const Join& one : groups) {
    SuspendedCoroutine& parent = found_.coroutines[one.parent];
    if (parent.awaited == no_coroutine) {
      const std::string& name = found_.functions[parent.function].name;
      const bool is_operator =
          name.find("operator&&") != std::string::npos || name.find("operator||") != std::string::npos;
      parent.awaited = static_cast<uint32_t>(found_.awaited.size());
      found_.awaited.push_back({.address = one.counter,
                                .kind = WaitObject::Kind::WhenAll,
                                .type = is_operator ? name : asio_group,
                                .is_linked = true,
                                .waiters = {one.parent}});
    }
    if (!leads_to(one.child, one.parent)) found_.coroutines[one.child].joined_by = one.parent;
  }
}

void AwaitedObjects::find() {
  add_joins();
  for (uint32_t i = 0; i < found_.coroutines.size(); i++) {
    SuspendedCoroutine& one = found_.coroutines[i];
    if (one.awaits != no_coroutine || one.awaited != no_coroutine || one.object != no_coroutine ||
        one.state == State::Final || one.state == State::Runs)
      continue;
    choose_candidates(i);
    const auto task = task_with_list(program_.layout(one.function), i);
    const uint32_t other = task ? waiters_.frame_at(task->object) : no_coroutine;
    if (other != no_coroutine && returns_awaited(other, i, "")) {
      set_awaits(i, other, true);
      one.state = State::Waits;
      continue;
    }
    const std::optional<Match> found = match(i);
    // An object of the awaiter's class is the awaiter itself, as a task may be.
    const bool is_itself = found && found->type == awaiter_of(i);
    const bool may_await = (!found || is_itself) && one.state != State::NotStarted;
    const auto awaited =
        may_await ? task_of_awaiter(program_.layout(one.function), i) : std::nullopt;
    if (awaited && set_awaits(i, awaited->task, awaited->is_alone)) {
      one.state = State::Waits;
      continue;
    }
    if (!found) {
      // Without types, nothing else is known.
      if (other == no_coroutine || !awaiter_of(i).empty() || !set_awaits(i, other, false)) continue;
      one.state = State::Waits;
      guessed_.push_back(i);
      continue;
    }
    // A function in one line seems not to have started, but something leads to its awaiter.
    const bool has_started = one.state == State::Waits || one.state == State::Unknown;
    if (!has_started && !found->is_linked) continue;
    if (found->is_linked) one.state = State::Waits;
    add(i, *found);
  }
  add_own_joins();
}

}  // namespace skein
