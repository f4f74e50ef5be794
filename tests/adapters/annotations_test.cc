// The events that record.h, task.h, counter.h and sync.h record. Compiled with
// -include skein/coroutine.h, because the primitives name the targets of the waits of coroutines
// that use them.
#include <doctest/doctest.h>
#include <skein/record.h>
#include <skein/sync.h>

#include <string>
#include <vector>

#include "examples/task.h"
#include "tests/adapters/fake_recorder.h"

using Words = std::vector<std::string>;

namespace {
// Returns the calls that begin with one of these words.
Words only(const std::vector<std::string>& verbs) {
  Words result;
  for (const std::string& w : fake::words())
    for (const std::string& verb : verbs)
      if (w.rfind(verb, 0) == 0) result.push_back(w);
  return result;
}
}  // namespace

TEST_CASE("labels, counters and spans look up a literal's id once") {
  fake::reset();
  for (int i = 0; i < 2; ++i) {
    SKEIN_LABEL("a label");
    SKEIN_COUNT("bytes", 5);
    SKEIN_GAUGE("length", -1);
    SKEIN_SPAN("parse");
  }
  CHECK(fake::words() == Words{"string a label", "label 0 40", "string bytes", "add 40 5",
                               "string length", "set 40 -1", "string parse", "span 40",
                               "span_end 77", "label 0 40", "add 40 5", "set 40 -1", "span 40",
                               "span_end 77"});
  fake::reset(false);
  SKEIN_LABEL("not now");
  skein::label("nor this");
  skein::should_resolve();
  CHECK(fake::words().empty());
}

TEST_CASE("the rest of record.h") {
  fake::reset();
  skein::label(std::string("made up"));
  skein::should_resolve();
  skein::pause(1, 500);
  skein::send(9, 2);
  skein::receive(9);
  static skein::counter counter("named");
  counter.add(3);
  counter.set(4);
  CHECK(fake::words() == Words{"label 0 made up", "should_resolve 0", "pause 1 500", "send 9 2",
                               "receive 9 0", "string named", "add 40 3", "set 40 4"});
}

TEST_CASE("counters whose names found no room are not one counter") {
  fake::reset();
  SKEIN_COUNT("no room", 5);
  SKEIN_GAUGE("no room", 6);
  static skein::counter counter("no room");
  counter.add(3);
  counter.set(4);
  CHECK(fake::words() == Words{"string no room", "string no room", "string no room"});
  SKEIN_COUNT("room", 7);
  CHECK(fake::words() ==
        Words{"string no room", "string no room", "string no room", "string room", "add 40 7"});
}

TEST_CASE("tasks that the program defines") {
  fake::reset();
  {
    skein::task request("request");
    const unsigned line = __LINE__ - 1;
    {
      skein::running now(request);
      CHECK(skein_current() == request.id());
    }
    skein::task second("second");
    {
      skein::running outer(request);
      skein::running inner(second);
      second.resolve();
      CHECK(skein_current() == request.id());
    }
    request.fail("no answer");
    skein::task dropped("dropped");
    CHECK(fake::call("create 1 under 0 kind 14 request").line == line);
  }
  CHECK(fake::words() == Words{"create 1 under 0 kind 14 request", "resume 1",
                               "suspend 1 on 0 previous 0", "create 2 under 0 kind 14 second",
                               "resume 1", "resume 2", "resolve 2 previous 1",
                               "suspend 1 on 0 previous 0", "fail 1 no answer previous 0",
                               "create 3 under 0 kind 14 dropped", "cancel 3"});
}

TEST_CASE("condition: a notification before the wait is lost, and is recorded") {
  fake::reset();
  skein::condition answer("answer");
  auto waits = [&]() -> task<int> {
    co_await answer.wait();
    co_return 1;
  };
  answer.notify_one();
  const unsigned line = __LINE__ - 1;
  task<int> late = waits();
  late.start();
  CHECK(!late.done());
  CHECK(answer.waiting() == 1);
  task<int> second = waits();
  second.start();
  answer.notify_all();
  CHECK(late.result() + second.result() == 2);
  CHECK(only({"resource", "notify", "suspend"}) ==
        Words{"resource 1 under 0 kind 34 answer capacity 0", "notify 1 woken 0",
              "suspend 2 on 1 previous 0", "suspend 3 on 1 previous 0", "notify 1 woken 2"});
  CHECK(fake::call("notify 1 woken 0").line == line);
  CHECK(fake::call("notify 1 woken 0").file == __FILE__);
  CHECK(fake::call("notify 1 woken 2").line == line + 8);
}

TEST_CASE("a notification has the location of the program's call") {
  const auto line_of = [](const std::string& what) { return fake::call(what).line; };
  fake::reset();
  skein::semaphore seats("seats", 0);
  seats.release();
  CHECK(line_of("notify 1 woken 0") == __LINE__ - 1);

  fake::reset();
  skein::mutex door("door");
  int lock_line = 0;
  auto enters = [&]() -> task<int> {
    lock_line = __LINE__ + 1;
    auto held = co_await door.lock();
    co_return 1;
  };
  task<int> entering = enters();
  entering.start();
  CHECK(entering.result() == 1);
  CHECK(line_of("notify 1 woken 0") == 0);  // by the guard
  CHECK(line_of("acquire 1 by 0") == lock_line);

  fake::reset();
  skein::channel<int> jobs("jobs", 1);
  const unsigned sends = __LINE__ + 2;
  auto produce = [&]() -> task<int> {
    for (int i = 0; i < 2; ++i) co_await jobs.send(i);
    co_return 1;
  };
  auto consume = [&]() -> task<int> { co_return (co_await jobs.receive()).value_or(7); };
  const unsigned receives = __LINE__ - 1;
  task<int> producer = produce();
  producer.start();
  task<int> consumer = consume();
  consumer.start();  // which makes room for the second value
  jobs.close();
  CHECK(consumer.result() == 0);
  CHECK(producer.done());
  std::vector<unsigned> lines;
  for (const fake::Call& call : fake::calls())
    if (call.what.rfind("notify", 0) == 0) lines.push_back(call.line);
  CHECK(lines == std::vector<unsigned>{sends, receives, receives + 6});
}

