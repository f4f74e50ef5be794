// Two actors that know each other: the client waits for an answer, whose awaiter has the server;
// the server waits for a timer, whose awaiter has the client.
#include <poll.h>

#include <coroutine>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>
struct actor {
  struct promise_type {
    int inbox = 0;
    int requests = 0;
    actor get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  using H = std::coroutine_handle<promise_type>;
  H h;
};
std::vector<std::coroutine_handle<>> timers;
struct ask {
  actor::H to;
  int req;
  int await_resume() { return to.promise().requests; }
  bool await_ready() { return false; }
  void await_suspend(actor::H me) { to.promise().requests = req; }
};
struct reply_later {
  actor::H to;
  int ms;
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) { timers.push_back(h); }
  actor::H await_resume() { return to; }
};
actor::H A, B;
actor client() {
  for (int i = 0;; i++) {
    int r = co_await ask{B, i};
    printf("%d\n", r);
  }
}
actor server() {
  for (;;) {
    auto to = co_await reply_later{A, 500};
    to.promise().inbox++;
    to.resume();
  }
}
int main() {
  A = client().h;
  B = server().h;
  A.resume();
  B.resume();
  puts("READY");
  fflush(stdout);
  for (;;) {
    poll(nullptr, 0, 500);
    auto v = std::move(timers);
    timers.clear();
    for (auto h : v) h.resume();
  }
}
