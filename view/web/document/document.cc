#include "view/web/document/document.h"

#include <zlib.h>

#include <cassert>

#include "base/escape.h"

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

std::string seven_bits(std::string_view bytes) {
  // As they stand, HTML's parser would change these, or see the end of the element.
  constexpr std::string_view illegal("\0\r<", 3);
  std::string text;
  text.reserve(bytes.size() / 6 * 7 + 8);
  size_t waits = illegal.npos;  // which of them is to be put with the next 7 bits
  const auto put = [&](char bits) {
    if (waits != illegal.npos) {
      const auto code = static_cast<unsigned>(waits + 2) << 7 | static_cast<unsigned>(bits);
      text += static_cast<char>(0xc0 | code >> 6);
      text += static_cast<char>(0x80 | (code & 0x3f));
      waits = illegal.npos;
    } else if (const size_t which = illegal.find(bits); which != illegal.npos) {
      waits = which;
    } else {
      text += bits;
    }
  };
  unsigned held = 0, count = 0;
  for (const char byte : bytes) {
    held |= static_cast<unsigned>(static_cast<uint8_t>(byte)) << count;
    for (count += 8; count >= 7; count -= 7, held >>= 7) put(static_cast<char>(held & 0x7f));
  }
  if (count > 0) put(static_cast<char>((held | 0x7fu << count) & 0x7f));  // none of the illegal
  if (waits != illegal.npos) put(0);
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
      {"@SHELL@", seven_bits(page_js)},
      {"@MODULE@", seven_bits(page_wasm)},
      {"@TRACES@", options.live ? "" : seven_bits(gzip(bundle, 9))},
      {"@SETTINGS@",
       std::string("{\"live\":") + (options.live ? "true" : "false") +
           ",\"notes\":" + json_string(options.notes) + ",\"kept\":" + json_string(options.kept) +
           ",\"problem\":" + json_string(options.problem) +
           (options.together ? ",\"together\":true" : "") + path_json(options) + "}"}};
  return fill(page_html, replacements);
}

}  // namespace skein::web
