// A web server for one person's browser on this machine: GET and POST, 127.0.0.1 alone, one thread.
//
//   Result<HttpServer> server = HttpServer::open(port);   // 0: any that is free
//   server->run(stop, [](const HttpRequest& request) { return HttpResponse{...}; });
//
// Everything is bounded: requests of 16 KiB and bodies of 4 MiB, 64 connections, half a minute
// without a byte. One more takes the place of the one that was silent the longest, so that nobody
// waits for those who ask nothing. One answer a connection. Written here because so little is
// needed: Debian's cpp-httplib would bring OpenSSL, Brotli and a thread per connection into the
// program.
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
  std::string origin = {};                                 // the same; empty: it sent none
  bool posts = false;                                      // POST, else GET
  uint64_t body_size = 0;                                  // of what is posted
  std::string body = {};

  std::string_view argument(std::string_view name) const;  // empty if there is none
};

// Of what a client sent so far, up to the empty line; nothing if that makes no sense (then it is a
// bad request: 400). Methods other than GET and POST are not understood, nor a POST that does not
// say how long it is.
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

  // Until the descriptor `stop` can be read.
  void run(int stop, const Handler& handler);

 private:
  HttpServer(int socket, uint16_t port) : socket_(socket), port_(port) {}
  int socket_;
  uint16_t port_;
};

}  // namespace skein::cli
