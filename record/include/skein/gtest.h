// Traces GoogleTest: each test is a task with its name, the parent of what the test starts. And
// explains a test that does not end, by `skein why`, before it aborts the program.
//
//   int main(int argc, char** argv) {
//     testing::InitGoogleTest(&argc, argv);
//     skein::add_gtest_listener(std::chrono::seconds(10));
//     return RUN_ALL_TESTS();
//   }
//
// Without an argument, tests are named and nothing else happens. With one, a thread waits for each
// test; GoogleTest warns of it in death tests of the style "fast". `skein` must be in PATH.
// `skein check` does the same for programs without this header.
#pragma once
#include <gtest/gtest.h>
#include <skein/task.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace skein {

class gtest_listener : public testing::EmptyTestEventListener {
 public:
  // No timeout: the tests are only named.
  explicit gtest_listener(std::chrono::milliseconds timeout = {}) : timeout_(timeout) {
    if (timeout_.count() > 0) watchdog_ = std::thread([this] { watch(); });
  }
  ~gtest_listener() override {
    if (!watchdog_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_one();
    watchdog_.join();
  }

  void OnTestStart(const testing::TestInfo& test) override {
    const std::string name = std::string(test.test_suite_name()) + "." + test.name();
    task_.emplace("test");
    running_.emplace(*task_);
    label(name);
    set_test(name);
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    set_test("");
    if (test.result()->Failed())
      task_->fail("the test failed");
    else
      task_->resolve();
    running_.reset();
    task_.reset();
  }

 private:
  using clock = std::chrono::steady_clock;

  void set_test(const std::string& name) {
    if (timeout_.count() <= 0) return;
    {
      const std::lock_guard lock(mutex_);
      name_ = name;
      deadline_ = clock::now() + timeout_;
    }
    changed_.notify_one();
  }

  void watch() {
    std::unique_lock lock(mutex_);
    while (!is_over_) {
      if (name_.empty()) {
        changed_.wait(lock);
      } else if (clock::now() < deadline_) {
        changed_.wait_until(lock, deadline_);
      } else {
        explain();
        abort();
      }
    }
  }

  void explain() const {
    fflush(stdout);
    fprintf(stderr, "skein: %s: it did not end within %lld ms\n", name_.c_str(),
            static_cast<long long>(timeout_.count()));
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);  // where Yama forbids it otherwise
    char program[] = "skein";
    char command[] = "why";
    std::string pid = std::to_string(getpid());
    char* words[] = {program, command, pid.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, 2, 1);
    pid_t child = 0;
    const int error = posix_spawnp(&child, program, &actions, nullptr, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
      fprintf(stderr, "skein: not found in PATH; start `skein why %s`\n", pid.c_str());
    else
      waitpid(child, nullptr, 0);
  }

  const std::chrono::milliseconds timeout_;
  std::optional<task> task_;
  std::optional<running> running_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string name_;  // of the test that runs; empty: none
  clock::time_point deadline_;
  bool is_over_ = false;
  std::thread watchdog_;
};

// Call it after testing::InitGoogleTest(). GoogleTest owns and deletes the listener.
inline void add_gtest_listener(std::chrono::milliseconds timeout = {}) {
  testing::UnitTest::GetInstance()->listeners().Append(new gtest_listener(timeout));
}

}  // namespace skein
