#include "view/web/document/document.h"

#include <zlib.h>

#include <cassert>

#include "base/escape.h"
#include "base/utf8.h"

namespace skein::web {

#ifdef SKEIN_HAS_WEB
// Made by the build (cmake/SkeinWeb.cmake).
extern const std::string_view page_html;
extern const std::string_view page_js, page_wasm;  // gzip
bool has_page() { return true; }
#else
constexpr std::string_view page_html, page_js, page_wasm;
bool has_page() { return false; }
#endif

namespace {

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : escaped(text)) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// JSON that may stand in a script element.
std::string json_string(std::string_view text) {
  std::string json, out;
  append_json(json, text);
  for (const char c : json) c == '<' ? out += "\\u003c" : out += c;
  return out;
}

void append_unit(std::string& out, uint32_t unit) {
  out += static_cast<char>(unit & 0xff);
  out += static_cast<char>(unit >> 8);
}

// UTF-8 to UTF-16LE.
void append_utf16(std::string& out, std::string_view text) {
  while (!text.empty()) {
    auto [code, size] = decode_utf8(text);
    if (size == 0) code = 0xfffd, size = 1;
    if (code > 0xffff) {
      append_unit(out, 0xd800 + ((code - 0x10000) >> 10));
      code = 0xdc00 + (code & 0x3ff);
    }
    append_unit(out, code);
    text.remove_prefix(size);
  }
}

// Replaces @NAME@ everywhere. Names in the inserted texts stay: only the template is searched.
struct Replacement {
  std::string_view name;
  std::string text;
  bool is_utf16 = false;
};
std::string fill(std::string_view page, std::span<const Replacement> replacements) {
  std::string out = "\xff\xfe";  // byte order mark
  for (size_t at = 0; at < page.size();) {
    const size_t next = page.find('@', at);
    append_utf16(out, page.substr(at, next - at));
    if (next == page.npos) break;
    at = next;
    const Replacement* found = nullptr;
    for (const Replacement& replacement : replacements)
      if (page.substr(at).starts_with(replacement.name)) found = &replacement;
    if (found && found->is_utf16)
      out += found->text;
    else
      append_utf16(out, found ? found->text : page.substr(at, 1));
    at += found ? found->name.size() : 1;
  }
  return out;
}

std::string path_json(const DocumentOptions& options) {
  if (!options.path) return "";
  return ",\"path\":[" + std::to_string(options.path->first) + ",\"" +
         std::to_string(options.path->second) + "\"]";  // JSON's numbers are too short
}

// Made of what is in the page: the same traces give the same page.
std::string nonce_of(std::span<const uint8_t> bundle) {
  uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const uint8_t byte : bundle) hash = (hash ^ byte) * 0x100000001b3;
  return std::to_string(hash);
}

}  // namespace

std::string gzip(std::span<const uint8_t> bytes, int level) {
  z_stream stream{};
  constexpr int with_gzip_header = 15 + 16;
  if (deflateInit2(&stream, level, Z_DEFLATED, with_gzip_header, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    return {};
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = const_cast<uint8_t*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<uint8_t*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  [[maybe_unused]] const int state = deflate(&stream, Z_FINISH);
  assert(state == Z_STREAM_END);  // there is room for all of it
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string policy(const std::string& nonce, bool live) {
  return "default-src 'none'; script-src 'nonce-" + nonce +
         "' 'wasm-unsafe-eval'; style-src 'nonce-" + nonce +
         "'; img-src data:; form-action 'none'; base-uri 'none'" +
         (live ? "; connect-src 'self'; frame-ancestors 'none'" : "");
}

std::string utf16_packed(std::string_view bytes) {
  const auto is_changed = [](uint32_t unit) {
    return unit == '\0' || unit == '\r' || unit == '<' || (unit >= 0xd800 && unit < 0xe000);
  };
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 30 + 8);
  append_unit(text, '0' + bytes.size() % 2);
  for (size_t i = 0; i < bytes.size(); i += 2) {
    uint32_t unit = static_cast<uint8_t>(bytes[i]);
    if (i + 1 < bytes.size())
      unit |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[i + 1])) << 8;
    if (is_changed(unit) || unit == '=') {
      append_unit(text, '=');
      unit ^= 0x8000;
    }
    append_unit(text, unit);
  }
  return text;
}

std::string make_document(const DocumentOptions& options, std::span<const uint8_t> bundle) {
  const std::string nonce = options.live ? options.nonce : nonce_of(bundle);
  const Replacement replacements[] = {
      {"@TITLE@", html_escaped(options.title)},
      {"@POLICY@", options.live ? ""
                                : "<meta http-equiv=\"Content-Security-Policy\" content=\"" +
                                      policy(nonce, false) + "\">"},
      {"@NONCE@", " nonce=\"" + nonce + '"'},
      {"@SHELL@", utf16_packed(page_js), true},
      {"@MODULE@", utf16_packed(page_wasm), true},
      {"@TRACES@", options.live ? "" : utf16_packed(gzip(bundle, 9)), true},
      {"@SETTINGS@",
       std::string("{\"live\":") + (options.live ? "true" : "false") +
           ",\"notes\":" + json_string(options.notes) + ",\"kept\":" + json_string(options.kept) +
           ",\"problem\":" + json_string(options.problem) +
           (options.together ? ",\"together\":true" : "") + path_json(options) + "}"}};
  return fill(page_html, replacements);
}

}  // namespace skein::web
