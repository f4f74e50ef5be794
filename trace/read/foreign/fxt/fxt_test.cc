#include "trace/read/foreign/fxt/fxt.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "trace/read/foreign/fxt/writer.h"

using namespace skein;
using fxt::ArgumentType;
using fxt::EventType;
using fxt::Writer;

namespace {

using Bytes = std::vector<uint8_t>;
constexpr uint64_t boot = 5'000'000'000;

template <typename Write>
Bytes written(Write write) {
  Bytes bytes;
  Writer writer([&](std::span<const uint8_t> record) {
    bytes.insert(bytes.end(), record.begin(), record.end());
  });
  write(writer);
  return bytes;
}

// "5 create 1 by 2 value 0 'text'"
std::vector<std::string> said_lines(const Trace& trace) {
  std::vector<std::string> all;
  trace.events.for_each([&](const EventRow& e) {
    std::string line = std::to_string(e.time) + " " + std::string(name(e.kind));
    if (e.task != no_task) line += " " + std::to_string(e.task);
    if (e.other != no_task) line += " by " + std::to_string(e.other);
    if (e.kind == EventKind::Create)
      line += " a " + std::string(trace.strings[trace.kinds[e.value]]);
    else if (e.value != 0)
      line += " value " + std::to_string(static_cast<int64_t>(e.value));
    if (e.text != 0) line += " '" + std::string(trace.strings[e.text]) + "'";
    if (e.location != 0)
      line += " in " + std::string(trace.strings[trace.locations[e.location].function]);
    if (e.executor != 0) line += " on " + std::to_string(e.executor);
    all.push_back(line);
  });
  return all;
}

using Lines = std::vector<std::string>;

constexpr Writer::Thread domain0{70, 1};
constexpr Writer::Thread fiber(uint64_t id) { return {70, id * 4 + 2}; }

void create(Writer& w, uint64_t time, Writer::Thread by, uint64_t id, uint64_t context) {
  w.wakeup(time, 0, id);
  const Writer::Argument arguments[] = {Writer::number("id", id, ArgumentType::Pointer),
                                        Writer::number("cc", context, ArgumentType::Pointer)};
  w.event(EventType::Instant, time, by, "eio", "create-fiber", arguments);
}

void context(Writer& w, uint64_t time, Writer::Thread by, uint64_t id, std::string_view type) {
  const Writer::Argument arguments[] = {Writer::number("id", id, ArgumentType::Pointer),
                                        Writer::string("type", type),
                                        Writer::number("cpu", 0, ArgumentType::Int64)};
  w.event(EventType::DurationBegin, time, by, "eio", "cc", arguments);
}

}  // namespace