TEST_CASE("condition: a woken task that waits again waits for the next notification") {
  fake::reset();
  skein::condition tick("tick");
  auto counts = [&]() -> task<int> {
    for (int i = 0; i < 3; ++i) co_await tick.wait();
    co_return 3;
  };
  task<int> counting = counts();
  counting.start();
  tick.notify_all();
  tick.notify_all();
  CHECK(!counting.done());
  tick.notify_all();
  CHECK(counting.result() == 3);
}

TEST_CASE("mutex: held across a wait, passed to the next waiter in order") {
  fake::reset();
  skein::condition step("step");
  std::string order;
  {
    skein::mutex door("door");
    auto enters = [&](char name) -> task<int> {
      auto held = co_await door.lock();
      order += name;
      co_await step.wait();
      order += name;
      co_return 0;
    };
    std::vector<task<int>> all;
    for (char name : {'a', 'b', 'c'}) {
      all.push_back(enters(name));
      all.back().start();
    }
    CHECK(door.waiting() == 2);
    for (int i = 0; i < 3; ++i) step.notify_one();
    for (task<int>& t : all) CHECK(t.done());
  }
  CHECK(order == "aabbcc");
  CHECK(only({"acquire 2", "release 2", "notify 2", "suspend 4", "end 2"}) ==
        Words{"acquire 2 by 0", "suspend 4 on 2 previous 0", "release 2 by 0", "notify 2 woken 1",
              "acquire 2 by 0", "suspend 4 on 1 previous 3", "release 2 by 0", "notify 2 woken 1",
              "acquire 2 by 0", "release 2 by 0", "notify 2 woken 0", "end 2"});
}

TEST_CASE("semaphore: admits as many holders as permits") {
  fake::reset();
  skein::semaphore seats("seats", 2);
  auto sits = [&]() -> task<int> {
    co_await seats.acquire();
    co_return 1;
  };
  std::vector<task<int>> guests;
  for (int i = 0; i < 3; ++i) {
    guests.push_back(sits());
    guests.back().start();
  }
  CHECK(guests[1].done());
  CHECK(!guests[2].done());
  CHECK(!seats.try_acquire());
  seats.release();
  CHECK(guests[2].done());
  seats.release();
  CHECK(seats.try_acquire());
  CHECK(only({"resource"}) == Words{"resource 1 under 0 kind 33 seats capacity 2"});
}

TEST_CASE("channel: values in order, senders wait when it is full, close ends it") {
  fake::reset();
  skein::channel<int> numbers("numbers", 2);
  auto produce = [&]() -> task<int> {
    int sent = 0;
    for (int i = 1; i <= 5; ++i) sent += (co_await numbers.send(i)) ? 1 : 0;
    numbers.close();
    sent += (co_await numbers.send(9)) ? 1 : 0;
    co_return sent;
  };
  auto consume = [&]() -> task<int> {
    int text = 0;
    while (auto n = co_await numbers.receive()) text = text * 10 + *n;
    co_return text;
  };
  task<int> producer = produce();
  producer.start();
  CHECK(!producer.done());
  CHECK(numbers.size() == 2);
  task<int> consumer = consume();
  consumer.start();
  CHECK(producer.result() == 5);
  CHECK(consumer.result() == 12345);
  skein::channel<int> empty("empty", 1);
  auto waits = [&]() -> task<int> { co_return (co_await empty.receive()).has_value() ? 1 : 0; };
  task<int> waiting = waits();
  waiting.start();
  empty.close();
  CHECK(waiting.result() == 0);
  CHECK(fake::call("suspend 2 on 1 previous 0").line != 0);  // the third value did not fit
  CHECK(only({"resource"}) == Words{"resource 1 under 0 kind 35 numbers capacity 2",
                                    "resource 4 under 0 kind 35 empty capacity 1"});
}

TEST_CASE("channel: destroys values that were not received") {
  static int alive;
  struct counted {
    counted() { ++alive; }
    counted(counted&&) noexcept { ++alive; }
    counted(const counted&) = delete;
    counted& operator=(counted&&) noexcept { return *this; }
    ~counted() { --alive; }
  };
  alive = 0;
  {
    skein::channel<counted> left("left", 3);
    auto f = [&]() -> task<int> {
      for (int i = 0; i < 3; ++i) co_await left.send({});
      co_return (co_await left.receive()).has_value() ? 1 : 0;
    };
    task<int> both = f();
    both.start();
    CHECK(both.result() == 1);
    CHECK(left.size() == 2);
    CHECK(alive == 2);
  }
  CHECK(alive == 0);
}
