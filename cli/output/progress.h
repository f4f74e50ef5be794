// What a terminal shows while something takes long.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>

namespace skein::cli {

// A bar on a terminal, from the first second on; nothing anywhere else. Gone when it is destroyed.
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
  Clock::time_point next_;  // not drawn again before that
};

// The same for what cannot say how far it is: what is done, and for how many seconds by now. Drawn
// by a thread of its own; nobody else may draw on the same terminal meanwhile.
class Spinner {
 public:
  using Clock = std::chrono::steady_clock;

  Spinner(std::FILE* out, bool is_terminal, const char* what,
          Clock::duration patience = std::chrono::seconds(1));

 private:
  std::jthread thread_;  // stopped and waited for by its destructor
};

}  // namespace skein::cli
