// Queues of handles in which all are resumed later, though copies of what describes the queues are old.
#include <unistd.h>

#include <array>
#include <coroutine>
#include <cstdio>
#include <cstring>
#include <deque>
#include <exception>
#include <new>
#include <vector>
using handle = std::coroutine_handle<>;
struct fire {
  struct promise_type {
    fire get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};
template <typename Put>
struct until_put {
  Put put;
  bool await_ready() { return false; }
  void await_suspend(handle h) { put(h); }
  void await_resume() {}
};
template <typename Put>
until_put<Put> until(Put put) {
  return {put};
}

// Each has a second buffer, which is filled while the first one is emptied.
struct queues {
  std::deque<handle> deque;
  std::vector<handle> vector;
} ready;
// A queue that was moved as bytes, which are still in the first place. It grew since then, by more
// than a block.
alignas(8) unsigned char places[2][sizeof(std::deque<handle>)];
std::deque<handle>* moved = new (places[0]) std::deque<handle>();
// All of them are in the list, and those behind `next` are resumed later.
struct cursor {
  handle* begin;
  handle* next;
  handle* end;
};
cursor* cursors = new cursor{};
// Written from `base` to `limit`, and then from `base` again.
struct ring {
  handle* base;
  handle* write;
  handle* limit;
  long count;
};
ring* rings = new ring{};

fire in_deque(int rounds) {
  for (int i = 0; i < rounds; i++) co_await until([](handle h) { ready.deque.push_back(h); });
}
fire in_vector(int rounds) {
  for (int i = 0; i < rounds; i++) co_await until([](handle h) { ready.vector.push_back(h); });
}
fire in_moved() {
  co_await until([](handle h) { moved->push_back(h); });
}
fire in_grown() {
  co_await until([](handle h) { moved->push_back(h); });
}
fire in_list(handle* to) {
  co_await until([=](handle h) { *to = h; });
}
void write_to_ring(handle h) {
  if (rings->write == rings->limit) rings->write = rings->base;
  *rings->write++ = h;
  rings->count++;
}
fire in_ring() {
  co_await until(write_to_ring);
  co_await until(write_to_ring);
}

void fill_lists() {
  cursors->begin = cursors->next = new handle[12];
  cursors->end = cursors->begin + 12;
  for (int i = 0; i < 12; i++) in_list(&cursors->begin[i]);
  for (int i = 0; i < 5; i++) (cursors->next++)->resume();
  rings->base = rings->write = new handle[12];
  rings->limit = rings->base + 12;
  for (int i = 0; i < 12; i++) in_ring();
  // Seven are written again; five are not resumed yet.
  for (int i = 0; i < 7; i++) {
    rings->count--;
    rings->base[i].resume();
  }
}

// Overwrites what functions have left on the stack.
[[gnu::noinline]] void clear_stack() {
  volatile char bytes[4096];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = 1;
}

int main() {
  fill_lists();
  for (int i = 0; i < 20; i++) in_deque(2);
  for (int i = 0; i < 20; i++) in_vector(2);
  for (int i = 0; i < 5; i++) in_moved();
  std::memcpy(places[1], places[0], sizeof places[0]);
  moved = std::launder(reinterpret_cast<std::deque<handle>*>(places[1]));
  for (int i = 0; i < 100; i++) in_grown();
  std::deque<handle> deque;
  std::vector<handle> vector;
  for (int round = 0;; round++) {
    deque.swap(ready.deque);
    vector.swap(ready.vector);
    for (const handle one : deque) one.resume();
    for (const handle one : vector) one.resume();
    deque.clear();
    vector.clear();
    if (round != 2) continue;
    // In the buffer that had none when it was taken.
    for (int i = 0; i < 11; i++) in_deque(1);
    for (int i = 0; i < 11; i++) in_vector(1);
    clear_stack();
    puts("READY");
    fflush(stdout);
    pause();
  }
}
