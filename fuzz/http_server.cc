// Parses the input as an HTTP request. A request that was parsed must have the same contents after
// being written and parsed again.
#include "cli/output/http_server.h"

#include <cstdlib>

using namespace skein::cli;

namespace {

std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += '%';
    out += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
    out += "0123456789ABCDEF"[c & 15];
  }
  return out;
}

std::string written(const HttpRequest& request) {
  std::string text = "GET /" + encoded(std::string_view(request.path).substr(1));
  char before = '?';
  for (const auto& [name, value] : request.query) {
    text += before + encoded(name) + '=' + encoded(value);
    before = '&';
  }
  return text + " HTTP/1.0\r\nX: y\r\nHOST: \t" + request.host + "\t \r\n\r\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto request = parse_request(text);
  if (!request) return 0;
  const auto require = [](bool condition) {
    if (!condition) std::abort();
  };
  require(request->path.starts_with('/'));
  size_t decoded = request->path.size() + request->host.size();
  for (const auto& [name, value] : request->query) {
    decoded += name.size() + value.size();
  }
  require(decoded <= size);
  const auto again = parse_request(written(*request));
  require(again && again->path == request->path && again->query == request->query &&
          again->host == request->host);
  return 0;
}
