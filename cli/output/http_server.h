// A web server for one user's browser on this machine: GET and POST, only 127.0.0.1, one thread.
//
//   Result<HttpServer> server = HttpServer::open(port);   // 0: any free port
//   server->run(stop, [](const HttpRequest& request) { return HttpResponse{...}; });
//
// Limits: 16 KiB per request head, 4 MiB per body, 64 connections, 30 s without a transfer. A
// further connection replaces the one that was idle for the longest time, so that idle connections
// do not block others. Each connection serves one request. Rejected: Debian's cpp-httplib, which
// adds OpenSSL, Brotli and a thread per connection.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace skein::cli {

struct HttpRequest {
  std::string path;                                        // "/bundle", percent-decoded
  std::vector<std::pair<std::string, std::string>> query;  // percent-decoded
  std::string host;                                        // as the browser sent it
  std::string origin = {};                                 // as the browser sent it; empty: none
  bool is_post = false;                                    // POST, else GET
  uint64_t body_size = 0;                                  // of a POST
  std::string body = {};

  std::string_view argument(std::string_view name) const;  // empty if there is none
};

// Parses the head of a request, up to the empty line. Empty if it is invalid (status 400). Only GET
// and POST are supported; a POST requires a Content-Length.
std::optional<HttpRequest> parse_request(std::string_view text);

struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::shared_ptr<const std::string> body = {};
};

class HttpServer {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest&)>;

  static Result<HttpServer> open(uint16_t port);
  HttpServer(HttpServer&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), port_(other.port_) {}
  HttpServer& operator=(HttpServer&&) = delete;
  ~HttpServer();

  uint16_t port() const { return port_; }

  // Serves requests until the descriptor `stop` is readable.
  void run(int stop, const Handler& handler);

 private:
  HttpServer(int socket, uint16_t port) : socket_(socket), port_(port) {}
  int socket_;
  uint16_t port_;
};

}  // namespace skein::cli
