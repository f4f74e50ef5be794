#include "report/json.h"

#include <doctest/doctest.h>

#include <cmath>

#include "trace/model/example.h"

using namespace skein;

TEST_CASE("scalars") {
  CHECK(Json().text() == "null\n");
  CHECK(Json(true).text() == "true\n");
  CHECK(Json(UINT64_MAX).text() == "18446744073709551615\n");
  CHECK(Json(INT64_MIN).text() == "-9223372036854775808\n");
  CHECK(Json(0.25).text() == "0.25\n");
  CHECK(Json(1e300).text() == "1e+300\n");
  CHECK(Json(INFINITY).text() == "null\n");
  CHECK(Json(NAN).text() == "null\n");
  CHECK(Json(std::optional<uint64_t>()).text() == "null\n");
  CHECK(Json(std::optional<uint64_t>(7)).text() == "7\n");
  CHECK(Json("run \"a\\b\"\n\xff").text() == "\"run \\\"a\\\\b\\\"\\u000a\\\\xff\"\n");
}

TEST_CASE("members keep their order") {
  Json json = Json::object({{"b", Json::object()}, {"a", nullptr}});
  json.set("c", Json::array());
  CHECK(json.text() == "{\n  \"b\": {},\n  \"a\": null,\n  \"c\": []\n}\n");
}

TEST_CASE("nested values are indented") {
  Json list = std::vector<uint64_t>{1, 2};
  list.add(Json::object({{"x", "y"}}));
  Json document = json_document("skein.test/1");
  document.set("list", std::move(list));
  CHECK(document.text() == R"({
  "schema": "skein.test/1",
  "list": [
    1,
    2,
    {
      "x": "y"
    }
  ]
}
)");
}

TEST_CASE("tasks and locations are objects, or null") {
  const Example e = ours(" 0 create 7 as coroutine query\n 5 executor_end -");
  CHECK(task_json(e.trace, e.model, e.model.find(7)).text() ==
        "{\n  \"id\": 7,\n  \"name\": \"query\"\n}\n");
  CHECK(task_json(e.trace, e.model, no_index).text() == "null\n");
  CHECK(location_json(e.trace, 0).text() == "null\n");
  CHECK(location_json(e.trace, UINT32_MAX).text() == "null\n");
}
