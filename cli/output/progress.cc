#include "cli/output/progress.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <string>

namespace skein::cli {

void ProgressBar::show(uint64_t done, uint64_t in_all, Clock::time_point now) {
  if (!enabled_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  shown_ = true;
  constexpr uint64_t width = 40;
  const double share =
      in_all ? std::min(1.0, static_cast<double>(done) / static_cast<double>(in_all)) : 1.0;
  const std::string bar(static_cast<size_t>(share * width), '#');
  std::fprintf(out_, "\r%s [%-*s] %3d %%", what_, static_cast<int>(width), bar.c_str(),
               static_cast<int>(share * 100));
  std::fflush(out_);
}

ProgressBar::~ProgressBar() {
  if (shown_) std::fprintf(out_, "\r\x1b[K");
}

namespace {

void draw(std::stop_token stop, std::FILE* out, const char* what,
          Spinner::Clock::duration patience) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  const auto begin = Spinner::Clock::now();
  bool shown = false;
  // Ignores the result of wait_until(): libstdc++ returns false if the stop is requested just
  // before it sleeps.
  const auto is_over = [&](Spinner::Clock::time_point next) {
    never.wait_until(lock, stop, next, [&] { return stop.stop_requested(); });
    return stop.stop_requested();
  };
  for (auto next = begin + patience; !is_over(next); next += std::chrono::milliseconds(100)) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(next - begin).count();
    std::fprintf(out, "\r%s, %lld s", what, static_cast<long long>(seconds));
    std::fflush(out);
    shown = true;
  }
  if (shown) std::fprintf(out, "\r\x1b[K");
}

}  // namespace

Spinner::Spinner(std::FILE* out, bool is_terminal, const char* what, Clock::duration patience) {
  if (is_terminal) thread_ = std::jthread(draw, out, what, patience);
}

}  // namespace skein::cli
