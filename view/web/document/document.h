// The viewer as one self-contained HTML document: style, shell, WebAssembly module and, if it is
// not live, the traces. It opens from file://, asks no server for anything, and its security policy
// forbids that it could.
//
//    view/web/page/*  --build-->  page.html  --part of skein-->  make_document  -->  trace.html
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

// Before: has_page(). `bundle` is make_bundle's, empty if live.
std::string make_document(const DocumentOptions& options, std::span<const uint8_t> bundle);

// As `Content-Encoding: gzip`; also how the bundle lies in the document.
std::string gzip(std::span<const uint8_t> bytes, int level);

// The Content-Security-Policy: no script but the page's own, no request but, if live, to its
// server.
std::string policy(const std::string& nonce, bool live);

// Bytes as text that can stand in a script element of a page in UTF-8: 7 bits a character, the
// first byte's lowest bits first. 14 % longer than the bytes; base64 is 33 %.
std::string seven_bits(std::string_view bytes);

}  // namespace skein::web
