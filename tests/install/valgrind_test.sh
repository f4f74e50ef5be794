#!/bin/sh
# valgrind_test.sh CXX SOURCE BUILD: with record/valgrind.supp, helgrind, drd and memcheck report nothing about skein,
# and helgrind and drd still report a race of the program.
set -eu
cxx=$1 source=$2 build=$3
command -v valgrind >/dev/null || { echo "skipped: no valgrind"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

cat >main.cc <<'END'
#include <coroutine>
#include <mutex>
#include <thread>
struct Task {
  struct promise_type {
    Task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
std::mutex mutex;
int total;
Task add() {
  for (int i = 0; i < 20; ++i) {
    {
      std::unique_lock lock(mutex, std::defer_lock);
      if (!RACE) lock.lock();
      ++total;
    }
    co_await std::suspend_always{};
  }
}
void work() {
  Task task = add();
  while (!task.handle.done()) task.handle.resume();
  task.handle.destroy();
}
int main() {
  std::thread one(work), two(work);
  one.join();
  two.join();
}
END
for race in 0 1; do
  SKEIN_CXX=$cxx "$build/skein-c++" -std=c++20 -g -O1 -DRACE=$race main.cc -o program$race -pthread
  for tool in helgrind drd; do
    status=0
    SKEIN_TRACE=trace valgrind -q --tool=$tool --suppressions="$source/record/valgrind.supp" --error-exitcode=9 \
      ./program$race >messages 2>&1 || status=$?
    [ $status = $((race * 9)) ] || { cat messages; echo "$tool, race $race: status $status"; exit 1; }
    rm -r trace
  done
done

# memcheck: the words of an awaited task may be uninitialised.
cat >task.cc <<'END'
#include <coroutine>
#include <cstdlib>
#include <optional>
struct Task {
  struct promise_type {
    std::coroutine_handle<> waiter;
    Task get_return_object() { return std::coroutine_handle<promise_type>::from_promise(*this); }
    std::suspend_always initial_suspend() { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      auto await_suspend(std::coroutine_handle<promise_type> h) noexcept { return h.promise().waiter; }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
  Task(std::coroutine_handle<promise_type> h) : handle(h) {}
  ~Task() { handle.destroy(); }
  bool await_ready() { return false; }
  auto await_suspend(std::coroutine_handle<> h) { return handle.promise().waiter = h, handle; }
  void await_resume() {}
  std::optional<long> unset;
  std::coroutine_handle<promise_type> handle;
};
int depth;
Task leaf() { depth++; co_return; }
Task top() { for (int i = 0; i < 5; i++) co_await leaf(); }
int main() {
  Task task = top();
  task.handle.promise().waiter = std::noop_coroutine();
  task.handle.resume();
  return depth != 5;
}
END
SKEIN_CXX=$cxx "$build/skein-c++" -std=c++20 -g -O1 task.cc -o task
SKEIN_TRACE=trace valgrind -q --suppressions="$source/record/valgrind.supp" --error-exitcode=9 ./task >messages 2>&1 ||
  { cat messages; echo "memcheck"; exit 1; }
