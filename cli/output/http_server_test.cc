#include "cli/output/http_server.h"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <thread>
#include <vector>

using namespace skein::cli;

namespace {

// Runs a server in a separate thread until it is destroyed.
class Running {
 public:
  explicit Running(HttpServer::Handler handler)
      : server_(*HttpServer::open(0)),
        stop_(eventfd(0, EFD_CLOEXEC)),
        thread_([this, handler = std::move(handler)] { server_.run(stop_, handler); }) {}
  ~Running() {
    eventfd_write(stop_, 1);
    thread_.join();
    close(stop_);
  }
  uint16_t port() const { return server_.port(); }

 private:
  HttpServer server_;
  int stop_;
  std::thread thread_;
};

class Client {
 public:
  explicit Client(uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  }
  ~Client() { close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t count = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (count <= 0) return;  // the server has closed the connection
      text.remove_prefix(static_cast<size_t>(count));
    }
  }
  // True if the server has sent data or closed the connection.
  bool heard() const {
    char byte;
    return recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || errno != EAGAIN;
  }
  // Returns the whole response.
  std::string answer() {
    std::string all;
    char buffer[4096];
    for (ssize_t count; (count = recv(socket_, buffer, sizeof buffer, 0)) > 0;)
      all.append(buffer, static_cast<size_t>(count));
    return all;
  }

 private:
  int socket_;
};

}  // namespace

TEST_CASE("a browser's request is parsed") {
  const auto request = parse_request(
      "GET /bundle?token=a%20b%3d&have=&x HTTP/1.1\r\nhOST:  127.0.0.1:80 \r\nAccept: */*\r\n\r\n");
  REQUIRE(request);
  CHECK(request->path == "/bundle");
  CHECK(request->argument("token") == "a b=");
  CHECK(request->argument("have").empty());
  CHECK(request->argument("none").empty());
  CHECK(request->query.size() == 3);
  CHECK(request->host == "127.0.0.1:80");
}

TEST_CASE("an invalid request is rejected") {
  for (const char* text :
       {"", "\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\n\r\n", "get / HTTP/1.1\r\n\r\n", "GET x HTTP/1.1\r\n\r\n",
        "GET http://x/ HTTP/1.1\r\n\r\n", "GET / FTP\r\n\r\n", "GET /% HTTP/1.1\r\n\r\n",
        "GET /%4 HTTP/1.1\r\n\r\n", "GET /?a=%zz HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"}) {
    CAPTURE(text);
    CHECK(!parse_request(text));
  }
}

TEST_CASE("a posted body may arrive in pieces and has a size limit") {
  const Running running([&](const HttpRequest& request) {
    return HttpResponse{
        .body = std::make_shared<std::string>(
            request.origin + (request.is_post ? " posts " : " gets ") + request.body)};
  });
  Client client(running.port());
  client.send("POST / HTTP/1.1\r\norigin: here\r\nContent-Length: 6\r\n\r\nabc");
  client.send("defghi");
  CHECK(client.answer().ends_with("\r\n\r\nhere posts abcdef"));
  Client empty(running.port());
  empty.send("POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n");
  CHECK(empty.answer().ends_with("\r\n\r\n posts "));
  Client large(running.port());
  large.send("POST / HTTP/1.1\r\nContent-Length: 4194305\r\n\r\n");
  CHECK(large.answer().starts_with("HTTP/1.1 413 "));
}

TEST_CASE("a slow connection does not delay the responses of others") {
  constexpr size_t much = 20'000'000;  // more than a socket's buffers hold
  const Running running([&](const HttpRequest& request) {
    HttpResponse response;
    if (request.path == "/nothing") {
      response.status = 204;
      return response;
    }
    response.headers = {{"X-Path", "here"}};
    response.body = std::make_shared<std::string>(
        request.path == "/much" ? std::string(much, 'x') : "you are " + request.host);
    return response;
  });
  Client slow(running.port());
  slow.send("GET /much HTTP/1.1\r\n\r\n");
  Client in_pieces(running.port());
  for (const char c : std::string_view("GET / HTTP/1.1\r\nHost: me\r\n\r")) in_pieces.send({&c, 1});
  Client nothing(running.port());
  nothing.send("GET /nothing HTTP/1.1\r\n\r\n");
  CHECK(nothing.answer() == "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
  in_pieces.send("\n");
  CHECK(in_pieces.answer() ==
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n"
        "Content-Length: 10\r\nX-Path: here\r\n\r\nyou are me");
  const std::string all = slow.answer();
  CHECK(all.find("Content-Length: 20000000\r\n") != all.npos);
  CHECK(all.size() - all.find("\r\n\r\n") - 4 == much);
}

TEST_CASE("a request is answered while 300 connections are idle") {
  constexpr size_t many = 300, most = 64;
  const Running running([](const HttpRequest&) { return HttpResponse{}; });
  std::vector<std::unique_ptr<Client>> idle;
  for (size_t i = 0; i < many; i++) {
    idle.push_back(std::make_unique<Client>(running.port()));
    if (i % 3 == 0) idle.back()->send("GET / HTTP/1.1\r\n");  // incomplete
  }
  Client asks(running.port());
  asks.send("GET / HTTP/1.1\r\n\r\n");
  CHECK(asks.answer().starts_with("HTTP/1.1 200 OK\r\n"));
  // The newest are still open; the oldest were closed to make room.
  size_t there = 0;
  for (size_t i = 0; i < many; i++) {
    if (idle[i]->heard()) continue;
    there++;
    CHECK(i >= many - most);
  }
  CHECK(there == most - 1);
  Client again(running.port());
  again.send("GET / HTTP/1.1\r\n\r\n");
  CHECK(again.answer().starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_CASE("a slow reader is not disconnected in favour of an idle one") {
  constexpr size_t much = 20'000'000;
  const Running running([&](const HttpRequest&) {
    return HttpResponse{.body = std::make_shared<std::string>(much, 'x')};
  });
  Client slow(running.port());
  slow.send("GET / HTTP/1.1\r\n\r\n");
  while (!slow.heard()) std::this_thread::yield();
  std::vector<std::unique_ptr<Client>> idle;
  for (int i = 0; i < 100; i++) idle.push_back(std::make_unique<Client>(running.port()));
  while (!idle[0]->heard()) std::this_thread::yield();  // the server has accepted and evicted it
  CHECK(slow.answer().size() > much);
}

TEST_CASE("invalid or oversized requests and disconnects do not affect other connections") {
  const Running running([](const HttpRequest&) { return HttpResponse{}; });
  Client nonsense(running.port());
  nonsense.send("\x16\x03\x01\r\n\r\n");
  CHECK(nonsense.answer().starts_with("HTTP/1.1 400 Bad Request\r\n"));
  Client much(running.port());
  much.send("GET /" + std::string((16 << 10) - 5, 'x'));
  CHECK(much.answer().starts_with("HTTP/1.1 400 Bad Request\r\n"));
  for (int i = 0; i < 100; i++) {
    Client gone(running.port());
    gone.send("GET /");
  }
  Client last(running.port());
  last.send("GET / HTTP/1.1\r\n\r\n");
  CHECK(last.answer().starts_with("HTTP/1.1 200 OK\r\n"));
}