TEST_CASE("fibers of eio-trace") {
  const Trace trace = fxt::read(written([](Writer& w) {
    context(w, boot, domain0, 0, "root");
    create(w, boot + 1, domain0, 1, 0);
    w.wakeup(boot + 2, 0, 1);  // repeated when it runs
    context(w, boot + 3, fiber(1), 2, "switch");
    w.user_object(2, fiber(1), "main");
    create(w, boot + 4, fiber(1), 3, 2);
    w.event(EventType::DurationBegin, boot + 5, fiber(3), "eio.suspend", "Stream.take");
    w.wakeup(boot + 6, 0, 1);
    w.event(EventType::DurationBegin, boot + 7, fiber(1), "eio.span", "read");
    w.event(EventType::DurationEnd, boot + 8, fiber(1), "eio.span", "");
    w.event(EventType::DurationBegin, boot + 9, fiber(1), "eio.suspend", "");
    w.event(EventType::DurationBegin, boot + 10, domain0, "eio", "suspend-domain");
    w.event(EventType::DurationEnd, boot + 11, domain0, "eio", "suspend-domain");
    w.wakeup(boot + 12, 0, 3);
    w.event(EventType::DurationEnd, boot + 12, fiber(3), "eio.suspend", "Stream.take");
    w.event(EventType::DurationBegin, boot + 13, domain0, "gc", "minor");
    w.event(EventType::DurationBegin, boot + 14, domain0, "gc", "mark");
    w.event(EventType::DurationEnd, boot + 15, domain0, "gc", "mark");
    w.event(EventType::DurationEnd, boot + 16, domain0, "gc", "minor");
    const Writer::Argument message[] = {Writer::string("message", "hello")};
    w.event(EventType::Instant, boot + 17, fiber(3), "eio", "log", message);
    const Writer::Argument error[] = {Writer::number("id", 2, ArgumentType::Pointer),
                                      Writer::string("message", "Exit")};
    w.event(EventType::Instant, boot + 18, fiber(3), "eio", "error", error);
    const Writer::Argument own_error[] = {Writer::number("id", 3, ArgumentType::Pointer),
                                          Writer::string("message", "Not_found")};
    w.event(EventType::Instant, boot + 19, fiber(3), "eio", "error", own_error);
    const Writer::Argument id[] = {Writer::number("id", 3, ArgumentType::Pointer)};
    w.event(EventType::Instant, boot + 20, fiber(3), "eio", "exit-fiber", id);
    w.wakeup(boot + 21, 0, 1);
    w.event(EventType::DurationEnd, boot + 22, fiber(1), "eio", "cc");
  }));
  CHECK(trace.info.format == "FXT of eio-trace");
  CHECK(trace.processes[0].pid == 70);
  CHECK(trace.info.start == boot);
  CHECK(trace.losses.empty());
  CHECK(said_lines(trace) == Lines{"1 create 1 a fiber",
                             "1 resume 1",
                             "3 scope_enter 1 by 2 'switch'",
                             "3 label 2 'main'",
                             "4 create 3 by 1 a fiber",
                             "4 scope_member 3 by 2",
                             "4 resume 3",
                             "5 suspend 3 in Stream.take",
                             "6 switch_to 1",
                             "7 span_begin 1 value 1 'read'",
                             "8 span_end 1 value 1",
                             "9 suspend 1",
                             "10 idle",
                             "11 wake",
                             "12 resume 3",
                             "16 pause value 3 'minor'",
                             "17 label 3 'hello'",
                             "18 scope_cancel 3 by 2 'Exit'",
                             "18 label 2 'Exit'",
                             "20 fail 3 by 3 'Not_found'",
                             "21 resume 1",
                             "22 scope_exit 1 by 2"});
}

TEST_CASE("domains of eio-trace are executors, and a spawned domain is a child") {
  const Trace trace = fxt::read(written([](Writer& w) {
    const Writer::Thread domain2{70, 2 * 4 + 1};
    context(w, boot, domain0, 0, "root");
    create(w, boot, domain0, 1, 0);
    const Writer::Argument parent[] = {Writer::number("parent", 1, ArgumentType::Pointer)};
    w.event(EventType::Instant, boot + 1, domain2, "eio", "domain-spawn", parent);
    const Writer::Argument root[] = {Writer::number("id", 5, ArgumentType::Pointer),
                                     Writer::string("type", "root"),
                                     Writer::number("cpu", 2, ArgumentType::Int64)};
    w.event(EventType::DurationBegin, boot + 2, domain2, "eio", "cc", root);
    const Writer::Argument fiber6[] = {Writer::number("id", 6, ArgumentType::Pointer),
                                       Writer::number("cc", 5, ArgumentType::Pointer)};
    w.event(EventType::Instant, boot + 3, domain2, "eio", "create-fiber", fiber6);
    w.wakeup(boot + 4, 2, 6);
    w.event(EventType::Instant, boot + 5, domain2, "ocaml", "domain-terminate");
  }));
  REQUIRE(trace.executors.size() == 2);
  CHECK(trace.strings[trace.executors[1].name] == "domain 2");
  CHECK(said_lines(trace) == Lines{"0 create 1 a fiber", "0 resume 1", "1 executor_begin 'domain 2' on 1",
                             "3 create 6 by 1 a fiber on 1", "4 resume 6 on 1",
                             "5 executor_end on 1"});
}

