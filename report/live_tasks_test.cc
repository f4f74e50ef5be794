#include "report/live_tasks.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "trace/model/example.h"

using namespace skein;

namespace {

constexpr int64_t second = 1'000'000'000;

std::string title(uint64_t id, const std::string& name) {
  return (name.empty() ? "#" : name + " (#") + std::to_string(id) + (name.empty() ? "" : ")");
}

LiveTaskRow task(uint64_t id, const char* name, const char* state, int64_t age) {
  LiveTaskRow made;
  made.id = id;
  made.name = name;
  made.title = title(id, name);
  made.state = state;
  made.since = 1000 * second - age;
  return made;
}

LiveTaskList server() {
  LiveTaskList live{.program = "server", .pid = 7, .running = true, .until = 1000 * second};
  LiveTaskRow session = task(1, "session 7", "suspended", 3 * second);
  session.target = {2, "query", "query (#2)"};
  session.created_at.text = "serve server.cc:10";
  session.location.text = "serve server.cc:22";
  session.should_resolve = true;
  LiveTaskRow query = task(2, "query", "suspended", 90 * second);
  query.parent.id = 1;
  query.target = {30, "cache lock", "mutex cache lock (#30)"};
  query.location.text = "query server.cc:41";
  LiveTaskRow lock = task(30, "cache lock", "resource", 600 * second);
  lock.target = {1, "session 7", "session 7 (#1)"};
  lock.kind = "mutex";
  lock.title = "mutex cache lock (#30)";
  live.tasks = {session, query, lock};
  return live;
}

size_t widest_line(const std::string& text) {
  size_t widest = 0;
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1)
    widest = std::max(widest, terminal_cells(std::string_view(text).substr(begin, end - begin)));
  return widest;
}

}  // namespace

TEST_CASE("the longest wait comes first; targets have names") {
  CHECK(live_tasks_text(server(), {.width = 200}) ==
        "server (pid 7, running): 2 live tasks, 1 resource\n"
        "TASK                    STATE        FOR     TARGET                  LOCATION            "
        "SINCE\n"
        "query (#2)              suspended    90.0 s  mutex cache lock (#30)  server.cc:41        "
        "910.000000000\n"
        "session 7 (#1)          suspended !  3.00 s  query (#2)              serve server.cc:22  "
        "997.000000000\n"
        "mutex cache lock (#30)  resource     600 s   held by session 7 (#1)                      "
        "400.000000000\n"
        "! marked should_resolve\n");
}

TEST_CASE("a tree has children under their parents") {
  const std::string text = live_tasks_text(server(), {.tree = true, .width = 200});
  CHECK(text.find("\nsession 7 (#1) ") < text.find("\n  query (#2) "));
  CHECK(text.find("\n  query (#2) ") < text.find("\nmutex cache lock (#30) "));
}

TEST_CASE("a table fits the width, and keeps file and line") {
  LiveTaskList live = server();
  live.tasks[0].title = std::string(100, 'x') + " (#1)";
  live.tasks[1].location.text = "a_function_with_a_rather_long_name server.cc:41";
  for (const size_t width : {80u, 100u, 120u}) {
    CAPTURE(width);
    const std::string text = live_tasks_text(live, {.width = width});
    CHECK(widest_line(text) <= width);
    CHECK(text.find("server.cc:41") != text.npos);
    CHECK(text.find("\nquery (#2)") != text.npos);
    CHECK(text.find("x… (#1) ") != text.npos);
  }
}

