#include "target/guest/gdb_clients.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace skein {

namespace {

// Calls visit(words) for each line of a table, until it returns true. Returns whether it did.
template <typename Visit>
bool any_line(const char* table, Visit visit) {
  std::ifstream lines(table);
  std::vector<std::string> words;
  for (std::string line, word; std::getline(lines, line);) {
    std::istringstream in(line);
    words.clear();
    while (in >> word) words.push_back(word);
    if (visit(words)) return true;
  }
  return false;
}

// "7F000001:5BA1" as the tables have it. proc(5): /proc/net/tcp.
struct Endpoint {
  std::string address;
  std::string port;
};

Endpoint endpoint_of(const std::string& word) {
  const size_t colon = word.rfind(':');
  if (colon == word.npos) return {};
  return {.address = word.substr(0, colon), .port = word.substr(colon + 1)};
}

std::string hex(const char* format, uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// One that the server has accepted: only such a socket has an inode.
bool has_tcp_client(const std::string& address, const std::string& port, bool is_loopback) {
  constexpr size_t local = 1, state = 3, inode = 9;
  const auto is_client = [&](const std::vector<std::string>& words) {
    if (words.size() <= inode || words[state] != "01" || words[inode] == "0") return false;
    const Endpoint server = endpoint_of(words[local]);
    // A server for all addresses may have its client at another one of this machine.
    return server.port == port && (is_loopback || server.address.ends_with(address));
  };
  return any_line("/proc/net/tcp", is_client) || any_line("/proc/net/tcp6", is_client);
}

bool has_unix_client(std::string_view path) {
  constexpr size_t state = 5, inode = 6, name = 7;
  return any_line("/proc/net/unix", [&](const std::vector<std::string>& words) {
    return words.size() > name && words[state] == "03" && words[inode] != "0" &&
           words[name] == path;
  });
}

}  // namespace

bool has_client(const sockaddr* address, socklen_t size) {
  if (address->sa_family == AF_INET && size >= sizeof(sockaddr_in)) {
    sockaddr_in in;
    std::memcpy(&in, address, sizeof in);
    const bool is_loopback = ntohl(in.sin_addr.s_addr) >> 24 == 127;
    return has_tcp_client(hex("%08X", in.sin_addr.s_addr), hex("%04X", ntohs(in.sin_port)),
                          is_loopback);
  }
  if (address->sa_family == AF_INET6 && size >= sizeof(sockaddr_in6)) {
    sockaddr_in6 in;
    std::memcpy(&in, address, sizeof in);
    std::string text;
    for (size_t i = 0; i < sizeof in.sin6_addr; i += sizeof(uint32_t)) {
      uint32_t word = 0;
      std::memcpy(&word, in.sin6_addr.s6_addr + i, sizeof word);
      text += hex("%08X", word);
    }
    return has_tcp_client(text, hex("%04X", ntohs(in.sin6_port)),
                          IN6_IS_ADDR_LOOPBACK(&in.sin6_addr));
  }
  if (address->sa_family != AF_UNIX || size <= offsetof(sockaddr_un, sun_path)) return false;
  sockaddr_un name;
  std::memset(&name, 0, sizeof name);
  std::memcpy(&name, address, std::min<size_t>(size, sizeof name));
  return has_unix_client({name.sun_path, strnlen(name.sun_path, sizeof name.sun_path)});
}

}  // namespace skein
