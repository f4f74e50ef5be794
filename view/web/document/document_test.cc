#include "view/web/document/document.h"

#include <doctest/doctest.h>

using namespace skein;

namespace {

// As page.ts does it.
std::string from_seven_bits(const std::string& text) {
  std::string bytes;
  unsigned held = 0, count = 0;
  const auto put = [&](unsigned bits) {
    held |= bits << count;
    count += 7;
    if (count < 8) return;
    bytes += static_cast<char>(held);
    held >>= 8;
    count -= 8;
  };
  for (size_t i = 0; i < text.size(); i++) {
    unsigned character = static_cast<uint8_t>(text[i]);
    if (character >= 0x80) {  // two bytes of UTF-8
      character = (character & 0x1f) << 6 | (static_cast<uint8_t>(text[++i]) & 0x3f);
      const unsigned which = (character >> 7) - 2;
      REQUIRE(which < 3);
      put(static_cast<uint8_t>("\0\r<"[which]));
    }
    put(character & 0x7f);
  }
  return bytes;
}

}  // namespace

TEST_CASE("seven bits a character: every byte comes back, and HTML sees nothing in it") {
  std::string bytes;
  CHECK(web::seven_bits("").empty());
  for (unsigned i = 0; i < 4096; i++) {
    bytes += static_cast<char>(i * i >> 5 ^ i);
    const std::string text = web::seven_bits(bytes);
    CHECK(from_seven_bits(text) == bytes);
    CHECK(text.find_first_of(std::string_view("\0\r<", 3)) == text.npos);
  }
  CHECK(web::seven_bits(bytes).size() < bytes.size() * 6 / 5);
}

TEST_CASE("texts from outside are put into the document as text") {
  if (!web::has_page()) return;
  const std::string bad = "</title><script>alert(1)</script>@TRACES@\"'&\xff\x1b";
  const std::string whole = web::make_document({.title = bad, .notes = bad}, {});
  const std::string page = whole.substr(0, whole.find("id=\"shell\""));  // before the packed parts
  CHECK(page.find("<script>alert") == page.npos);
  CHECK(page.find('\x1b') == page.npos);
  CHECK(page.find(
            "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;@TRACES@\\&quot;&#39;&amp;\\xff") !=
        page.npos);
  CHECK(page.find("\\u003c/title>") != page.npos);
  CHECK(page.find("Content-Security-Policy") != page.npos);
  // Live: the policy is the server's header, and scripts have its nonce.
  const std::string live =
      web::make_document({.title = "t", .notes = "t", .live = true, .nonce = "abc"}, {});
  CHECK(live.find("Content-Security-Policy") == live.npos);
  CHECK(live.find("<script nonce=\"abc\">") != live.npos);
  CHECK(live.find("<style nonce=\"abc\">") != live.npos);
}