TEST_CASE("a name that does not fit loses its scopes first") {
  LiveTaskList live = server();
  const auto shown = [&](const std::string& name) {
    live.tasks[1].title = name + " (#2)";
    live.tasks[1].location.text = std::string(60, 'x');
    return live_tasks_text(live, {.tree = true, .width = 100});
  };
  const std::string scopes(40, 'n');
  CHECK(shown(scopes + "::http::serve").find("\n  …serve (#2)") != std::string::npos);
  CHECK(shown(scopes + "::main::<lambda>").find("\n  …main::<lambda> (#2)") != std::string::npos);
  CHECK(shown("mutex " + scopes + "::lock").find("\n  mutex …lock (#2)") != std::string::npos);
  CHECK(shown("n::" + scopes).find("\n  nnn") != std::string::npos);
  CHECK(shown("n::f").find("\n  n::f (#2)") != std::string::npos);
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
    CHECK(text.find("\n#3 ") != text.npos);
  }
}

TEST_CASE("the list of an ended process has the time of its last event") {
  LiveTaskList live = server();
  live.running = false;
  live.utc_start = 0;
  CHECK(live_tasks_text(live, {}).starts_with(
      "server (pid 7, ended): 2 live tasks, 1 resource; times up to 00:16:40.000 UTC\n"));
}

TEST_CASE("wide characters do not shift columns") {
  LiveTaskList live{.program = "p", .running = true};
  live.tasks = {task(5, "\u65e5\u672c", "suspended", 1), task(6, "ab", "suspended", 1)};
  const std::string text = live_tasks_text(live, {});
  CHECK(text.find("\n\u65e5\u672c (#5)  suspended") != text.npos);
  CHECK(text.find("\nab (#6)    suspended") != text.npos);
}

TEST_CASE("a kind that the title does not contain has a column") {
  LiveTaskList live = server();
  CHECK(live_tasks_text(live, {}).find("KIND") == std::string::npos);
  live.tasks[1].kind = "operation";
  const std::string text = live_tasks_text(live, {.width = 200});
  CHECK(text.find("\nquery (#2)              operation  suspended") != text.npos);
}

TEST_CASE("the heading and the notes fit the width") {
  LiveTaskList live = server();
  live.program = "a server with a long name";
  live.running = false;
  live.utc_start = 0;
  live.notes = {"3 tasks are not shown: rows were being updated while the table was read"};
  const std::string text = live_tasks_text(live, {.width = 60});
  for (size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1)
    if (text.substr(begin, 1) == "a" || text.substr(begin, 1) == "3") CHECK(end - begin <= 60);
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

TEST_CASE("several processes are all named") {
  Example e = ours("0 create 1 as coroutine serve");
  const Waits waits = find_waits(e.trace, e.model);
  const auto program = [&] { return live_task_list({e.trace, e.model, waits}, 1).program; };
  CHECK(program() == "skein");
  e.trace.processes = {{.name = "alpha"}, {.name = "beta"}, {.name = "alpha"}};
  CHECK(program() == "alpha, beta");
  for (const char* name : {"c", "d", "e", "f"}) e.trace.processes.push_back({.name = name});
  CHECK(program() == "alpha, beta, c, d and 2 more");
}

TEST_CASE("what a task waits for if that is no task") {
  Example e = ours(R"(
     0 create 1 as coroutine route
     1 resume 1
     2 suspend 1
     3 create 2 as io socket.async_receive
     4 resume 2
     5 create 3 by 2 as handler strand.post
     6 resume 3 by 2
  )");
  for (size_t i = 0; i < e.trace.events.size(); i++)
    if (e.trace.events.row(i).time == 2)
      e.trace.awaited_objects.push_back({i, 0xa0, e.trace.strings.intern("rt::Event")});
  const Waits waits = find_waits(e.trace, e.model);
  const LiveTaskList list = live_task_list({e.trace, e.model, waits}, 10);
  REQUIRE(list.tasks.size() == 3);
  CHECK(list.tasks[0].object == "rt::Event 0xa0");
  CHECK(list.tasks[1].object == "strand.post (#3)");  // its handler runs inside that
  CHECK(list.tasks[2].object.empty());
  CHECK(live_tasks_text(list, {}).find("rt::Event 0xa0") != std::string::npos);
}
