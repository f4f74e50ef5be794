// What coroutines wait for, if it is neither another coroutine nor one of Asio's objects: a mutex,
// an event, a queue, of any library or of the program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skein {

struct WaitObject {
  enum class Kind : uint8_t {
    Unknown,
    Lock,
    Event,
    Condition,
    Semaphore,
    Queue,
    Counter,  // a latch, a barrier
    WhenAll,  // reached when several coroutines have ended, or one: SuspendedCoroutine::joined_by
    Result,   // a promise, the state of a task
    Executor,
  };
  enum class Certainty : uint8_t {
    Perhaps,   // it is the holder, or has been
    Probable,  // it has a guard, but of a type of the program, which may release the lock otherwise
    Certain,
  };
  struct Holder {
    uint32_t coroutine = 0;
    Certainty certainty = Certainty::Perhaps;
    bool is_certain() const { return certainty == Certainty::Certain; }
  };

  uint64_t address = 0;
  Kind kind = Kind::Unknown;
  std::string type = {};  // "cppcoro::async_mutex"; empty: unknown
  // False: the awaiter has its address, but it does not lead back to the awaiter, or not shortly.
  bool is_linked = false;
  std::vector<uint32_t> waiters = {};  // coroutines
  std::vector<Holder> holders = {};    // of a lock; empty: unknown
  // Of WhenAll: the coroutines of which SuspendedCoroutine::joined_by is the waiter.
  std::vector<uint32_t> joined = {};
};

// The type of what libcoro's when_any waits for.
inline constexpr const char* libcoro_when_any = "coro::when_any";

// Of a WhenAll: whether the first coroutine that ends is enough, as for Asio's operator||.
inline bool is_of_first(const WaitObject& object) {
  return object.type == libcoro_when_any || object.type.find("operator||") != std::string::npos;
}

// "lock"; stable, for JSON. Unknown: empty.
std::string_view name(WaitObject::Kind kind);

}  // namespace skein
