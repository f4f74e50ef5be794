#include "view/draw/text.h"

#include <doctest/doctest.h>

#include "base/text.h"
using namespace skein;

TEST_CASE("widths") {
  CHECK(text_width("", 10) == 0);
  CHECK(text_width("iiii", 10) < text_width("mmmm", 10));
  CHECK(text_width("0", 1000) == 636);
  CHECK(text_width("\u65e5", 10) == 10);                    // wide
  CHECK(text_width("e\u0301", 10) == text_width("e", 10));  // combining
  CHECK(text_width("\xff", 10) == text_width("\ufffd", 10));
}

TEST_CASE("a text is shortened to the room it has") {
  CHECK(fit_text("ring.write", 10, 1000) == "ring.write");
  const std::string cut = fit_text("ring.write", 10, 40);
  CHECK(cut == "ring.\u2026");
  CHECK(text_width(cut, 10) <= 40);
  CHECK(fit_text("ring.write", 10, 12) == "");  // two letters are not enough
  CHECK(fit_text("ab", 10, 100) == "ab");
  CHECK(fit_text("", 10, 100) == "");
  CHECK(fit_text("ring", 10, -5) == "");
}
