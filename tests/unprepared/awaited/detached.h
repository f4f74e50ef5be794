// A coroutine that begins at once and is destroyed at its end; and the truth, printed.
#pragma once

#include <unistd.h>

#include <coroutine>
#include <cstdio>

struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};

// "waits FUNCTION ADDRESS TYPE": as many coroutines of the function as there are such lines.
inline void waits(const char* function, const void* object, const char* type) {
  std::printf("waits %s %p %s\n", function, object, type);
}
// "awaits FUNCTION FUNCTION"
inline void awaits(const char* function, const char* other) { std::printf("awaits %s %s\n", function, other); }
// "held ADDRESS FUNCTION": by the coroutine of this function, which is certain if its compiler says enough.
inline void held(const void* object, const char* function) { std::printf("held %p %s\n", object, function); }
// "free ADDRESS": skein must not be certain that anything holds it.
inline void no_holder(const void* object) { std::printf("free %p\n", object); }
// "not_held ADDRESS FUNCTION": by no coroutine of this function, not even perhaps.
inline void not_held(const void* object, const char* function) { std::printf("not_held %p %s\n", object, function); }
// "perhaps ADDRESS FUNCTION": by the coroutine of this function, perhaps, with any compiler that
// describes it.
inline void perhaps(const void* object, const char* function) {
  std::printf("perhaps %p %s\n", object, function);
}
// "joins FUNCTION OPEN ALL"
inline void joins(const char* function, int open, int all) { std::printf("joins %s %d %d\n", function, open, all); }
// "deadlock FUNCTION": its chain is a part of a deadlock. All others must not be errors.
inline void deadlock(const char* function) { std::printf("deadlock %s\n", function); }

[[noreturn]] inline void ready() {
  std::puts("ready");
  std::fflush(stdout);
  while (true) pause();
}
