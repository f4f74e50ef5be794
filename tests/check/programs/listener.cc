// GoogleTest with skein/gtest.h: a test that passes, one that fails, and one that hangs if the
// first argument is "hang".
#include <skein/coroutine.h>
#include <skein/gtest.h>

#include <coroutine>
#include <cstring>
#include <exception>

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};

Task wait_for_answer() {
  co_await std::suspend_always{};  // HANGS wait_for_answer
}

Task answer_at_once() { co_return; }

bool hangs = false;

TEST(Server, Answers) { answer_at_once(); }
TEST(Server, Refuses) { EXPECT_EQ(1, 2); }
TEST(Server, WaitsForAnswer) {
  if (!hangs) return;
  wait_for_answer();
  for (;;) pause();
}

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  hangs = argc > 1 && strcmp(argv[1], "hang") == 0;
  skein::add_gtest_listener(std::chrono::seconds(hangs ? 1 : 60));
  return RUN_ALL_TESTS();
}