TEST_CASE("threads and slices of any other writer, sorted by time") {
  const Writer::Thread main{7, 100};
  const Writer::Thread worker{7, 101};
  const Trace trace = fxt::read(written([&](Writer& w) {
    w.ticks_per_second(1'000'000);  // one tick per microsecond
    w.kernel_object(fxt::process_object, 7, "server");
    w.kernel_object(fxt::thread_object, 100, "main");
    // Recorded when they end: the inner slice comes first.
    w.event(EventType::DurationComplete, 12, main, "c", "inner", {}, 14);
    w.event(EventType::DurationComplete, 12, main, "c", "outer", {}, 20);
    w.event(EventType::DurationBegin, 10, worker, "c", "work");
    w.event(EventType::FlowBegin, 13, main, "c", "request", {}, 77);
    w.event(EventType::FlowEnd, 15, worker, "c", "request", {}, 77);
    w.event(EventType::DurationEnd, 16, worker, "c", "work");
    w.event(EventType::AsyncBegin, 17, main, "c", "query", {}, 3);
    w.event(EventType::AsyncBegin, 18, main, "c", "parse", {}, 3);
    w.event(EventType::AsyncInstant, 18, main, "c", "half", {}, 3);
    w.event(EventType::AsyncEnd, 19, main, "c", "parse", {}, 3);
    w.event(EventType::AsyncEnd, 20, main, "c", "query", {}, 3);
    const Writer::Argument series[] = {Writer::number("value", 5, ArgumentType::Int32),
                                       Writer::number("max", 9)};
    w.event(EventType::Counter, 21, main, "c", "queue", series, 2);
    w.event(EventType::Instant, 22, main, "c", "vsync");
    w.log(23, worker, "bye");
    w.event(EventType::DurationEnd, 24, worker, "c", "nothing");
  }));
  CHECK(trace.info.format == "FXT");
  CHECK(trace.executors[0].name == 0);  // it has only a number
  CHECK(trace.executors[0].tid == 101);
  CHECK(trace.strings[trace.executors[1].name] == "server: main");
  const std::string first = std::to_string(uint64_t{1} << 32);
  const std::string second = std::to_string((uint64_t{1} << 32) + 1);
  CHECK(said_lines(trace) == Lines{"0 create 1 a thread 'thread 101'",
                             "0 label 1 'thread 101'",
                             "0 resume 1",
                             "0 span_begin 1 value " + first + " 'work'",
                             "2000 create 2 a thread 'server: main' on 1",
                             "2000 label 2 'server: main' on 1",
                             "2000 resume 2 on 1",
                             "2000 span_begin 2 value 4 'outer' on 1",
                             "2000 span_begin 2 value 3 'inner' on 1",
                             "3000 send 2 value 1 on 1",
                             "4000 span_end 2 value 3 on 1",
                             "5000 receive 1 value 1",
                             "6000 span_end 1 value " + first,
                             "6000 suspend 1",
                             "7000 create 3 by 2 a async 'query' on 1",
                             "8000 span_begin 3 value " + second + " 'parse' on 1",
                             "8000 label 3 'half' on 1",
                             "9000 span_end 3 value " + second + " on 1",
                             "10000 span_end 2 value 4 on 1",
                             "10000 suspend 2 on 1",
                             "10000 resolve 3 by 2 on 1",
                             "11000 counter_set value 5 'queue#2' on 1",
                             "11000 counter_set value 9 'queue max#2' on 1",
                             "12000 label 2 'vsync' on 1",
                             "13000 label 1 'bye'"});
  REQUIRE(trace.losses.size() == 1);
  CHECK(trace.losses[0].what == "slice ends without a begin in the trace: 1");
}

TEST_CASE("context switches put threads on CPUs") {
  const Trace trace = fxt::read(written([](Writer& w) {
    w.context_switch(boot, 3, 0, 1, 100);
    const Writer::Argument waker[] = {Writer::number("waker", 100, ArgumentType::Koid)};
    w.wakeup(boot + 1, 3, 101, waker);
    w.context_switch(boot + 2, 3, 100, 3, 101);
    w.event(EventType::DurationBegin, boot + 3, {7, 101}, "c", "work");
    w.context_switch(boot + 4, 3, 101, 5, 0);
  }));
  CHECK(trace.executors.size() == 1);
  CHECK(trace.strings[trace.executors[0].name] == "CPU 3");
  CHECK(trace.executors[0].process == no_process);
  const std::string number = std::to_string(uint64_t{1} << 32);
  CHECK(said_lines(trace) == Lines{"0 create 1 a thread 'thread 100'", "0 label 1 'thread 100'",
                             "0 resume 1", "1 create 2 a thread 'thread 101'",
                             "1 label 2 'thread 101'", "2 suspend 1", "2 resume 2 by 1",
                             "3 span_begin 2 value " + number + " 'work'", "4 resolve 2 by 2",
                             "4 idle"});
}

