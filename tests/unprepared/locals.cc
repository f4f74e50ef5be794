// A coroutine with parameters and local variables of several types, which waits.
#include <unistd.h>

#include <any>
#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdio>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

namespace {

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

std::vector<std::coroutine_handle<>> kept;

struct Event {
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> h) { kept.push_back(h); }
  void await_resume() {}
};

enum class Colour { Red, Green };

struct User {
  int id;
  std::string name;
  double score;
};

struct List {
  List* next;
  int value;
};

struct Flags {
  unsigned ready : 1;
  int level : 5;
  Colour colour : 2;
  unsigned long mask : 40;
  bool last : 1;
};
union Word {
  unsigned number;
  unsigned char first;
};
struct Tagged {
  int tag;
  union {
    int number;
    unsigned bits;
  };
};

void show(const void* shown) { asm volatile("" ::"r"(shown) : "memory"); }

Task session(int fd, std::string peer, const User& user, unsigned char* nothing) {
  Colour colour = Colour::Green;
  char buffer[16] = "a\tb\x1b[31m";
  int numbers[3] = {1, -2, 3};
  const char* text = "\"yes\"\n";
  bool is_open = true;
  std::string longer(100, 'x');
  List list{nullptr, 5};
  list.next = &list;
  Flags flags{1, -3, Colour::Green, 0x8000000001, true};
  Word word{65};
  Tagged tagged{1, {-1}};
  long double exact = 0.25L;
  __int128 wide = 5;
  for (const void* one : {static_cast<const void*>(&flags), static_cast<const void*>(&word),
                          static_cast<const void*>(&tagged), static_cast<const void*>(&exact),
                          static_cast<const void*>(&wide)})
    show(one);
  co_await Event();
  for (const void* one : {static_cast<const void*>(&flags), static_cast<const void*>(&word),
                          static_cast<const void*>(&tagged), static_cast<const void*>(&exact),
                          static_cast<const void*>(&wide)})
    show(one);
  std::printf("%d%s%s%s%d%s%d%s%d%d", fd, peer.c_str(), user.name.c_str(), buffer, numbers[1], text,
              is_open, longer.c_str(), static_cast<int>(colour), list.next->value);
  if (nothing != nullptr) std::puts("something");
}

// A task that starts when it is resumed, and waits at three places, one of them in a loop.
struct Lazy {
  struct promise_type {
    Lazy get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

Lazy worker(int limit, std::string owner, User user) {
  std::string path = "/srv/" + owner;
  long total = limit * 100L;
  co_await Event();
  for (int round = 0; round < limit; round++) {
    int squares[4] = {round, round + 1, round + 2, round + 3};
    User copy{round * 10, user.name + "!", user.score * 2};
    show(squares);
    total += round;
    co_await Event();
    show(squares);
    std::printf("%d%s%d%ld", squares[2], copy.name.c_str(), round, total);
  }
  {
    std::vector<int> done(3, limit);
    char tag = 'x';
    show(&tag);
    co_await Event();
    std::printf("%c%zu%s", tag, done.size(), path.c_str());
  }
  std::printf("%ld%s", total, owner.c_str());
}

// Member functions have a `this`.
struct Server {
  int port = 8080;
  Lazy serve(double timeout) {
    int tries = 3;
    show(&tries);
    co_await Event();
    std::printf("%d%d%g", port, tries, timeout);
  }
};

// Objects of the standard library.
Lazy standard(std::vector<int> few) {
  std::vector<long> many(1000, 7);
  std::vector<std::string> words = {"a", "b\x1b"};
  std::deque<int> deque = {1, 2};
  std::list<int> list = {3, 4};
  std::map<int, std::string> map = {{1, "one"}, {2, "two"}};
  std::set<int> set = {9, 8};
  std::unordered_map<int, int> table = {{5, 6}};
  std::optional<int> some = 5;
  std::optional<User> nothing;
  std::unique_ptr<User> owned = std::make_unique<User>(User{1, "eve", 0.5});
  std::shared_ptr<int> shared = std::make_shared<int>(17);
  std::shared_ptr<int> other = shared;
  std::weak_ptr<int> expired = std::make_shared<int>(1);
  std::variant<int, std::string> variant = "text";
  std::tuple<int, char> tuple = {1, 'x'};
  std::atomic<int> atomic = -3;
  std::chrono::milliseconds timeout(1500);
  std::chrono::system_clock::time_point date(std::chrono::seconds(1'700'000'000));
  std::function<void(int)> function = [](int) {};
  std::function<void(int)> no_function;
  std::any any = User{2, "any", 1};
  std::string_view view = "view";
  for (const void* one : {static_cast<const void*>(&many), static_cast<const void*>(&words),
                          static_cast<const void*>(&deque), static_cast<const void*>(&list),
                          static_cast<const void*>(&map), static_cast<const void*>(&set),
                          static_cast<const void*>(&table), static_cast<const void*>(&some),
                          static_cast<const void*>(&nothing), static_cast<const void*>(&owned),
                          static_cast<const void*>(&shared), static_cast<const void*>(&other),
                          static_cast<const void*>(&expired), static_cast<const void*>(&variant),
                          static_cast<const void*>(&tuple), static_cast<const void*>(&atomic),
                          static_cast<const void*>(&timeout), static_cast<const void*>(&date),
                          static_cast<const void*>(&function),
                          static_cast<const void*>(&no_function), static_cast<const void*>(&any),
                          static_cast<const void*>(&view), static_cast<const void*>(&few)})
    show(one);
  co_await Event();
  for (const void* one : {static_cast<const void*>(&some), static_cast<const void*>(&tuple),
                          static_cast<const void*>(&timeout), static_cast<const void*>(&date),
                          static_cast<const void*>(&view), static_cast<const void*>(&atomic)})
    show(one);
}

// Resumes a task until it waits for the nth time.
void run(Lazy task, int times) {
  task.handle.resume();
  for (int i = 1; i < times; i++) {
    const auto next = kept.back();
    kept.pop_back();
    next.resume();
  }
}

}  // namespace

int main() {

  const User user{7, "bob", 1.5};
  session(42, "127.0.0.1:80", user, nullptr);
  static Server server;
  run(worker(2, "ann", user), 1);
  run(worker(2, "ann", user), 2);
  run(worker(2, "ann", user), 3);
  run(worker(2, "ann", user), 4);
  run(server.serve(2.5), 1);
  run(standard({1, -2, 3}), 1);
  std::fflush(stdout);
  std::puts("\nready");
  std::fflush(stdout);
  pause();
}
