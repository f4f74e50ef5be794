#include "trace/model/names.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("a task is named by its label, else its name, its function or its kind") {
  Trace trace;
  trace.kinds = {trace.strings.intern("coroutine"), trace.strings.intern("condition"),
                 trace.strings.intern("unknown")};
  trace.locations.push_back({.file = trace.strings.intern("/src/net.cc"),
                             .function = trace.strings.intern("void net::session(int)"),
                             .line = 7});
  Model::Task task;
  task.id = 5;
  task.kind = 2;
  CHECK(task_title(trace, task) == "#5");
  task.kind = 0;
  CHECK(task_title(trace, task) == "coroutine (#5)");
  task.location = 1;
  CHECK(task_title(trace, task) == "net::session (#5)");
  task.name = trace.strings.intern("socket.async_send");
  CHECK(task_title(trace, task) == "socket.async_send (#5)");
  task.label = trace.strings.intern("request 17");
  CHECK(task_title(trace, task) == "request 17 (#5)");
  task.is_resource = true;
  task.kind = 1;
  CHECK(task_title(trace, task) == "condition request 17 (#5)");
  CHECK(kind_name(trace, 2) == "");
  CHECK(kind_name(trace, UINT32_MAX) == "");
}

TEST_CASE("a location is function, file and line; a long function loses its namespaces") {
  Trace trace;
  const auto add = [&](std::string_view function) {
    trace.locations.push_back({.file = trace.strings.intern("/src/net.cc"),
                               .function = trace.strings.intern(function),
                               .line = 7});
    return static_cast<uint32_t>(trace.locations.size() - 1);
  };
  CHECK(location_text(trace, 0) == "");
  CHECK(location_text(trace, add("void net::session(int)")) == "net::session net.cc:7");
  CHECK(location_text(trace, add("void boost::asio::detail::co_spawn_entry_point(int)")) ==
        "co_spawn_entry_point net.cc:7");
  CHECK(location_text(trace, add("")) == "net.cc:7");
}

TEST_CASE("an executor is named by its name and thread id") {
  Trace trace;
  trace.executors = {{.name = trace.strings.intern("main"), .tid = 7},
                     {.name = trace.strings.intern("CPU 1")},
                     {.tid = 9},
                     {}};
  CHECK(executor_title(trace, 0) == "main/7");
  CHECK(executor_name(trace, 0) == "main");
  CHECK(executor_title(trace, 1) == "CPU 1");
  CHECK(executor_title(trace, 2) == "thread 9");
  CHECK(executor_name(trace, 2) == "thread 9");
  CHECK(executor_title(trace, 3) == "executor 3");
  CHECK(executor_title(trace, 4) == "executor 4");
}
