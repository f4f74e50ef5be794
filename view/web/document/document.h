// The viewer as one self-contained HTML document: style, shell, WebAssembly module and, if it is
// not live, the traces. It opens from file://, asks no server for anything, and its security policy
// forbids that it could.
//
//    view/web/page/*  --build-->  page.html  --part of skein-->  make_document  -->  trace.html
//
// The document is UTF-16LE with a byte order mark, because most of it is compressed bytes, and two
// of them fit a character. Overhead of the ways to embed bytes in a page:
//
//    base64, UTF-8                           33 %
//    7 bits a character, UTF-8               14 %   (base122 is the same)
//    best possible in UTF-8                  12 %
//    two bytes a character, UTF-16          3.2 %   and 3 kB: the rest of the page doubles
//    a byte a character, ISO-8859-15        1.6 %
//
// Single-byte charsets were rejected: many web servers send `charset=utf-8` with every page, which
// takes precedence over <meta charset> and destroys the bytes. A byte order mark takes precedence
// over both (https://encoding.spec.whatwg.org/#bom-sniff), so the page opens from a disk, a mail
// and any server. The cost: grep and git treat the page as binary, and validators want UTF-8.
// Chromium's "Save as, HTML only" writes the same bytes again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace skein::web {

// False: this program was built without the page (clang-19 for wasm was missing).
bool has_page();

struct DocumentOptions {
  std::string title;
  // Under what name the browser keeps the user's notes: the same for the same trace.
  std::string notes;
  std::string kept = {};  // notes there are already: JSON; empty: none
  bool together = false;  // the traces begin together, whatever their clocks say
  // The trace and the number of the task whose critical path is shown at first.
  std::optional<std::pair<size_t, uint64_t>> path = {};
  std::string problem = {};  // why notes cannot be kept; empty: they can
  // A live page gets its traces from where it came from, and needs policy(nonce, true) as a header.
  bool live = false;
  std::string nonce = {};  // of a live page: new and random for each, letters and digits
};

// Before: has_page(). `bundle` is make_bundle's, empty if live. Returns the document's bytes, the
// byte order mark first.
std::string make_document(const DocumentOptions& options, std::span<const uint8_t> bundle);

// As `Content-Encoding: gzip`; also how the bundle lies in the document.
std::string gzip(std::span<const uint8_t> bytes, int level);

// The Content-Security-Policy: no script but the page's own, no request but, if live, to its
// server.
std::string policy(const std::string& nonce, bool live);

// Bytes as UTF-16LE text for a script element: a digit, how many zero bytes pad the last character,
// then two bytes a character. A character that HTML or UTF-16 would change (NUL, CR, '<',
// surrogates), or '=', is '=' and the character with its highest bit flipped, as in yEnc.
std::string utf16_packed(std::string_view bytes);

}  // namespace skein::web
