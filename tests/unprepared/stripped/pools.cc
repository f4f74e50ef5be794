// Frames from the program's own allocators: a free list by size, an arena, a slab in static memory.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <type_traits>
#include <utility>

#include "alive.h"

struct FreeList {
  struct N {
    N* next;
  };
  static inline N* lists[64];
  static inline char* at;
  static inline char* end;
  static void* get(size_t n) {
    size_t c = (n + 63) / 64;
    if (c < 64 && lists[c]) return std::exchange(lists[c], lists[c]->next);
    n = c * 64;
    if (at == nullptr || size_t(end - at) < n) {
      at = (char*)std::malloc(1 << 18);
      end = at + (1 << 18);
    }
    return std::exchange(at, at + n);
  }
  static void put(void* p, size_t n) {
    size_t c = (n + 63) / 64;
    auto* x = (N*)p;
    if (c < 64) {
      x->next = lists[c];
      lists[c] = x;
    }
  }
};

alignas(64) static char slab[1 << 16];
static size_t slab_at;
struct FromList {
  static void* operator new(size_t n) { return FreeList::get(n); }
  static void operator delete(void* p, size_t n) { FreeList::put(p, n); }
};

struct FromSlab {
  static void* operator new(size_t n) {
    void* p = slab + slab_at;
    slab_at += (n + 15) & ~15;
    return p;
  }
  static void operator delete(void*) {}
};

struct FromArena {
  static inline std::pmr::monotonic_buffer_resource arena;
  static void* operator new(size_t n) { return arena.allocate(n); }
  static void operator delete(void* p, size_t n) { arena.deallocate(p, n); }
};

struct FromMalloc {
  static void* operator new(size_t n) { return std::malloc(n); }
  static void operator delete(void* p) { std::free(p); }
};

template <class A>
struct Task {
  struct promise_type : A {
    std::coroutine_handle<> next;
    int v = 0;
    Task get_return_object() {
      const auto created = std::coroutine_handle<promise_type>::from_promise(*this);
      alive(created);
      return Task{created};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct F {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
        auto n = h.promise().next;
        return n ? n : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    F final_suspend() noexcept { return {}; }
    void return_value(int x) { v = x; }
    void unhandled_exception() { std::abort(); }
  };
  std::coroutine_handle<promise_type> h;
  explicit Task(std::coroutine_handle<promise_type> x) : h(x) {}
  Task(Task&& o) noexcept : h(std::exchange(o.h, {})) {}
  ~Task() {
    if (h) destroy(h);
  }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> c) {
    h.promise().next = c;
    return h;
  }
  int await_resume() { return h.promise().v; }
};

struct Never {
  std::vector<std::coroutine_handle<>> w;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) { w.push_back(h); }
  void await_resume() {}
} never;

template <class A>
Task<A> leaf(int n) {
  co_await never;
  co_return n;
}

template <class A>
Task<A> mid(int n) {
  char b[80];
  std::memset(b, n, 80);
  int r = co_await leaf<A>(n);
  std::printf("%d\n", b[r % 80]);
  co_return r;
}

template <class A>
struct Det {
  struct promise_type : A {
    Det get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
};

template <class A>
Det<A> fire(int n) {
  co_await never;
  std::printf("%d\n", n);
}

std::vector<uintptr_t> hidden;  // inverted addresses, which refer to nothing
struct Forgets {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    hidden.push_back(~reinterpret_cast<uintptr_t>(h.address()));
  }
  void await_resume() {}
};

// Nothing can resume it, nor has its handle.
template <class A>
Det<A> forgotten(int n) {
  co_await Forgets{};
  std::printf("%d\n", n);
}

template <class A>
void go(std::vector<Task<A>>& v) {
  {
    std::vector<Task<A>> gone;
    for (int i = 0; i < 30; i++) {
      gone.push_back(mid<A>(i));
      gone.back().h.resume();
    }
    never.w.resize(never.w.size() - 30);
  }
  for (int i = 0; i < 10; i++) {
    v.push_back(mid<A>(i));
    v.back().h.resume();
    fire<A>(i);
    if (!std::is_same_v<A, FromMalloc>) forgotten<A>(i);
  }
  for (auto& t : v) alive(t.h, "mid");
}

int main() {
  std::vector<Task<FromList>> a;
  std::vector<Task<FromSlab>> b;
  std::vector<Task<FromArena>> c;
  std::vector<Task<FromMalloc>> d;
  go(a);
  go(b);
  go(c);
  go(d);
  for (auto h : never.w) alive(h, "waiter");
  for (const uintptr_t one : hidden) std::printf("%#zx forgotten\n", ~one);
  finish();
}
