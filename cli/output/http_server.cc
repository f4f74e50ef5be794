#include "cli/output/http_server.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>

namespace skein::cli {

namespace {

constexpr size_t longest_request = 16 << 10;
constexpr uint64_t longest_body = 4 << 20;
constexpr size_t most_connections = 64;
constexpr auto patience = std::chrono::seconds(30);

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); i++) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (text.size() - i < 3) return {};
    const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return {};
    out += static_cast<char>(high << 4 | low);
    i += 2;
  }
  return out;
}

// Removes the text up to and including `end` and returns it without `end`; all of it if there is
// no `end`.
std::string_view take_until(std::string_view& text, std::string_view end) {
  const size_t at = std::min(text.find(end), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(text.size(), at + end.size()));
  return part;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
    return small(x) == small(y);
  });
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    default:
      return "Internal Server Error";
  }
}

std::string head_of(const HttpResponse& response) {
  std::string head =
      "HTTP/1.1 " + std::to_string(response.status) + ' ' + std::string(reason(response.status));
  head += "\r\nConnection: close\r\n";
  if (response.status != 204)
    head += "Content-Type: " + response.type +
            "\r\nContent-Length: " + std::to_string(response.body ? response.body->size() : 0) +
            "\r\n";
  for (const auto& [name, value] : response.headers) head += name + ": " + value + "\r\n";
  return head + "\r\n";
}

using Clock = std::chrono::steady_clock;

// Reads a request, writes the response, and ends.
struct Connection {
  int socket = -1;
  Clock::time_point last = Clock::now();   // of the last transfer
  std::string request = {};                // received: the head, then the body
  std::optional<HttpRequest> parsed = {};  // set when the head is complete
  std::string head = {};                   // of the response; empty: still reading
  std::shared_ptr<const std::string> body = {};
  size_t sent = 0;  // of head and body
  bool ended = false;

  bool idle() const { return head.empty(); }  // the request is not complete
  void read(const HttpServer::Handler& handler);
  void answer(const HttpResponse& response);
  void write();
};

void Connection::read(const HttpServer::Handler& handler) {
  char buffer[4096];
  const ssize_t count = recv(socket, buffer, sizeof buffer, 0);
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (count <= 0) {
    ended = true;
    return;
  }
  last = Clock::now();
  request.append(buffer, static_cast<size_t>(count));
  if (!parsed) {
    const size_t end = request.find("\r\n\r\n");
    if (end == request.npos && request.size() < longest_request) return;
    if (end != request.npos) parsed = parse_request(request);
    if (!parsed) return answer({.status = 400});
    if (parsed->body_size > longest_body) return answer({.status = 413});
    request.erase(0, end + 4);
  }
  if (request.size() < parsed->body_size) return;
  request.resize(parsed->body_size);
  parsed->body = std::move(request);
  answer(handler(*parsed));
}

void Connection::answer(const HttpResponse& response) {
  head = head_of(response);
  body = response.body;
  write();
}

void Connection::write() {
  const size_t size = head.size() + (body ? body->size() : 0);
  while (sent < size) {
    const std::string_view rest = sent < head.size()
                                      ? std::string_view(head).substr(sent)
                                      : std::string_view(*body).substr(sent - head.size());
    const ssize_t count = send(socket, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count < 0) break;
    last = Clock::now();
    sent += static_cast<size_t>(count);
  }
  shutdown(socket, SHUT_WR);
  ended = true;
}

// Closes one connection to make room for another: the one without a transfer for the longest time,
// among those without a complete request if there are any.
void evict(std::vector<Connection>& connections) {
  const auto first = std::min_element(connections.begin(), connections.end(),
                                      [](const Connection& a, const Connection& b) {
                                        return a.idle() != b.idle() ? a.idle() : a.last < b.last;
                                      });
  close(first->socket);
  connections.erase(first);
}

}  // namespace

std::string_view HttpRequest::argument(std::string_view name) const {
  for (const auto& [key, value] : query)
    if (key == name) return value;
  return {};
}

