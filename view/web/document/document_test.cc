#include "view/web/document/document.h"

#include <doctest/doctest.h>

#include <random>

using namespace skein;

namespace {

uint32_t unit_at(std::string_view text, size_t i) {
  return static_cast<uint8_t>(text[2 * i]) |
         static_cast<uint32_t>(static_cast<uint8_t>(text[2 * i + 1])) << 8;
}

// The equivalent of unpack.ts.
std::string unpacked(std::string_view text) {
  std::string bytes;
  for (size_t i = 1; i < text.size() / 2;) {
    const uint32_t block = unit_at(text, i++);
    for (const size_t end = i + (block & 0xff); i < end; i++) {
      const uint32_t unit = unit_at(text, i) - (block & 0xff00);
      bytes += static_cast<char>(unit & 0xff);
      bytes += static_cast<char>(unit >> 8 & 0xff);
    }
  }
  return bytes.substr(0, bytes.size() - (unit_at(text, 0) - '0'));
}

// UTF-16LE of ASCII.
std::string utf16(std::string_view ascii) {
  std::string text;
  for (const char c : ascii) (text += c) += '\0';
  return text;
}

}  // namespace

TEST_CASE("every pair of bytes survives packing, and HTML changes no character of it") {
  std::string bytes;
  for (unsigned i = 0; i < 1u << 16; i++) {
    bytes += static_cast<char>(i & 0xff);
    bytes += static_cast<char>(i >> 8);
  }
  std::mt19937 random(1);
  while (bytes.size() < 1u << 19) bytes += static_cast<char>(random());
  const std::string text = web::utf16_packed(bytes);
  CHECK(unpacked(text) == bytes);
  CHECK(text.size() < bytes.size() * 102 / 100);
  for (size_t i = 0; i < text.size() / 2; i++) {
    const uint32_t unit = unit_at(text, i);
    REQUIRE((unit != 0 && unit != '\r' && unit != '<'));
    REQUIRE((unit < 0xd800 || unit >= 0xe000));
  }
}

TEST_CASE("an odd number of bytes survives packing") {
  CHECK(web::utf16_packed("") == utf16("0"));
  for (unsigned i = 0; i < 256; i++) {
    for (const size_t size : {1u, 2u, 3u}) {
      const std::string bytes(size, static_cast<char>(i));
      CHECK(unpacked(web::utf16_packed(bytes)) == bytes);
    }
  }
}

TEST_CASE("a title that is not ASCII is inserted into the document") {
  if (!web::has_page()) return;
  const std::string page = web::make_document({.title = "\u00e9\U0001f600", .notes = ""}, {});
  CHECK(page.starts_with("\xff\xfe"));
  const std::string title = std::string("\xe9\x00\x3d\xd8\x00\xde", 6);
  CHECK(page.find(utf16("<title>") + title) != page.npos);
}

TEST_CASE("texts from outside are inserted into the document as text") {
  if (!web::has_page()) return;
  const std::string bad = "</title><script>alert(1)</script>@TRACES@\"'&\xff\x1b";
  const std::string whole = web::make_document({.title = bad, .notes = bad}, {});
  const std::string page =
      whole.substr(0, whole.find(utf16("id=\"shell\"")));  // before the packed parts
  CHECK(page.find(utf16("<script>alert")) == page.npos);
  CHECK(page.find('\x1b') == page.npos);
  CHECK(
      page.find(utf16(
          "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;@TRACES@\\&quot;&#39;&amp;\\xff")) !=
      page.npos);
  CHECK(page.find(utf16("\\u003c/title>")) != page.npos);
  CHECK(page.find(utf16("Content-Security-Policy")) != page.npos);
  // Live: the policy is in the server's header, and scripts have its nonce.
  const std::string live =
      web::make_document({.title = "t", .notes = "t", .live = true, .nonce = "abc"}, {});
  CHECK(live.find(utf16("Content-Security-Policy")) == live.npos);
  CHECK(live.find(utf16("<script nonce=\"abc\">")) != live.npos);
  CHECK(live.find(utf16("<style nonce=\"abc\">")) != live.npos);
}
