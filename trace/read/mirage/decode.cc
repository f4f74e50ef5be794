#include "trace/read/mirage/decode.h"

#include <algorithm>
#include <cstring>

namespace skein::mirage {

namespace {

uint64_t load(const uint8_t* bytes) {
  uint64_t number;
  std::memcpy(&number, bytes, sizeof number);
  return number;
}

// A number available with an event. Most: no_task, or an unknown value.
enum class Number : uint8_t { Zero, Most, First, Second, TaskKind };

// The meaning of an op in the model. A table instead of a switch: the next op is unpredictable.
struct Meaning {
  EventKind kind;
  Number task;
  Number other = Number::Most;
  Number value = Number::Zero;
  uint8_t flags = 0;
};
constexpr std::array<Meaning, ops> meanings = [] {
  using K = EventKind;
  using enum Number;
  std::array<Meaning, ops> m{};
  const auto set = [&m](Op op, const Meaning& meaning) { m[static_cast<size_t>(op)] = meaning; };
  set(Op::Creates, {.kind = K::Create, .task = Second, .other = First, .value = TaskKind});
  set(Op::Read, {.kind = K::Ready, .task = First, .other = Second, .flags = flag::makes_current});
  set(Op::ReadLater, {.kind = K::Ready, .task = First, .other = Second});
  set(Op::TryRead, {.kind = K::TryRead, .task = First, .other = Second});
  set(Op::Fulfills, {.kind = K::Resolve, .task = Second, .other = First});
  set(Op::Fails, {.kind = K::Fail, .task = Second, .other = First});
  set(Op::Becomes, {.kind = K::Become, .task = First, .other = Second});
  set(Op::Label, {.kind = K::Label, .task = First});
  set(Op::Increase, {.kind = K::CounterAdd, .task = First, .value = Second});
  set(Op::Counter, {.kind = K::CounterSet, .task = First, .value = Second});
  set(Op::Switch, {.kind = K::SwitchTo, .task = First});
  set(Op::Gc, {.kind = K::Pause, .task = Most, .value = First});
  set(Op::Signal, {.kind = K::Notify,
                   .task = First,
                   .other = Second,
                   .value = Most,
                   .flags = flag::makes_current});
  set(Op::SignalLater, {.kind = K::Notify, .task = First, .other = Second, .value = Most});
  return m;
}();

std::string_view text(const uint8_t* bytes, size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

Decoder::Decoder(std::span<const uint8_t> file, Trace& trace)
    : file_(file), trace_(trace), gc_(trace.strings.intern("gc")) {}

// The size of the event at `at` if it ends at or before `end` and its op is valid, else 0.
[[gnu::always_inline]] inline size_t Decoder::size_at(size_t at, size_t end,
                                                      size_t longest_text) const {
  const size_t left = end - at;
  if (left < smallest_event) return 0;
  const uint8_t op = file_[at + 8];
  if (op >= ops) return 0;
  const size_t fixed = op_sizes[op];
  if (!has_text(Op{op})) return fixed <= left ? fixed : 0;
  if (fixed >= left) return 0;
  const size_t from = at + fixed;
  const size_t searched = std::min(longest_text, left - fixed);
  if (from >= no_nul_ && from + searched <= no_nul_end_) return 0;
  const void* nul = std::memchr(file_.data() + from, 0, searched);
  if (!nul) {
    // Cached, so that unterminated strings do not cause repeated searches to the end.
    if (searched == left - fixed) no_nul_ = from, no_nul_end_ = end;
    return 0;
  }
  const auto length = static_cast<const uint8_t*>(nul) - (file_.data() + from);
  return fixed + static_cast<size_t>(length) + 1;
}

[[gnu::always_inline]] inline void Decoder::append(size_t at, size_t size, uint64_t time,
                                                   uint8_t flags) {
  const uint8_t* bytes = file_.data() + at;
  // Reads a fixed number of bytes from every event: the longest possible part before the string.
  std::array<uint8_t, largest_fixed> copy{};
  if (file_.size() - at < largest_fixed) [[unlikely]] {
    std::copy_n(bytes, std::min(size, copy.size()), copy.begin());
    bytes = copy.data();
  }
  const auto op = Op{bytes[8]};
  const Meaning& meaning = meanings[bytes[8]];
  const std::array<uint64_t, 5> numbers = {0, UINT64_MAX, load(bytes + 9), load(bytes + 17),
                                           std::min<uint64_t>(bytes[25], task_kinds.size())};
  const auto number = [&](Number which) { return numbers[static_cast<size_t>(which)]; };
  EventRow row{.time = time - start_,
               .task = number(meaning.task),
               .other = number(meaning.other),
               .value = number(meaning.value),
               .kind = meaning.kind,
               .flags = static_cast<uint8_t>(meaning.flags | flags)};
  if (has_text(op)) {
    const size_t fixed = op_sizes[static_cast<size_t>(op)];
    const std::string_view said = text(file_.data() + at + fixed, size - fixed - 1);
    if (op == Op::Label && said == should_resolve_label)
      row.kind = EventKind::ShouldResolve;
    else
      row.text = trace_.strings.intern(said);
  }
  if (op == Op::Switch && row.task == no_task) row.kind = EventKind::Idle;
  if (op == Op::Gc) row.text = gc_;
  counts_[static_cast<size_t>(op)]++;
  before_ = previous_;
  previous_ = time;
  last_at_ = at;
  trace_.events.append(row);
}

void Decoder::decode(const Packet& packet) {
  size_t at = packet.first_event;
  size_t end = packet.content_end;
  if (!started_) {
    if (at == end && at != packet.end && first_good_time(at, packet.end) == at) end = packet.end;
    at = begin_time(at, end, packet.has_header);
    if (!started_) return;
  }
  for (;;) {
    const size_t size = at < end ? size_at(at, end, SIZE_MAX) : 0;
    if (size == 0) [[unlikely]] {
      const size_t behind = end_behind(end, at, packet);
      if (behind > end) {
        end = behind;
      } else if (at < end) {
        at = resynchronise(at, end, "event damaged or truncated");
      } else {
        return;
      }
      continue;
    }
    const uint64_t time = time_at(at);
    if (time - previous_ > usual_gap) [[unlikely]] {
      at = odd_event(at, end);
      continue;
    }
    append(at, size, time, 0);
    at += size;
  }
}

uint64_t Decoder::time_at(size_t at) const { return load(file_.data() + at); }

size_t Decoder::event_size(size_t at, size_t end, size_t longest_text) const {
  return size_at(at, end, longest_text);
}

// Whether the next `length` events, or those that remain, fit one another and `previous`.
// Successive times may differ by at most `gap`.
bool Decoder::chain(size_t at, size_t end, std::optional<uint64_t> previous, uint64_t gap,
                    size_t length) const {
  const bool lone = !previous;
  for (size_t i = 0; i < length; i++) {
    if (at == end) return !lone || i >= chain_length;
    const size_t size = event_size(at, end, longest_guessed_text);
    if (size == 0) return false;
    const uint64_t time = time_at(at);
    if (!plausible(time) || (previous && time - *previous > gap)) return false;
    previous = time;
    at += size;
  }
  return true;
}

// The first position from `from` at which consecutive events begin; `end` if there is none. Random
// bytes can look like an event whose time is far ahead, so small gaps are tried first.
size_t Decoder::find_chain(size_t from, size_t end, std::optional<uint64_t> previous) const {
  for (const uint64_t gap : {usual_gap, usual_gap << 8, longest_gap})
    for (size_t at = from; at < end && end - at >= smallest_event; at++)
      if ((!previous || time_at(at) - *previous <= gap) &&
          chain(at, end, previous, gap, previous ? chain_length : lone_chain_length))
        return at;
  return end;
}

// Finds the first event of the trace, which has no previous time to fit. `aligned`: a header states
// that it is at `at`. Sets the start time and returns the event's position; leaves started_ false
// if there is none.
size_t Decoder::begin_time(size_t at, size_t end, bool aligned) {
  size_t found = at;
  size_t timed = aligned ? first_good_time(at, end) : end;
  if (timed == end && at != end) {
    timed = found = find_chain(at, end, {});
    lose("no recognisable event", at, found - at, {});
  }
  if (timed == end) return end;
  started_ = true;
  start_ = previous_ = before_ = time_at(timed);
  trace_.info.start = start_;
  return found;
}

// A header states that an event is at `at`. Its time is good if the next events follow it;
// otherwise, the time of one of the next events may be good.
size_t Decoder::first_good_time(size_t at, size_t end) const {
  if (chain(at, end, {}, longest_gap, lone_chain_length)) return at;
  if (end - at >= smallest_event && plausible(time_at(at)) && nearby(at, end, time_at(at)) < end)
    return at;
  for (size_t i = 0; i < lone_chain_length && at < end; i++) {
    const size_t size = event_size(at, end, longest_guessed_text);
    if (size == 0) break;
    const size_t next = at + size;
    const bool last = next == end || event_size(next, end, longest_guessed_text) == 0;
    if (plausible(time_at(at)) && (last || time_at(next) - time_at(at) <= usual_gap)) return at;
    at = next;
  }
  return end;
}

// Returns the position shortly after `at` where events continue whose times are close to
// `previous`; `end` if there is none. If there is one, the event at `at` has a wrong size, or no
// event begins there.
size_t Decoder::nearby(size_t at, size_t end, uint64_t previous) const {
  constexpr size_t range = 96;
  for (size_t i = 1; i < range && i < end - at; i++)
    if (end - at - i >= smallest_event && time_at(at + i) - previous <= usual_gap &&
        chain(at + i, end, previous, usual_gap))
      return at + i;
  return end;
}

// Handles an event that is complete but whose time is before or long after the previous one's.
// Returns where to continue: at a later position, or at `at` with state changed so that the event
// now fits.
size_t Decoder::odd_event(size_t at, size_t end) {
  const uint64_t time = time_at(at);
  const size_t size = event_size(at, end, SIZE_MAX);
  const size_t next = at + size;
  if (time == 0) return resynchronise(at, end, "event damaged");
  if (plausible(time) && follows(time, previous_) && nearby(at, end, previous_) == end &&
      chain(next, end, time, longest_gap, lone_chain_length)) {
    emit(at, size, time, 0);  // nothing happened for a while
    return next;
  }
  if (next < end && chain(next, end, previous_)) {
    lose("event time damaged", at, 8, 0);
    emit(at, size, previous_, flag::time_guessed);
    return next;
  }
  if (before_ <= time && time < previous_ && follows(time, before_) && chain(next, end, time)) {
    repair_previous();
    return at;
  }
  if (plausible(time) && next < end && chain(next, end, time)) {
    set_clock(at);
    return at;
  }
  return resynchronise(at, end, "event damaged");
}

// From here on, times are those of another clock or of one that was set; makes them continue the
// earlier times.
void Decoder::set_clock(size_t at) {
  lose("clock was set; later times continue from here", at, 8, 0);
  start_ += time_at(at) - previous_;
  previous_ = before_ = time_at(at);
}

// Later events show that the time of the last event was wrong.
void Decoder::repair_previous() {
  previous_ = before_;
  if (trace_.events.empty()) return;
  trace_.events.amend_last(before_ - start_, flag::time_guessed);
  lose("event time damaged", last_at_, 8, 0);
}

// Searches after `at` for events that follow the last one; if there are none, for events that
// follow one another.
size_t Decoder::resynchronise(size_t at, size_t end, const char* what) {
  size_t found = find_chain(at + 1, end, previous_);
  if (found == end) found = find_chain(at + 1, end, {});
  lose(what, at, found - at, {});
  if (found < end && !follows(time_at(found), previous_)) set_clock(found);
  return found;
}

// According to the header, the content ends at `end`, but the event at `at` does not end there, or
// there is none. If events nevertheless continue up to or beyond `end`, the header is wrong:
// returns where they end. Otherwise returns `end`.
size_t Decoder::end_behind(size_t end, size_t at, const Packet& packet) {
  if (end != packet.content_end || end == packet.end) return end;
  if (at == packet.end || !chain(at, packet.end, previous_)) {
    // Fewer events than a chain are accepted if they are close in time.
    const size_t size = event_size(at, packet.end, longest_guessed_text);
    if (size == 0 || time_at(at) - previous_ > usual_gap) return end;
  }
  uint64_t time = previous_;
  for (;;) {
    const size_t size = event_size(at, packet.end, longest_guessed_text);
    if (size == 0 || !follows(time_at(at), time)) break;
    time = time_at(at);
    at += size;
  }
  if (at <= end) return end;
  lose("content size damaged", packet.begin + 26, 4, 0);
  return at;
}

void Decoder::emit(size_t at, size_t size, uint64_t time, uint8_t flags) {
  append(at, size, time, flags);
}

void Decoder::lose(const char* what, size_t offset, uint64_t bytes,
                   std::optional<uint64_t> events) {
  add_loss(trace_.losses,
           {.what = what, .offset = offset, .bytes = bytes, .packets = 0, .events = events});
}

}  // namespace skein::mirage
