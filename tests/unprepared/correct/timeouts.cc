// Two tasks that each wait for the other's end or for something else, whichever comes first; and
// children that know their parent, which awaits none of them.
#include <poll.h>

#include <coroutine>
#include <cstdio>
#include <exception>
#include <functional>
#include <list>
#include <utility>
#include <vector>
namespace app {

using handle = std::coroutine_handle<>;

std::vector<handle> ticks;
std::list<std::function<void()>> stop_callbacks;
struct tick {
  bool await_ready() { return false; }
  void await_suspend(handle waiter) { ticks.push_back(waiter); }
  void await_resume() {}
};

struct eager {
  struct promise_type {
    handle parent = {};
    handle waiter = {};
    eager get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct resumption {
        bool await_ready() noexcept { return false; }
        handle await_suspend(std::coroutine_handle<promise_type> of) noexcept {
          return of.promise().waiter ? of.promise().waiter : std::noop_coroutine();
        }
        void await_resume() noexcept {}
      };
      return resumption{};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  using of_task = std::coroutine_handle<promise_type>;
  of_task coroutine;

  struct join_for {
    of_task other;
    handle me = {};
    bool await_ready() { return other.done(); }
    void await_suspend(handle waiter) {
      me = waiter;
      other.promise().waiter = waiter;
      ticks.push_back(waiter);
    }
    bool await_resume() {
      other.promise().waiter = {};
      return other.done();
    }
  };
};
struct join_or_stop {
  eager::of_task other;
  handle me = {};
  bool await_ready() { return other.done(); }
  void await_suspend(handle waiter) {
    me = waiter;
    other.promise().waiter = waiter;
    stop_callbacks.push_back([this] { me.resume(); });
  }
  void await_resume() {}
};
struct my_promise {
  eager::promise_type* found = nullptr;
  bool await_ready() { return false; }
  bool await_suspend(eager::of_task of) {
    found = &of.promise();
    return false;
  }
  eager::promise_type& await_resume() { return *found; }
};

eager::of_task peers[2];
eager::of_task services[2];
eager peer(int other) {
  co_await tick();
  for (;;) {
    const bool has_ended = co_await eager::join_for{peers[other]};
    if (has_ended) break;
  }
}
eager service(int other) {
  co_await tick();
  co_await join_or_stop{services[other]};
}
eager child(handle parent) {
  (co_await my_promise()).parent = parent;
  co_await tick();
}
eager parent() {
  eager::promise_type& mine = co_await my_promise();
  const eager one = child(std::coroutine_handle<eager::promise_type>::from_promise(mine));
  for (;;) co_await tick();
}

void tick_all() {
  for (const handle one : std::exchange(ticks, {})) one.resume();
}

}  // namespace app

int main() {
  for (const int i : {0, 1}) {
    app::peers[i] = app::peer(1 - i).coroutine;
    app::services[i] = app::service(1 - i).coroutine;
  }
  app::parent();
  app::tick_all();
  puts("READY");
  fflush(stdout);
  for (;;) {
    poll(nullptr, 0, 300);
    app::tick_all();
  }
}
