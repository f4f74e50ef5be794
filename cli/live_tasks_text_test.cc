#include <doctest/doctest.h>

#include "cli/live_tasks.h"

using namespace skein::cli;

namespace {

constexpr uint64_t second = 1'000'000'000;

LiveTaskRow task(uint64_t id, const char* name, const char* state, uint64_t age) {
  LiveTaskRow made;
  made.id = id;
  made.name = name;
  made.state = state;
  made.for_ns = age;
  made.since_ns = 1000 * second - age;
  return made;
}

LiveTaskList server() {
  LiveTaskList live{.title = "server (pid 7, running)", .running = true, .tasks = {}, .remarks = {}};
  LiveTaskRow session = task(1, "session 7", "suspended", 3 * second);
  session.on = 2;
  session.where = "serve server.cc:10";
  session.at = "serve server.cc:22";
  session.should_resolve = true;
  LiveTaskRow query = task(2, "query", "suspended", 90 * second);
  query.parent = 1;
  query.on = 30;
  query.at = "query server.cc:41";
  LiveTaskRow lock = task(30, "cache lock", "resource", 600 * second);
  lock.on = 1;
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

TEST_CASE("the longest wait comes first; what is awaited has its name") {
  CHECK(
      live_tasks_text(server(), false, 200) ==
      "server (pid 7, running): 2 live tasks, 1 resource\n"
      "TASK                   STATE        FOR     ON                   WHERE               SINCE\n"
      "2 query                suspended    90.0 s  30 cache lock        server.cc:41        "
      "910.000000000\n"
      "1 session 7            suspended !  3.0 s   2 query              serve server.cc:22  "
      "997.000000000\n"
      "30 cache lock (mutex)  resource     10 min  held by 1 session 7                      "
      "400.000000000\n"
      "! the program says that it expects this task to end\n");
}

TEST_CASE("a tree has children under their parents") {
  const std::string text = live_tasks_text(server(), true, 200);
  CHECK(text.find("\n1 session 7 ") < text.find("\n  2 query "));
  CHECK(text.find("\n  2 query ") < text.find("\n30 cache lock "));
}

TEST_CASE("a table fits, and keeps file and line") {
  LiveTaskList live = server();
  live.tasks[0].name = std::string(100, 'x');
  live.tasks[1].at = "a_function_with_a_rather_long_name server.cc:41";
  for (const size_t width : {80u, 100u, 120u}) {
    CAPTURE(width);
    const std::string text = live_tasks_text(live, false, width);
    // An ellipsis is one character of three bytes; each row has at most three.
    CHECK(widest_line(text) <= width + 6);
    CHECK(text.find("server.cc:41") != text.npos);
    CHECK(text.find("\n2 query") != text.npos);
  }
}

TEST_CASE("durations for people") {
  const auto shown = [](uint64_t ns) {
    LiveTaskList live{
        .title = "p", .running = true, .tasks = {task(1, "", "created", ns)}, .remarks = {}};
    live.tasks[0].since_ns = 0;
    const std::string text = live_tasks_text(live, false, 100);
    const size_t at = text.rfind("created  ") + 9;
    return text.substr(at, text.find("  ", at) - at);
  };
  CHECK(shown(0) == "0 us");
  CHECK(shown(19'400) == "19 us");
  CHECK(shown(999'600) == "1 ms");
  CHECK(shown(999'996'320) == "1.0 s");
  CHECK(shown(119 * second) == "119.0 s");
  CHECK(shown(120 * second) == "2 min");
  CHECK(shown(2 * 3600 * second) == "2.0 h");
  CHECK(shown(72 * 3600 * second) == "3 days");
}

TEST_CASE("a damaged table is shown as far as it goes, escaped") {
  LiveTaskList live{.title = "p", .running = true, .tasks = {}, .remarks = {}};
  live.tasks = {task(5, "\x1b[31m", "suspended", 1), task(5, "twin", "suspended", 1),
                task(3, "", "?", 1)};
  live.tasks[0].parent = 5;
  live.tasks[0].on = 5;
  live.tasks[2].parent = 9;
  for (const bool tree : {false, true}) {
    const std::string text = live_tasks_text(live, tree, 100);
    CHECK(text.find('\x1b') == text.npos);
    CHECK(text.find("twin") != text.npos);
    CHECK(text.find("\n3 ") != text.npos);
  }
}

TEST_CASE("what has ended says up to when its times go") {
  LiveTaskList live = server();
  live.running = false;
  live.has_utc = true;
  live.until_ns = 1000 * second;
  CHECK(
      live_tasks_text(live, false, 100)
          .starts_with(
              "server (pid 7, running): 2 live tasks, 1 resource; times up to 00:16:40.000 UTC\n"));
}

TEST_CASE("nothing is alive") {
  CHECK(live_tasks_text({.title = "p", .tasks = {}, .remarks = {}}, false, 100) ==
        "p: 0 live tasks\n");
}
