// An event loop: poll, and functions to call before it.
//
//   loop.soon([] { ... });
//   while (co_await loop.readable(fd, "frame")) read(fd, ...);
//   loop.run([&] { return work.done(); }, std::chrono::seconds(2));
#pragma once
#include <skein/task.h>

#include <chrono>
#include <coroutine>
#include <functional>
#include <list>
#include <vector>

class Loop {
 public:
  struct Reader;  // the awaiter of readable()

  // co_await: true once `fd` is readable; false if forget(fd) is called first.
  Reader readable(int fd, const char* what, skein::here at = {});
  void forget(int fd);

  // Calls `f` in the next iteration, before any read.
  void soon(std::function<void()> f) { soon_.push_back(std::move(f)); }

  // Runs until done(), or returns false at the deadline. Tasks that still wait are not cancelled.
  bool run(const std::function<bool()>& done, std::chrono::milliseconds deadline);

 private:
  std::vector<std::function<void()>> soon_;
  std::list<Reader*> readers_;
};

struct Loop::Reader {
  Loop& loop;
  int fd;
  skein::task traced;  // the target of its wait in the trace
  bool readable = false;
  std::coroutine_handle<> handle = nullptr;

  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    handle = h;
    loop.readers_.push_back(this);
  }
  bool await_resume() const { return readable; }
  uint64_t skein_awaits() const { return traced.id(); }
  void resume() {
    loop.readers_.remove(this);
    traced.resolve();
    handle.resume();
  }
};

inline Loop::Reader Loop::readable(int fd, const char* what, skein::here at) {
  return {*this, fd, skein::task(what, SKEIN_KIND_io, at)};
}
