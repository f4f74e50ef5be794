// A coroutine with parameters and local variables of several types, which waits.
#include <unistd.h>

#include <coroutine>
#include <cstdio>
#include <exception>
#include <string>
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

Task session(int fd, std::string peer, const User& user, unsigned char* nothing) {
  Colour colour = Colour::Green;
  char buffer[16] = "a\tb\x1b[31m";
  int numbers[3] = {1, -2, 3};
  const char* text = "\"yes\"\n";
  bool is_open = true;
  std::string longer(100, 'x');
  List list{nullptr, 5};
  list.next = &list;
  co_await Event();
  std::printf("%d%s%s%s%d%s%d%s%d%d", fd, peer.c_str(), user.name.c_str(), buffer, numbers[1], text,
              is_open, longer.c_str(), static_cast<int>(colour), list.next->value);
  if (nothing != nullptr) std::puts("something");
}

}  // namespace

int main() {
  const User user{7, "bob", 1.5};
  session(42, "127.0.0.1:80", user, nullptr);
  std::puts("ready");
  std::fflush(stdout);
  pause();
}
