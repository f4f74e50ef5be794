#include "cli/output/progress.h"

#include <doctest/doctest.h>

#include <string>

using skein::cli::ProgressBar;
using skein::cli::Spinner;

namespace {

// Returns the output of a bar whose progress is 1 of 4 at each of these times after its start.
std::string drawn(bool is_terminal, std::initializer_list<double> seconds) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  const auto begin = ProgressBar::Clock::now();
  {
    ProgressBar bar(out, is_terminal, begin);
    for (double at : seconds)
      bar.show(1, 4, begin + std::chrono::milliseconds(static_cast<int>(at * 1000)));
  }
  std::fclose(out);
  std::string result(text, size);
  std::free(text);
  return result;
}

}  // namespace

TEST_CASE("nothing is drawn in the first second, or without a terminal") {
  CHECK(drawn(true, {0.0, 0.5, 0.99}) == "");
  CHECK(drawn(false, {0.5, 5.0}) == "");
}

TEST_CASE("a bar is drawn at most every 100 ms, and erased") {
  const std::string once = "\rreading [##########                              ]  25 %";
  CHECK(drawn(true, {1.5}) == once + "\r\x1b[K");
  CHECK(drawn(true, {1.5, 1.55}) == once + "\r\x1b[K");
  CHECK(drawn(true, {1.5, 1.65}) == once + once + "\r\x1b[K");
}

TEST_CASE("without a known size, progress shows the elapsed time") {
  std::FILE* out = std::tmpfile();
  REQUIRE(out != nullptr);
  const auto size = [&] {
    std::fseek(out, 0, SEEK_END);
    return std::ftell(out);
  };
  { Spinner quiet(out, false, "thinking", Spinner::Clock::duration(0)); }
  { Spinner quick(out, true, "thinking", std::chrono::hours(1)); }
  CHECK(size() == 0);
  {
    Spinner spinner(out, true, "thinking", Spinner::Clock::duration(0));
    while (size() == 0) std::this_thread::yield();
  }
  std::string text(static_cast<size_t>(size()), '\0');
  std::rewind(out);
  CHECK(std::fread(text.data(), 1, text.size(), out) == text.size());
  std::fclose(out);
  CHECK(text.starts_with("\rthinking, 0 s"));
  CHECK(text.ends_with("\r\x1b[K"));
}
