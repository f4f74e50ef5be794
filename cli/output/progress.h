// Progress of slow operations, shown on a terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>

namespace skein::cli {

// A progress bar. It appears after one second, only on a terminal; the destructor erases it.
class ProgressBar {
 public:
  using Clock = std::chrono::steady_clock;

  ProgressBar(std::FILE* out, bool is_terminal, Clock::time_point now, const char* what = "reading")
      : out_(out), what_(what), enabled_(is_terminal), next_(now + std::chrono::seconds(1)) {}
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();

  void show(uint64_t done, uint64_t in_all, Clock::time_point now);

 private:
  std::FILE* out_;
  const char* what_;
  bool enabled_;
  bool shown_ = false;
  Clock::time_point next_;  // when to draw again
};

// Progress of an operation of unknown length: its name and the elapsed seconds. Drawn by a separate
// thread; nothing else may write to the same terminal until it is destroyed.
class Spinner {
 public:
  using Clock = std::chrono::steady_clock;

  Spinner(std::FILE* out, bool is_terminal, const char* what,
          Clock::duration patience = std::chrono::seconds(1));

 private:
  std::jthread thread_;  // its destructor stops and joins it
};

}  // namespace skein::cli
