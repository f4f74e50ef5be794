// Counters: named values over time.
//
//   SKEIN_COUNT("bytes sent", n);          // adds n
//   SKEIN_GAUGE("queue length", q.size()); // sets the value
//
//   skein::counter sent("bytes sent");     // as an object, for a name known only at run time
//   sent.add(n);
//
// Counters whose names differ only after `#` share a scale in the viewers ("queue#in",
// "queue#out"). Threads: any. Cost while the recorder is off: one load and one branch.
#pragma once
#include <skein/skein.h>

namespace skein {
namespace detail {

// The id of a string in the running trace, looked up once per trace. Constant-initialised. Threads:
// any; two that look it up at the same time store the same value.
class text_id {
 public:
  constexpr explicit text_id(const char* text) : text_(text) {}
  uint32_t get() {
    const uint64_t known = __atomic_load_n(&known_, __ATOMIC_RELAXED);
    const uint32_t generation = skein_generation();
    if (known >> 32 == generation) [[likely]]
      return static_cast<uint32_t>(known);
    return look_up(generation);
  }

 private:
  [[gnu::noinline, gnu::cold]] uint32_t look_up(uint32_t generation) {
    const uint32_t id = skein_string(text_);
    __atomic_store_n(&known_, uint64_t{generation} << 32 | id, __ATOMIC_RELAXED);
    return id;
  }
  const char* text_;
  uint64_t known_ = 0;
};

// Without room for its name, a counter would be one with all others that found none.
inline void counter_add(uint32_t counter, int64_t amount) {
  if (counter != 0) [[likely]]
    ::skein_counter_add(counter, amount);
}
inline void counter_set(uint32_t counter, int64_t value) {
  if (counter != 0) [[likely]]
    ::skein_counter_set(counter, value);
}

}  // namespace detail

// Precondition: `name` lives as long as the counter.
class counter {
 public:
  constexpr explicit counter(const char* name) : name_(name) {}
  void add(int64_t amount) {
    if (skein_enabled()) detail::counter_add(name_.get(), amount);
  }
  void set(int64_t value) {
    if (skein_enabled()) detail::counter_set(name_.get(), value);
  }

 private:
  detail::text_id name_;
};

}  // namespace skein

// The arguments are evaluated only while recording.
#if defined(SKEIN_DISABLE)
#define SKEIN_COUNT(name, amount) ((void)sizeof(amount))
#define SKEIN_GAUGE(name, value) ((void)sizeof(value))
#else
#define SKEIN_COUNT(name, amount)                                                   \
  do {                                                                              \
    if (skein_enabled()) {                                                          \
      static constinit ::skein::detail::text_id skein_name(name "");                \
      ::skein::detail::counter_add(skein_name.get(), static_cast<int64_t>(amount)); \
    }                                                                               \
  } while (0)
#define SKEIN_GAUGE(name, value)                                                   \
  do {                                                                             \
    if (skein_enabled()) {                                                         \
      static constinit ::skein::detail::text_id skein_name(name "");               \
      ::skein::detail::counter_set(skein_name.get(), static_cast<int64_t>(value)); \
    }                                                                              \
  } while (0)
#endif
