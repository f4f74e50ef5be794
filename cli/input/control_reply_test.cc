#include "cli/input/control_reply.h"

#include <doctest/doctest.h>

using namespace skein::cli;

TEST_CASE("a reply is printed as indented JSON") {
  const auto reply = read_control_reply(
      "{\"ok\":true,\"pid\":7,\"clock\":null,\"on\":false,\"bytes\":18446744073709551615,"
      "\"directory\":\"/tmp/a \\\"b\\\"\"}\n");
  REQUIRE(reply);
  CHECK(reply->text() ==
        "{\n  \"ok\": true,\n  \"pid\": 7,\n  \"clock\": null,\n  \"on\": false,\n"
        "  \"bytes\": 18446744073709551615,\n  \"directory\": \"/tmp/a \\\"b\\\"\"\n}\n");
}

TEST_CASE("a failed request returns the recorder's message") {
  const auto reply = read_control_reply("{\"ok\":false,\"error\":\"no trace to resume\"}\n");
  REQUIRE(!reply);
  CHECK(reply.error().message() == "no trace to resume");
  CHECK(read_control_reply("{\"pid\":7}").error().message() == "request rejected");
  CHECK(read_control_reply("{\"ok\":\"true\"}").error().message() == "request rejected");
  CHECK(read_control_reply("{\"ok\":false,\"error\":\"\"}").error().message() ==
        "request rejected");
}

TEST_CASE("all other lines are invalid replies") {
  for (const char* line :
       {"", "\n", "no JSON", "[]", "true", "{", "{}", "{\"ok\":true", "{\"ok\" true}",
        "{\"ok\":true} {\"ok\":true}", "{\"ok\":true}x", "{\"ok\":yes}", "{\"ok\":true,\"a\":[1]}",
        "{\"ok\":true,\"a\":{}}", "{\"ok\":true,\"a\":1.5}", "{\"ok\":true,\"a\":-1}",
        "{\"ok\":true,\"a\":1x}", "{\"ok\":true,\"a\":\"open}"}) {
    CAPTURE(line);
    const auto reply = read_control_reply(line);
    REQUIRE(!reply);
    CHECK(reply.error().message() == "invalid reply");
  }
}
