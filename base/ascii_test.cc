#include "base/ascii.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("ASCII is unchanged, including escape sequences") {
  CHECK(ascii("") == "");
  CHECK(ascii("\x1b[1mwhy\x1b[0m: 12 us\n") == "\x1b[1mwhy\x1b[0m: 12 us\n");
}

TEST_CASE("each code point becomes one character") {
  CHECK(ascii("socket.async_s\u2026  12 \u00b5s") == "socket.async_s~  12 us");
  CHECK(ascii("\u250d\u2501main\u2501\u2588\u2588\u2511 \u2502 \u2515\u25b2") == "+=main=##+ | +^");
  CHECK(ascii("f\u00fcnf \u65e5\u672c \U0001f600") == "f?nf ?? ?");
  CHECK(ascii("a\xff\xe2\x94") == "a???");
}