namespace {

constexpr size_t labels = 100;
Bytes many_labels(std::vector<size_t>& at) {
  Bytes bytes;
  Writer writer([&](std::span<const uint8_t> record) {
    if ((record[0] & 15) == 4) at.push_back(bytes.size());
    bytes.insert(bytes.end(), record.begin(), record.end());
  });
  for (size_t i = 0; i < labels; i++)
    writer.event(EventType::Instant, boot + i, {1, 2}, "c", "label " + std::to_string(i));
  return bytes;
}

size_t count(const Trace& trace, EventKind kind) {
  return static_cast<size_t>(count_kinds(trace.events)[static_cast<size_t>(kind)]);
}

}  // namespace

TEST_CASE("a file truncated anywhere yields its complete records and reports the losses") {
  std::vector<size_t> at;
  const Bytes bytes = many_labels(at);
  for (size_t size = 8; size < bytes.size(); size++) {
    const Trace trace = fxt::read(std::span(bytes).first(size));
    size_t whole = 0;
    while (whole < at.size() && at[whole] + 16 <= size) whole++;
    // One more label: the thread's name.
    REQUIRE(count(trace, EventKind::Label) == whole + (whole > 0));
    uint64_t lost = 0;
    for (const Loss& loss : trace.losses) lost += loss.bytes.value_or(0);
    REQUIRE(lost == size % 8 + (size / 8 * 8 -
                                (trace.losses.empty() ? size / 8 * 8 : trace.losses[0].offset)));
  }
}

TEST_CASE("a damaged byte costs at most a few records, and is reported") {
  std::vector<size_t> at;
  const Bytes bytes = many_labels(at);
  for (size_t damaged = 0; damaged < bytes.size(); damaged++) {
    Bytes copy = bytes;
    copy[damaged] ^= 0xff;
    const Trace trace = fxt::read(copy);
    const size_t read = count(trace, EventKind::Label) + count(trace, EventKind::Create);
    INFO("byte ", damaged);
    REQUIRE(read >= labels - 4);
  }
}

TEST_CASE("missing or extra bytes in the middle are skipped") {
  std::vector<size_t> at;
  const Bytes bytes = many_labels(at);
  const size_t middle = at[labels / 2];
  for (const size_t gap : std::initializer_list<size_t>{1, 3, 7, 8, 12, 40, 333}) {
    Bytes without = bytes;
    without.erase(without.begin() + static_cast<ptrdiff_t>(middle),
                  without.begin() + static_cast<ptrdiff_t>(middle + gap));
    Bytes with = bytes;
    with.insert(with.begin() + static_cast<ptrdiff_t>(middle), gap, 0);
    INFO("gap ", gap);
    const Trace cut = fxt::read(without);
    CHECK(count(cut, EventKind::Label) >= labels - 3 - gap / 16);
    if (gap % 8 != 0) CHECK_FALSE(cut.losses.empty());
    const Trace padded = fxt::read(with);
    CHECK(count(padded, EventKind::Label) >= labels);
    REQUIRE(padded.losses.size() == 1);
    CHECK(padded.losses[0].what == "damaged records");
    CHECK(padded.losses[0].offset == middle);
    CHECK(padded.losses[0].bytes == gap);
  }
}

TEST_CASE("undefined strings are replaced and reported once") {
  const Trace trace = fxt::read(written([](Writer& w) {
    w.words({4 | 4 << 4 | uint64_t{9} << 48, boot, 1, 2});
    w.words({4 | 4 << 4 | uint64_t{9} << 48, boot + 1, 1, 2});
  }));
  CHECK(said_lines(trace).back() == "1 label 1 '(lost text 9)'");
  REQUIRE(trace.losses.size() == 1);
  CHECK(trace.losses[0].what == "a string that later records refer to is missing");
}

