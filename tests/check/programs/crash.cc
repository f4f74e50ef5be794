// crash KIND: ends by a signal while a coroutine waits; crash fine-KIND: ends by itself with exit code 0.
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <coroutine>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <thread>

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};

struct Event {
  std::coroutine_handle<> waiter = {};
  bool await_ready() { return false; }
  void await_suspend(std::coroutine_handle<> handle) { waiter = handle; }
  void await_resume() {}
};

Event answer;
int* volatile nowhere = nullptr;

Task read_answer() {
  co_await answer;  // WAITS read_answer
}

[[gnu::noinline]] void write_nowhere() {
  *nowhere = 1;  // CRASHES segv
}

[[gnu::noinline]] void give_up() {
  abort();  // CRASHES abort
}

[[gnu::noinline]] void throw_one() {
  throw 1;  // CRASHES terminate
}

[[gnu::noinline]] void throw_outside() noexcept {
  throw_one();
}

std::atomic<int> begun = 0;

[[gnu::noinline]] void wait_for_ever() {
  begun++;
  for (;;) pause();
}

[[gnu::noinline]] void compute_for_ever() {
  begun++;
  for (volatile int count = 0;;) count = count + 1;
}

sigjmp_buf before;

void recover(int) { siglongjmp(before, 1); }
void report_and_raise(int number) {  // as test frameworks do
  (void)!write(1, "handled\n", 8);
  signal(number, SIG_DFL);
  raise(number);
}

int main(int, char** words) {
  const char* const kind = words[1];
  const auto is = [&](const char* other) { return strcmp(kind, other) == 0; };
  read_answer();
  if (is("segv")) write_nowhere();
  if (is("abort")) give_up();
  if (is("terminate")) throw_outside();
  if (is("thread")) {
    std::thread(wait_for_ever).detach();
    std::thread(compute_for_ever).detach();
    while (begun < 2) usleep(1000);
    std::thread(write_nowhere).join();
  }
  if (is("handled")) {
    signal(SIGSEGV, report_and_raise);
    write_nowhere();
  }
  if (is("both")) {  // two threads crash at once
    std::thread other(write_nowhere);
    write_nowhere();
  }
  if (is("fine-recovers")) {
    for (int i = 0; i < 100; i++) {
      signal(SIGSEGV, recover);
      if (sigsetjmp(before, 1) == 0) write_nowhere();
    }
  }
  if (is("fine-child")) {  // a death test
    const pid_t child = fork();
    if (child == 0) give_up();
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status)) return 1;
  }
  if (is("fine-stops")) {
    const pid_t self = getpid();
    if (fork() == 0) {
      int status = 0;
      for (int i = 0; i < 1000; i++) {  // until the parent is seen to be stopped
        char path[64], text[512] = "";
        snprintf(path, sizeof path, "/proc/%d/stat", self);
        FILE* file = fopen(path, "r");
        if (file != nullptr) status = static_cast<int>(fread(text, 1, sizeof text - 1, file)), fclose(file);
        const char* end = strrchr(text, ')');
        if (end != nullptr && (end[2] == 'T' || end[2] == 't')) break;
        usleep(1000);
      }
      kill(self, SIGCONT);
      _exit(status == 0);
    }
    raise(SIGSTOP);
  }
  if (is("fine-threads"))
    for (int i = 0; i < 500; i++) std::thread([] { kill(getpid(), SIGWINCH); }).join();
  puts("fine");
}
