#include "tests/recorder/numbered.h"

#include <cstring>

namespace skein::test {
namespace {

uint64_t hash(uint64_t n) {
  n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9ull;
  n = (n ^ (n >> 27)) * 0x94d049bb133111ebull;
  return n ^ (n >> 31);
}

// Returns a number of any of the four widths.
uint64_t any_width(uint64_t seed) {
  constexpr unsigned kWidths[] = {8, 16, 32, 64};
  return hash(seed + 1) >> (64 - kWidths[hash(seed) % 4]);
}

size_t make_text(uint64_t n, char* text) {
  const uint64_t seed = hash(n);
  const size_t size = seed % 16 == 0 ? 480 + seed / 16 % 200 : 1 + seed / 16 % 40;
  for (size_t i = 0; i < size; ++i) text[i] = static_cast<char>('!' + (seed >> (i % 50)) % 90);
  text[size] = 0;
  return size;
}

std::string expected_text(uint64_t n) {
  char text[700];
  const size_t size = make_text(n, text);
  if (size <= format::kMaxText) return {text, size};
  return std::string(text, format::kMaxText - 3) + format::kCutMark;
}

enum class Call { kCounter, kSend, kText, kNotify, kTasks, kCallCount };
Call call_of(uint64_t n) {
  // Texts of full length fill a chunk quickly; they are rare, so that other calls occur too.
  const uint64_t dice = hash(n * 3) % 32;
  return dice < 12   ? Call::kCounter
         : dice < 18 ? Call::kSend
         : dice < 20 ? Call::kText
         : dice < 26 ? Call::kNotify
                     : Call::kTasks;
}

// Suspends an outer task, then creates, runs and ends an inner one with the number as its label,
// which makes the outer one current again: calls of two and three events, each with one commit.
constexpr skein_source kPlace = {"numbered.cc", "task_call", 1, 2};

// Every other notify has a location: two events with one commit.
bool says_place(uint64_t n) { return n % 2 == 1; }
constexpr skein_source kNotifyPlace = {"numbered.cc", "make", 3, 4};

// Finds the run of numbers in the events of an executor. The stream may begin in the middle of a
// call.
class Reader {
 public:
  Reader(const std::vector<Event>& events, uint64_t executor)
      : events_(events), executor_(executor) {}

  Run read() {
    for (; at_ < events_.size(); ++at_) {
      const Event& event = events_[at_];
      if (event.is("executor") || event.is("executor_end") || event.is("create_under")) continue;
      if (!step(event)) break;
    }
    return run_;
  }

 private:
  bool wrong(const std::string& what) {
    if (run_.problem.empty())
      run_.problem = "event " + std::to_string(at_) + " (" + events_[at_].name + ") after number " +
                     std::to_string(run_.last) + ": " + what;
    return false;
  }
  bool numbered(uint64_t n, Call call) {
    if (n >> 40 != executor_) return wrong("of another executor");
    n &= (uint64_t{1} << 40) - 1;
    if (run_.first == 0) run_.first = n;
    if (run_.last != 0 && n != run_.last + 1) return wrong("number " + std::to_string(n));
    if (call_of(n) != call) return wrong("another call than that number's");
    run_.last = n;
    return true;
  }
  const Event* next() { return at_ + 1 < events_.size() ? &events_[++at_] : nullptr; }

  bool step(const Event& event) {
    if (event.is("counter_set")) {
      const uint64_t n = event.b;
      if (!numbered(n, Call::kCounter)) return false;
      return event.a == static_cast<uint32_t>(any_width(n)) || wrong("counter");
    }
    if (event.is("send")) {
      if (!numbered(event.a, Call::kSend)) return false;
      return event.b == any_width(event.a) || wrong("peer");
    }
    if (event.is("at")) {
      if (at_place_ != 0 && event.a != at_place_) return wrong("another place");
      at_place_ = event.a;
      const Event* notify = next();
      if (notify == nullptr || !notify->is("notify") || !says_place(notify->b))
        return wrong("a place without its notify");
      if (notify->ticks != event.ticks) return wrong("two times in one call");
      return notified(*notify);
    }
    if (event.is("notify")) {
      if (says_place(event.b)) return wrong("without its place");
      return notified(event);
    }
    if (event.is("label_text")) {
      // The event has no number; it follows from the previous one.
      return numbered_text(event);
    }
    return task_step(event);
  }

  bool notified(const Event& event) {
    if (!numbered(event.b, Call::kNotify)) return false;
    return event.a == any_width(event.b) || wrong("target");
  }

  bool numbered_text(const Event& event) {
    if (run_.last == 0) return true;  // the stream begins with this text
    const uint64_t n = executor_ << 40 | (run_.last + 1);
    if (call_of(n & ((uint64_t{1} << 40) - 1)) != Call::kText) return wrong("a text");
    run_.last++;
    return event.text == expected_text(run_.last) || wrong("text " + event.text);
  }

  bool task_step(const Event& event) {
    if (event.is("create")) {
      // create_running: both events or none.
      const Event* resumed = next();
      inner_ = event.a;
      if (resumed == nullptr || !resumed->is("resume") || resumed->a != inner_)
        return wrong("create without its resume");
      if (resumed->ticks != event.ticks) return wrong("two times in one call");
      return true;
    }
    if (event.is("io")) {
      if (inner_ != 0 && event.a != inner_) return wrong("another task's");
      inner_ = event.a;
      return numbered(event.b, Call::kTasks);
    }
    if (event.is("resolve")) {
      if (inner_ != 0 && event.a != inner_) return wrong("another task's");
      const Event* previous = next();
      if (previous == nullptr || !previous->is("switch_to"))
        return wrong("resolve without its switch");
      if (outer_ != 0 && previous->a != outer_) return wrong("switch to another task");
      outer_ = previous->a;
      inner_ = 0;
      return true;
    }
    if (event.is("resume")) {  // of the outer task, once
      outer_ = event.a;
      return true;
    }
    return wrong("not ours");
  }

  const std::vector<Event>& events_;
  uint64_t executor_;
  size_t at_ = 0;
  uint64_t inner_ = 0, outer_ = 0;
  uint64_t at_place_ = 0;  // the location of every notify
  Run run_;
};

}  // namespace

void NumberedCalls::task_call(uint64_t n) {
  skein_task inner = {};
  const uint64_t previous = skein_create_running(&inner, SKEIN_KIND_task, "inner", &kPlace);
  skein_io(&inner, n);
  skein_resolve(&inner, previous);
}

void NumberedCalls::make(uint64_t n) {
  const uint64_t full = executor_ << 40 | n;
  if (outer_.id == 0) skein_create_running(&outer_, SKEIN_KIND_task, "outer", &kPlace);
  switch (call_of(n)) {
    case Call::kCounter:
      skein_counter_set(static_cast<uint32_t>(any_width(full)), static_cast<int64_t>(full));
      break;
    case Call::kSend:
      skein_send(full, any_width(full));
      break;
    case Call::kText:
      skein_label_text(nullptr, text_, make_text(n, text_));
      break;
    case Call::kNotify:
      if (says_place(full))
        skein_notify_at(any_width(full), full, &kNotifyPlace);
      else
        skein_notify(any_width(full), full);
      break;
    case Call::kTasks:
    case Call::kCallCount:
      task_call(full);
      break;
  }
}

Run find_run(const std::vector<Event>& events, uint64_t executor) {
  return Reader(events, executor).read();
}

}  // namespace skein::test
