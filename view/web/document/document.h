// The viewer as one self-contained HTML document: style, scripts, WebAssembly module and, unless it
// is live, the traces. It opens from file:// and makes no requests; its security policy forbids
// them.
//
//    view/web/page/*  --build-->  page.html  --part of skein-->  make_document  -->  trace.html
//
// The document is UTF-16LE with a byte order mark, because most of it is compressed bytes, and two
// of them fit in a character. Overhead of the ways to embed bytes in a page:
//
//    base64, UTF-8                           33 %
//    7 bits a character, UTF-8               14 %   (base122 is the same)
//    best possible in UTF-8                  12 %
//    two bytes a character, UTF-16          0.6 %   and 3 kB: the rest of the page doubles
//    a byte a character, ISO-8859-15        1.6 %
//
// Single-byte charsets were rejected: many web servers send `charset=utf-8` with every page, which
// takes precedence over <meta charset> and destroys the bytes. A byte order mark takes precedence
// over both (https://encoding.spec.whatwg.org/#bom-sniff), so the page opens from a disk, a mail
// and any server. The cost: grep and git treat the page as binary, and validators expect UTF-8.
// Chromium's "Save as, HTML only" writes the same bytes again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace skein::web {

// Returns false if this program was built without the page (clang-19 for wasm was missing).
bool has_page();

struct DocumentOptions {
  std::string title;
  // The key under which the browser stores the user's notes: the same for the same trace.
  std::string notes;
  std::string kept = {};  // existing notes as JSON; empty: none
  bool align_by_start = false;  // aligns the traces at their starts, whatever their clocks
  // The trace and the id of the task whose critical path is shown initially.
  std::optional<std::pair<size_t, uint64_t>> path = {};
  std::string problem = {};  // why notes cannot be saved; empty: they can
  // A live page loads its traces from its server, and needs policy(nonce, true) as a header.
  bool live = false;
  std::string nonce = {};  // of a live page: random for each request, letters and digits
};

// Requires has_page(). `bundle` comes from make_bundle(); empty if live. Returns the bytes of the
// document, beginning with the byte order mark.
std::string make_document(const DocumentOptions& options, std::span<const uint8_t> bundle);

// Compresses as for `Content-Encoding: gzip`; also the format of the bundle in the document.
std::string gzip(std::span<const uint8_t> bytes, int level);

// The Content-Security-Policy: only the page's own scripts; no requests except, if live, to its
// server.
std::string policy(const std::string& nonce, bool live);

// Encodes bytes as UTF-16LE text for a script element: a digit with the number of zero bytes that
// pad the last character, then two bytes per character. HTML or UTF-16 would change one in 32 of
// them: NUL, CR, '<' and surrogates. So they come in blocks, each with a key that is added to the
// high byte of its characters, and with which none of them is such a one:
//
//    +-----------------------+---------------+---------------+-- ...
//    | key << 8 | characters | (first + key) | (second + key)|
//    +-----------------------+---------------+---------------+-- ...
//
// A block of compressed bytes has 170 characters on average. An escape for each of those that would
// change (as in yEnc) was rejected: 3.2 % instead of 0.6 %. The least is 0.3 %: a number to the
// base of the 63,485 other characters.
std::string utf16_packed(std::string_view bytes);

}  // namespace skein::web