std::optional<HttpRequest> parse_request(std::string_view text) {
  text = text.substr(0, text.find("\r\n\r\n"));
  std::string_view line = take_until(text, "\r\n");
  const std::string_view method = take_until(line, " ");
  if (method != "GET" && method != "POST") return {};
  std::string_view target = take_until(line, " ");
  if (!line.starts_with("HTTP/1.") || !target.starts_with('/')) return {};
  HttpRequest request;
  request.is_post = method == "POST";
  auto path = decoded(take_until(target, "?"));
  if (!path) return {};
  request.path = *std::move(path);
  while (!target.empty()) {
    std::string_view pair = take_until(target, "&");
    auto name = decoded(take_until(pair, "="));
    auto value = decoded(pair);
    if (!name || !value) return {};
    request.query.emplace_back(*std::move(name), *std::move(value));
  }
  bool has_host = false;
  std::optional<uint64_t> size;
  while (!text.empty()) {
    std::string_view value = take_until(text, "\r\n");
    const std::string_view name = take_until(value, ":");
    if (same_name(name, "host")) {
      if (has_host) return {};  // ambiguous
      has_host = true;
      request.host = trimmed(value);
    } else if (same_name(name, "origin")) {
      request.origin = trimmed(value);
    } else if (same_name(name, "transfer-encoding")) {
      return {};
    } else if (same_name(name, "content-length")) {
      const std::string_view digits = trimmed(value);
      uint64_t number = 0;
      const auto [end, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), number);
      if (size || error != std::errc() || end != digits.data() + digits.size()) return {};
      size = number;
    }
  }
  if (request.is_post && !size) return {};
  if (request.is_post) request.body_size = *size;
  return request;
}

Result<HttpServer> HttpServer::open(uint16_t port) {
  const auto failed = [&](const char* what) {
    return Error{.what = std::string(what) + ": " + std::strerror(errno),
                 .file = "127.0.0.1:" + std::to_string(port),
                 .advice = port != 0 ? "omit --port to use any free port" : ""};
  };
  HttpServer server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), port);
  if (server.socket_ < 0) return failed("no socket");
  const int yes = 1;
  setsockopt(server.socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (bind(server.socket_, any, size) != 0 || listen(server.socket_, SOMAXCONN) != 0 ||
      getsockname(server.socket_, any, &size) != 0)
    return failed("cannot listen");
  server.port_ = ntohs(address.sin_port);
  return server;
}

HttpServer::~HttpServer() {
  if (socket_ >= 0) close(socket_);
}

void HttpServer::run(int stop, const Handler& handler) {
  std::vector<Connection> connections;
  std::vector<pollfd> waits;
  for (;;) {
    waits = {{stop, POLLIN, 0}, {socket_, POLLIN, 0}};
    for (const Connection& connection : connections)
      waits.push_back(
          {connection.socket, static_cast<short>(connection.idle() ? POLLIN : POLLOUT), 0});
    const int timeout = connections.empty() ? -1 : 1000;
    if (poll(waits.data(), waits.size(), timeout) < 0 && errno != EINTR) break;
    if (waits[0].revents != 0) break;
    for (size_t i = 0; i < connections.size(); i++) {
      Connection& connection = connections[i];
      if (waits[i + 2].revents != 0)
        connection.idle() ? connection.read(handler) : connection.write();
      if (Clock::now() - connection.last > patience) connection.ended = true;
      if (connection.ended) close(connection.socket);
    }
    std::erase_if(connections, [](const Connection& connection) { return connection.ended; });
    // Accepts one connection per iteration, so that each connection is polled many times before
    // enough new ones arrive to evict it.
    if (waits[1].revents == 0) continue;
    const int client = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    const bool is_full = connections.size() == most_connections ||
                         (client < 0 && (errno == EMFILE || errno == ENFILE));
    if (is_full && !connections.empty()) evict(connections);
    if (client < 0) continue;
    connections.push_back({.socket = client});
  }
  for (const Connection& connection : connections) close(connection.socket);
}

}  // namespace skein::cli