TEST_CASE("blobs and records of unknown types are counted and skipped") {
  const Trace trace = fxt::read(written([](Writer& w) {
    w.words({12 | 2 << 4, 5});
    w.words({5 | 2 << 4 | uint64_t{8} << 32, 5});
    w.words({5 | 2 << 4 | uint64_t{8} << 32, 6});
    w.event(EventType::Instant, boot, {1, 2}, "c", "still here");
  }));
  CHECK(said_lines(trace).back() == "0 label 1 'still here'");
  REQUIRE(trace.losses.size() == 2);
  CHECK(trace.losses[0].what == "blobs, which skein ignores: 2");
  CHECK(trace.losses[1].what == "records of an unknown type: 1");
}

TEST_CASE("an archive's providers have separate tables") {
  const Trace trace = fxt::read(written([](Writer& w) {
    w.provider(1, "one");
    w.event(EventType::Instant, boot, {1, 2}, "c", "first");
    w.provider(2, "two");
    w.event(EventType::Instant, boot + 1, {1, 2}, "c", "second");
    w.words({0 | 1 << 4 | 2 << 16 | 1 << 20});  // back to provider 1
    w.words({4 | 2 << 4 | uint64_t{1} << 24 | uint64_t{2} << 48, boot + 2});
  }));
  CHECK(trace.losses.empty());
  CHECK(said_lines(trace) == Lines{"0 create 1 a thread 'thread 2'", "0 label 1 'thread 2'",
                             "0 label 1 'first'", "1 label 1 'second'", "2 label 1 'first'"});
}

TEST_CASE("flows with the same id are distinguished by category and name") {
  const Trace trace = fxt::read(written([](Writer& w) {
    w.event(EventType::FlowBegin, boot, {1, 1}, "c1", "f", {}, 9);
    w.event(EventType::FlowBegin, boot + 1, {1, 2}, "c2", "f", {}, 9);
    w.event(EventType::FlowEnd, boot + 2, {1, 3}, "c1", "f", {}, 9);
    w.event(EventType::FlowEnd, boot + 3, {1, 4}, "c2", "f", {}, 9);
  }));
  CHECK(trace.losses.empty());
  Lines messages;
  for (const std::string& line : said_lines(trace))
    if (line.find("send") < 10 || line.find("receive") < 10) messages.push_back(line);
  CHECK(messages == Lines{"0 send 1 value 1", "1 send 2 value 2 on 1", "2 receive 3 value 1 on 2",
                          "3 receive 4 value 2 on 3"});
}

TEST_CASE("processes with equal names stay distinct") {
  const Trace trace = fxt::read(written([](Writer& w) {
    w.kernel_object(fxt::process_object, 2, "db");
    const Writer::Argument value[] = {Writer::number("value", 5)};
    w.event(EventType::Counter, boot, {1, 7}, "c", "mem", value);
    w.event(EventType::Counter, boot + 1, {2, 7}, "c", "mem", value);
    w.event(EventType::Counter, boot + 2, {2, 7}, "c", "only", value);
  }));
  CHECK(said_lines(trace) == Lines{"0 counter_set value 5 'mem (pid 1)'",
                             "1 counter_set value 5 'mem (db)' on 1",
                             "2 counter_set value 5 'only' on 1"});
  CHECK(trace.strings[trace.executors[0].name] == "pid 1: thread 7");
  CHECK(trace.strings[trace.executors[1].name] == "db: thread 7");
  CHECK(trace.processes == std::vector<Process>{{.pid = 1, .name = ""}, {.pid = 2, .name = "db"}});
  CHECK(trace.executors[0].process == 0);
  CHECK(trace.executors[1].process == 1);
}

