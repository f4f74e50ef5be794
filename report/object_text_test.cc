#include "report/object_text.h"

#include <doctest/doctest.h>

using namespace skein;

TEST_CASE("the class of an awaited object") {
  CHECK(object_type("rt::Mutex::lock()::Awaiter") == "rt::Mutex");
  CHECK(object_type("Queue<void(int)>::pop(int)::Awaiter") == "Queue<void(int)>");
  CHECK(object_type("(anonymous namespace)::Gate::pass()::Awaiter") ==
        "(anonymous namespace)::Gate");
  CHECK(object_type("lib::Mutex::Lock") == "lib::Mutex::Lock");
  CHECK(object_type("rt::SharedLock::Awaiter") == "rt::SharedLock");
  CHECK(object_type("rt::Queue<rt::Job>::Awaiter") == "rt::Queue<rt::Job>");
  CHECK(object_type("rt::Awaiter") == "rt::Awaiter");
  CHECK(object_type("Awaiter") == "Awaiter");
  CHECK(object_type("pass()::Awaiter") == "pass()::Awaiter");
  CHECK(object_type("") == "");
}

TEST_CASE("the function of an awaiter") {
  CHECK(object_function("Queue<void(int)>::pop(int)::Awaiter") == "Queue<void(int)>::pop");
  CHECK(object_function("(anonymous namespace)::Gate::pass()::Awaiter") ==
        "(anonymous namespace)::Gate::pass");
  CHECK(object_function("lib::Mutex::Lock") == "");
}

TEST_CASE("an awaited object") {
  Trace trace;
  AwaitedObjectWait wait{.address = 0xa0};
  CHECK(object_text(trace, wait) == "an object");
  wait.type = trace.strings.intern("rt::Event");
  CHECK(object_text(trace, wait) == "rt::Event 0xa0");
}
