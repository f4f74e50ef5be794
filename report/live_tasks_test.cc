#include "report/live_tasks.h"

#include <doctest/doctest.h>

#include "trace/model/example.h"

using namespace skein;

namespace {

constexpr int64_t second = 1'000'000'000;

LiveTaskRow task(uint64_t id, const char* name, const char* state, int64_t age) {
  LiveTaskRow made;
  made.id = id;
  made.name = name;
  made.state = state;
  made.since = 1000 * second - age;
  return made;
}

LiveTaskList server() {
  LiveTaskList live{.program = "server", .pid = 7, .running = true, .until = 1000 * second};
  LiveTaskRow session = task(1, "session 7", "suspended", 3 * second);
  session.target = {2, "query"};
  session.created_at.text = "serve server.cc:10";
  session.location.text = "serve server.cc:22";
  session.should_resolve = true;
  LiveTaskRow query = task(2, "query", "suspended", 90 * second);
  query.parent.id = 1;
  query.target = {30, "cache lock"};
  query.location.text = "query server.cc:41";
  LiveTaskRow lock = task(30, "cache lock", "resource", 600 * second);
  lock.target = {1, "session 7"};
  lock.kind = "mutex";
  live.tasks = {session, query, lock};
  return live;
}

size_t widest_line(const std::string& text) {
  size_t widest = 0;
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1)
    widest = std::max(widest, end - begin);
  return widest;
}

}  // namespace

TEST_CASE("the longest wait comes first; targets have names") {
  CHECK(
      live_tasks_text(server(), {.width = 200}) ==
      "server (pid 7, running): 2 live tasks, 1 resource\n"
      "TASK                   STATE        FOR     TARGET               LOCATION            SINCE\n"
      "2 query                suspended    90.0 s  30 cache lock        server.cc:41        "
      "910.000000000\n"
      "1 session 7            suspended !  3.00 s  2 query              serve server.cc:22  "
      "997.000000000\n"
      "30 cache lock (mutex)  resource     600 s   held by 1 session 7                      "
      "400.000000000\n"
      "! marked should_resolve\n");
}

TEST_CASE("a tree has children under their parents") {
  const std::string text = live_tasks_text(server(), {.tree = true, .width = 200});
  CHECK(text.find("\n1 session 7 ") < text.find("\n  2 query "));
  CHECK(text.find("\n  2 query ") < text.find("\n30 cache lock "));
}

TEST_CASE("a table fits, and keeps file and line") {
  LiveTaskList live = server();
  live.tasks[0].name = std::string(100, 'x');
  live.tasks[1].location.text = "a_function_with_a_rather_long_name server.cc:41";
  for (const size_t width : {80u, 100u, 120u}) {
    CAPTURE(width);
    const std::string text = live_tasks_text(live, {.width = width});
    // An ellipsis is one character of three bytes; each row has at most three.
    CHECK(widest_line(text) <= width + 6);
    CHECK(text.find("server.cc:41") != text.npos);
    CHECK(text.find("\n2 query") != text.npos);
  }
}

TEST_CASE("a damaged table is shown as far as possible, escaped") {
  LiveTaskList live{.program = "p", .running = true};
  live.tasks = {task(5, "\x1b[31m", "suspended", 1), task(5, "twin", "suspended", 1),
                task(3, "", "?", 1)};
  live.tasks[0].parent.id = 5;
  live.tasks[0].target.id = 5;
  live.tasks[2].parent.id = 9;
  for (const bool tree : {false, true}) {
    const std::string text = live_tasks_text(live, {.tree = tree});
    CHECK(text.find('\x1b') == text.npos);
    CHECK(text.find("twin") != text.npos);
    CHECK(text.find("\n3 ") != text.npos);
  }
}

TEST_CASE("the list of an ended process has the time of its last event") {
  LiveTaskList live = server();
  live.running = false;
  live.utc_start = 0;
  CHECK(live_tasks_text(live, {}).starts_with(
      "server (pid 7, ended): 2 live tasks, 1 resource; times up to 00:16:40.000 UTC\n"));
}

TEST_CASE("no task is live") {
  CHECK(live_tasks_text({.program = "p"}, {}) == "p: 0 live tasks\n");
}

TEST_CASE("JSON: tasks and locations are objects, unknown values null") {
  const Example e = ours(R"(
     0 create 1 as coroutine session
     1 create 2 by 1 as timer
     2 resume 1
     5 suspend 1 on 2
     9 executor_end -
  )");
  const Waits waits = find_waits(e.trace, e.model);
  LiveTaskList live = live_task_list({e.trace, e.model, waits}, 9);
  REQUIRE(live.tasks.size() == 2);
  live.tasks[0].location.json = Json::object({{"file", "a.cc"}, {"line", 7}, {"function", "f()"}});
  const std::string json = live_tasks_json(live).text();
  CHECK(json.starts_with("{\n  \"schema\": \"skein.ps/1\",\n  \"program\": \"skein\",\n"));
  for (const char* part : {"\"pid\": null", "\"state\": \"suspended\"", "\"since_ns\": 5",
                           "\"since_utc_ns\": null", "\"duration_ns\": 4", "\"line\": 7",
                           "\"location\": null", "\"waker\": null", "\"notes\": []"})
    CHECK_MESSAGE(json.find(part) != std::string::npos, part, json);
  CHECK(json.find("\"target\": {\n        \"id\": 2,") != std::string::npos);
  CHECK(json.find("\"parent\": {\n        \"id\": 1,") != std::string::npos);
}

TEST_CASE("a state that began before the trace has a negative time") {
  LiveTaskList live{.program = "p", .until = 10, .tasks = {task(1, "old", "suspended", 0)}};
  live.tasks[0].since = -20;
  const std::string text = live_tasks_text(live, {});
  CHECK(text.find(" 30 ns ") != std::string::npos);
  CHECK(text.find(" -0.000000020") != std::string::npos);
}

TEST_CASE("of several processes all are named") {
  Example e = ours("0 create 1 as coroutine serve");
  const Waits waits = find_waits(e.trace, e.model);
  const auto program = [&] { return live_task_list({e.trace, e.model, waits}, 1).program; };
  CHECK(program() == "skein");
  e.trace.processes = {{.name = "alpha"}, {.name = "beta"}, {.name = "alpha"}};
  CHECK(program() == "alpha, beta");
  for (const char* name : {"c", "d", "e", "f"}) e.trace.processes.push_back({.name = name});
  CHECK(program() == "alpha, beta, c, d and 2 more");
}
