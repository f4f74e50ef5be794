#include "cli/http_server.h"

#include <doctest/doctest.h>

using namespace skein::cli;

TEST_CASE("a browser's request") {
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

TEST_CASE("what is no request is not answered as one") {
  for (const char* text :
       {"", "\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\n\r\n", "get / HTTP/1.1\r\n\r\n", "GET x HTTP/1.1\r\n\r\n",
        "GET http://x/ HTTP/1.1\r\n\r\n", "GET / FTP\r\n\r\n", "GET /% HTTP/1.1\r\n\r\n",
        "GET /%4 HTTP/1.1\r\n\r\n", "GET /?a=%zz HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"}) {
    CAPTURE(text);
    CHECK(!parse_request(text));
  }
}
