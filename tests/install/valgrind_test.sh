#!/bin/sh
# valgrind_test.sh CXX SOURCE BUILD: with record/valgrind.supp, helgrind and drd report nothing about the recorder, and
# still report a race of the program.
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
