#include "view/web/document/document.h"

#include <zlib.h>

#include <cassert>

#include "base/escape.h"

namespace skein::web {

#ifdef SKEIN_HAS_WEB
extern const std::string_view page_html;  // made by the build: cmake/SkeinWeb.cmake
bool has_page() { return true; }
#else
constexpr std::string_view page_html;
bool has_page() { return false; }
#endif

namespace {

std::string base64(std::string_view bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - at);
    uint32_t group = 0;
    for (size_t i = 0; i < 3; i++)
      group = group << 8 | (i < count ? static_cast<uint8_t>(bytes[at + i]) : 0);
    for (size_t i = 0; i < 4; i++) text += i <= count ? digits[group >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

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

// Replaces @NAME@ everywhere. The names stand in the template alone, never in what is put in, for
// each is looked for in the template before anything else was.
struct Replacement {
  std::string_view name;
  std::string text;
};
std::string fill(std::string_view page, std::span<const Replacement> replacements) {
  std::string out;
  for (size_t at = 0; at < page.size();) {
    const size_t next = page.find('@', at);
    out += page.substr(at, next - at);
    if (next == page.npos) break;
    at = next;
    const Replacement* found = nullptr;
    for (const Replacement& replacement : replacements)
      if (page.substr(at).starts_with(replacement.name)) found = &replacement;
    out += found ? std::string_view(found->text) : page.substr(at, 1);
    at += found ? found->name.size() : 1;
  }
  return out;
}

constexpr std::string_view offline_policy =
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
    "'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; "
    "form-action "
    "'none'; base-uri 'none'\">";

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

std::string make_document(const DocumentOptions& options, std::span<const uint8_t> bundle) {
  const Replacement replacements[] = {
      {"@TITLE@", html_escaped(options.title)},
      {"@POLICY@", options.live ? "" : std::string(offline_policy)},
      {"@NONCE@", options.live ? " nonce=\"" + html_escaped(options.nonce) + '"' : ""},
      {"@TRACES@", options.live ? "" : base64(gzip(bundle, 9))},
      {"@SETTINGS@", std::string("{\"live\":") + (options.live ? "true" : "false") +
                         ",\"notes\":" + json_string(options.notes) + "}"}};
  return fill(page_html, replacements);
}

}  // namespace skein::web
