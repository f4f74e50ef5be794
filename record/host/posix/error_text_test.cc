#include <doctest/doctest.h>
#include <skein/skein.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

static std::string text_of(const char* category, int value, size_t size = 63) {
  char text[64];
  memset(text, '#', sizeof text);
  skein_error_text(category, value, text, size);
  CHECK(text[size] == '#');
  return text;
}

TEST_CASE("the text of an error code is that of its message") {
  for (const int value : {ECANCELED, ECONNRESET, EPIPE, EADDRINUSE, ETIMEDOUT}) {
    const std::error_code code(value, std::system_category());
    CHECK(text_of(code.category().name(), value) == code.message());
    CHECK(text_of("generic", value) == code.message());
    CHECK(text_of("asio.system", value) == code.message());  // of standalone Asio
  }
  CHECK(text_of("asio.misc", 2) == "End of file");
}

TEST_CASE("an error code of an unknown category is a number") {
  CHECK(text_of("my.library", -7) == "my.library error -7");
  CHECK(text_of("asio.misc", 99) == "asio.misc error 99");
  CHECK(text_of("system", 100'000) == "system error 100000");
  CHECK(text_of("system", -1) == "system error -1");
}

TEST_CASE("the text of an error code is truncated to the buffer") {
  CHECK(text_of("asio.misc", 2, 4) == "End");
  CHECK(text_of("my.library", 1, 4) == "my.");
  CHECK(text_of("my.library", 1, 1) == "");
  errno = 5;
  skein_error_text("my.library", 1, nullptr, 0);
  CHECK(errno == 5);
}