TEST_CASE("an event of category skein that skein did not write is a foreign event") {
  const auto foreign = [](Writer& w) {
    w.event(EventType::Instant, boot, {1, 1}, "skein", "mine");
  };
  const Trace alone = fxt::read(written(foreign));
  CHECK(said_lines(alone).back() == "0 label 1 'mine'");
  CHECK(alone.losses.empty());
  size_t at = 0;
  const Trace both = fxt::read(written([&](Writer& w) {
    const Writer::Argument label[] = {Writer::string("event", "label"), Writer::number("task", 1),
                                      Writer::string("text", "ours")};
    w.event(EventType::Instant, boot, {1, 1}, "skein", "x", label);
    w.event(EventType::Instant, boot, {1, 1}, "skein.view", "x");
    foreign(w);
    at = 1;
  }));
  CHECK(said_lines(both) == Lines{"0 label 1 'ours'"});
  REQUIRE(both.losses.size() == 1);
  CHECK(both.losses[0].what == "events added by other tools: 1");
  CHECK(both.losses[0].offset > at);
}

TEST_CASE("a skein export is read correctly if its events were reordered") {
  const Trace trace = fxt::read(written([](Writer& w) {
    for (const uint64_t time : {boot + 2, boot + 1}) {
      const Writer::Argument label[] = {Writer::string("event", "label"),
                                        Writer::number("task", time - boot)};
      w.event(EventType::Instant, time, {1, 1}, "skein", "x", label);
    }
  }));
  CHECK(said_lines(trace) == Lines{"0 label 1", "1 label 2"});
  CHECK(trace.info.start == boot + 1);
  CHECK(trace.losses.empty());
}

TEST_CASE("a skein export has the threads that it mentions, whatever their numbers") {
  const Trace trace = fxt::read(written([](Writer& w) {
    for (const uint64_t thread : {uint64_t{60'000}, uint64_t{1}, UINT64_MAX, uint64_t{60'000}}) {
      const Writer::Argument label[] = {Writer::string("event", "label"),
                                        Writer::number("task", 1)};
      w.event(EventType::Instant, boot, {1, thread}, "skein", "x", label);
    }
  }));
  REQUIRE(trace.events.size() == 4);
  CHECK(trace.executors.size() == 3);
  CHECK(trace.events.row(0).executor == trace.events.row(3).executor);
  CHECK(trace.events.row(0).executor != trace.events.row(1).executor);
  CHECK(trace.events.row(1).executor != trace.events.row(2).executor);
}

TEST_CASE("arguments and objects that are skipped are counted") {
  const Trace trace = fxt::read(written([](Writer& w) {
    const Writer::Argument text[] = {Writer::string("a", "x")};
    w.event(EventType::Instant, boot, {1, 1}, "c", "x", text);
    w.event(EventType::Counter, boot, {1, 1}, "c", "q", text);
    w.user_object(5, {1, 1}, "main");
  }));
  Lines lost;
  for (const Loss& loss : trace.losses) lost.push_back(loss.what);
  CHECK(lost == Lines{"counter values omitted, not numbers: 1",
                      "object names, which skein ignores: 1",
                      "events with arguments, which skein ignores: 1"});
}

TEST_CASE("a time that is out of range does not become the largest time") {
  const Trace trace = fxt::read(written([](Writer& w) {
    w.event(EventType::DurationComplete, boot, {1, 2}, "c", "a", {}, boot - 1);
    for (const uint64_t late : {5u, 50u})
      w.event(EventType::Instant, (uint64_t{1} << 63) + late, {1, 2}, "c", "late");
  }));
  CHECK(trace.events.time[trace.events.size() - 1] == 0);
  REQUIRE(trace.losses.size() == 3);
  CHECK(trace.losses[0].what == "slice end damaged");
  CHECK(trace.losses[1].what == "event time damaged");
  CHECK(trace.losses[2].what == "event time damaged");
  const Trace late = fxt::read(written([](Writer& w) {
    w.event(EventType::Instant, (uint64_t{1} << 63) + 5, {1, 2}, "c", "late");
  }));
  CHECK(late.losses.size() == 1);
}

TEST_CASE("a time that is years off is replaced by its predecessor") {
  const Trace trace = fxt::read(written([](Writer& w) {
    w.event(EventType::Instant, boot, {1, 2}, "c", "a");
    w.event(EventType::Instant, uint64_t{1} << 60, {1, 2}, "c", "b");
    w.event(EventType::Instant, boot + 1, {1, 2}, "c", "c");
  }));
  CHECK(said_lines(trace).back() == "1 label 1 'c'");
  REQUIRE(trace.losses.size() == 1);
  CHECK(trace.losses[0].what == "event time damaged");
}
