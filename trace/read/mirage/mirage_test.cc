#include "trace/read/mirage/mirage.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "trace/read/mirage/writer.h"

using namespace skein;
using mirage::Op;

namespace {

using Bytes = std::vector<uint8_t>;

constexpr uint64_t boot_ns = 5'000'000'000;

// Returns the bytes of a trace that `write` creates.
template <typename Write>
Bytes written(size_t packet_size, Write write, uint16_t first_count = 0) {
  Bytes bytes;
  mirage::Writer writer(
      packet_size,
      [&](std::span<const uint8_t> packet) {
        bytes.insert(bytes.end(), packet.begin(), packet.end());
      },
      first_count);
  write(writer);
  writer.finish();
  return bytes;
}

// `count` events with times boot_ns, boot_ns + 10, ...: a label with its number on each task.
Bytes label_trace(size_t count, size_t packet_size = 512, uint16_t first_count = 0) {
  return written(
      packet_size,
      [&](mirage::Writer& writer) {
        for (size_t i = 0; i < count; i++)
          writer.label(boot_ns + 10 * i, i, "label " + std::to_string(i));
      },
      first_count);
}

std::string text(const Trace& trace, size_t event) {
  return std::string(trace.strings[trace.events.text[event]]);
}

uint64_t events_lost(const Trace& trace) {
  uint64_t sum = 0;
  for (const Loss& loss : trace.losses) sum += loss.events.value_or(1);
  return sum;
}

// Checks that the events are correct and in order, and that `missing` of `count` are absent.
void check_labels(const Trace& trace, size_t count, size_t missing) {
  CHECK(trace.events.size() == count - missing);
  for (size_t i = 0; i < trace.events.size(); i++) {
    REQUIRE(text(trace, i) == "label " + std::to_string(trace.events.task[i]));
    if (i > 0) REQUIRE(trace.events.task[i - 1] < trace.events.task[i]);
  }
}

}  // namespace

TEST_CASE("every op becomes its event") {
  const uint64_t nobody = no_task;
  const Bytes bytes = written(4096, [&](mirage::Writer& w) {
    w.creates(boot_ns, nobody, 7, 2);
    w.read(boot_ns + 1, 7, 6);
    w.fulfills(boot_ns + 2, 7, 5);
    w.fails(boot_ns + 3, 7, 4, "Not_found");
    w.becomes(boot_ns + 4, 3, 2);
    w.label(boot_ns + 5, 7, "hello");
    w.increase(boot_ns + 6, 7, -3, "queue");
    w.switches(boot_ns + 7, 7);
    w.switches(boot_ns + 8, nobody);
    w.gc(boot_ns + 9, 1234);
    w.pair(boot_ns + 10, Op::Signal, 7, 6);
    w.try_read(boot_ns + 11, 7, 6);
    w.counter(boot_ns + 12, 7, 99, "queue");
    w.pair(boot_ns + 13, Op::ReadLater, 7, 6);
    w.pair(boot_ns + 14, Op::SignalLater, 7, 6);
    w.label(boot_ns + 15, 7, "__should_resolve");
    w.creates(boot_ns + 16, 7, 8, 200);
  });
  const Trace trace = mirage::read(bytes);
  const auto& e = trace.events;
  const auto is = [&](size_t i, EventKind kind, TaskId task, TaskId other, uint64_t value = 0,
                      std::string_view string = "", uint8_t flags = 0) {
    INFO("event ", i);
    CHECK(e.time[i] == i);
    CHECK(name(e.kind[i]) == name(kind));
    CHECK(e.task[i] == task);
    CHECK(e.other[i] == other);
    CHECK(e.value[i] == value);
    CHECK(text(trace, i) == string);
    CHECK(e.flags[i] == flags);
  };
  REQUIRE(e.size() == 17);
  is(0, EventKind::Create, 7, nobody, 2);
  is(1, EventKind::Ready, 7, 6, 0, "", flag::makes_current);
  is(2, EventKind::Resolve, 5, 7);
  is(3, EventKind::Fail, 4, 7, 0, "Not_found");
  is(4, EventKind::Become, 3, 2);
  is(5, EventKind::Label, 7, nobody, 0, "hello");
  is(6, EventKind::CounterAdd, 7, nobody, static_cast<uint64_t>(-3), "queue");
  is(7, EventKind::SwitchTo, 7, nobody);
  is(8, EventKind::Idle, nobody, nobody);
  is(9, EventKind::Pause, nobody, nobody, 1234, "gc");
  is(10, EventKind::Notify, 7, 6, unknown_value, "", flag::makes_current);
  is(11, EventKind::TryRead, 7, 6);
  is(12, EventKind::CounterSet, 7, nobody, 99, "queue");
  is(13, EventKind::Ready, 7, 6);
  is(14, EventKind::Notify, 7, 6, unknown_value);
  is(15, EventKind::ShouldResolve, 7, nobody);
  CHECK(trace.strings[trace.kinds[e.value[0]]] == "bind");
  CHECK(trace.strings[trace.kinds[e.value[16]]] == "unknown");
  CHECK(trace.losses.empty());
  CHECK(trace.info.format == "mirage-profile");
  CHECK(trace.info.packets == 4);
  CHECK(trace.info.start == boot_ns);
  CHECK_FALSE(trace.info.utc_offset);
  using Kinds = std::vector<std::pair<std::string, uint64_t>>;
  CHECK(trace.info.wire_kinds == Kinds{{"creates", 2},
                                       {"read", 1},
                                       {"fulfills", 1},
                                       {"fails", 1},
                                       {"becomes", 1},
                                       {"label", 2},
                                       {"increase", 1},
                                       {"switch", 2},
                                       {"gc", 1},
                                       {"signal", 2},
                                       {"try_read", 1},
                                       {"counter", 1},
                                       {"read_later", 1}});
}

TEST_CASE("a clock that counts from 1970 gives UTC") {
  const uint64_t now = 1'700'000'000'000'000'000;
  const Trace trace = mirage::read(written(512, [&](auto& w) {
    w.label(now, 1, "a");
    w.label(now + 5, 1, "b");
  }));
  CHECK(trace.info.start == now);
  CHECK(trace.info.utc_offset == 0);
}

TEST_CASE("events of many packets keep their order") {
  const Trace trace = mirage::read(label_trace(1000));
  check_labels(trace, 1000, 0);
  CHECK(trace.losses.empty());
}

TEST_CASE("packets of any size") {
  for (size_t size : std::initializer_list<size_t>{256, 300, 1000, 70'000, 1'000'000}) {
    const Trace trace = mirage::read(label_trace(3000, size));
    check_labels(trace, 3000, 0);
    CHECK(trace.losses.empty());
  }
}

TEST_CASE("a rotated ring is sorted, even if counts wrap") {
  for (uint32_t first : {0u, 7u, 0x7ffeu, 0xfffcu, 0xfffeu, 0xffffu}) {
    Bytes bytes = label_trace(1000, 512, static_cast<uint16_t>(first));
    for (size_t packets : std::initializer_list<size_t>{1, 5, 17}) {
      Bytes rotated = bytes;
      std::rotate(rotated.begin(), rotated.begin() + static_cast<ptrdiff_t>(packets * 512),
                  rotated.end());
      const Trace trace = mirage::read(rotated);
      check_labels(trace, 1000, 0);
      CHECK(trace.losses.empty());
    }
  }
}

TEST_CASE("more packets than counts") {
  const Trace trace = mirage::read(label_trace(600'000, 256));
  CHECK(trace.info.packets > 65'536);
  CHECK(trace.events.size() == 600'000);
  for (size_t i = 1; i < 600'000; i++) REQUIRE(trace.events.task[i - 1] <= trace.events.task[i]);
  CHECK(trace.losses.empty());
}

TEST_CASE("mirage-profile 0.9 leaves ten zero bytes after the header") {
  Bytes bytes;
  for (uint16_t count = 0; count < 4; count++) {
    Bytes packet;
    mirage::Writer writer(
        502, [&](std::span<const uint8_t> p) { packet.assign(p.begin(), p.end()); }, count);
    writer.label(boot_ns + count, count, "label " + std::to_string(count));
    writer.finish(1);
    packet.insert(packet.begin() + 30, 10, 0);
    const uint32_t size = 512 * 8;
    uint32_t content;
    std::memcpy(&content, packet.data() + 26, 4);
    content += 80;
    std::memcpy(packet.data() + 20, &size, 4);
    std::memcpy(packet.data() + 26, &content, 4);
    bytes.insert(bytes.end(), packet.begin(), packet.end());
  }
  const Trace trace = mirage::read(bytes);
  check_labels(trace, 4, 0);
  CHECK(trace.losses.empty());
}

TEST_CASE("the unused rest of a ring is not a loss") {
  Bytes bytes = label_trace(30, 4096);
  std::fill(bytes.begin() + 4096, bytes.end(), uint8_t{0});  // headers not yet written
  const Trace trace = mirage::read(bytes);
  check_labels(trace, 30, 0);
  CHECK(trace.losses.empty());
}

TEST_CASE("a file truncated at any byte yields all events before that") {
  const Bytes whole = label_trace(200);
  for (size_t size = 20; size < whole.size(); size++) {
    INFO("cut at ", size);
    const Trace trace = mirage::read(std::span(whole).first(size));
    for (size_t i = 0; i < trace.events.size(); i++) REQUIRE(trace.events.task[i] == i);
    // At most the truncated event and those of later packets are missing.
    const size_t full_packets = size / 512;
    CHECK(trace.events.size() >= full_packets * 13);
    if (size % 512 != 0) CHECK_FALSE(trace.losses.empty());
  }
}

TEST_CASE("a hole of zeros costs only the events in it") {
  const Bytes whole = label_trace(1000);
  for (size_t at = 0; at + 700 < whole.size(); at += 37) {
    for (size_t size : std::initializer_list<size_t>{1, 20, 50, 700}) {
      INFO("hole at ", at, " of ", size);
      Bytes bytes = whole;
      std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(at), size, uint8_t{0});
      const Trace trace = mirage::read(bytes);
      CHECK(trace.events.size() + size / 25 + 45 >= 1000);
      if (trace.events.size() < 1000) CHECK_FALSE(trace.losses.empty());
    }
  }
}

TEST_CASE("any damaged byte costs at most a few events, and never the order") {
  const Bytes whole = label_trace(100);
  for (size_t at = 0; at < whole.size(); at++) {
    for (uint8_t mask : std::initializer_list<uint8_t>{0x01, 0x80, 0xff}) {
      INFO("byte ", at, " mask ", int(mask));
      Bytes bytes = whole;
      bytes[at] ^= mask;
      const Trace trace = mirage::read(bytes);
      CHECK(trace.events.size() >= 97);
      CHECK(trace.events.size() <= 100);
      if (trace.events.size() < 100) CHECK_FALSE(trace.losses.empty());
      for (size_t i = 1; i < trace.events.size(); i++)
        REQUIRE(trace.events.time[i - 1] <= trace.events.time[i]);
    }
  }
}

TEST_CASE("an unknown op is skipped and counted") {
  const Trace trace = mirage::read(written(4096, [](auto& w) {
    for (uint64_t i = 0; i < 20; i++) {
      if (i == 10)
        w.event(boot_ns + 10 * i, Op{77}, {1, 2, 3});
      else
        w.label(boot_ns + 10 * i, i, "label " + std::to_string(i));
    }
  }));
  check_labels(trace, 20, 1);
  REQUIRE(trace.losses.size() == 1);
  CHECK(trace.losses[0].bytes == 9 + 24);
  CHECK(trace.losses[0].offset == 30 + 10 * (17 + 8));
}

TEST_CASE("the last event is torn: the content size was set, but its bytes were not written") {
  Bytes bytes = label_trace(10, 4096);
  uint32_t content;
  std::memcpy(&content, bytes.data() + 26, 4);
  const size_t end = content / 8;
  for (size_t torn = 1; torn <= 25; torn++) {
    Bytes copy = bytes;
    std::fill(copy.begin() + static_cast<ptrdiff_t>(end - torn),
              copy.begin() + static_cast<ptrdiff_t>(end), uint8_t{0});
    const Trace trace = mirage::read(copy);
    CHECK(trace.events.size() >= 9);
    for (size_t i = 0; i < 9; i++) REQUIRE(text(trace, i) == "label " + std::to_string(i));
    if (trace.events.size() == 9) CHECK(events_lost(trace) == 1);
  }
}

TEST_CASE("a damaged content size does not hide events, and earlier laps stay hidden") {
  Bytes bytes = label_trace(10, 4096);
  const uint32_t shorter = (30 + 25 * 3) * 8;
  std::memcpy(bytes.data() + 26, &shorter, 4);
  const Trace trace = mirage::read(bytes);
  check_labels(trace, 10, 0);
  REQUIRE(trace.losses.size() == 1);
  CHECK(trace.losses[0].what == "content size damaged");
  CHECK(trace.losses[0].events == 0u);

  // Two laps in one packet: the newer lap is shorter.
  Bytes old_lap = label_trace(12, 4096);
  Bytes new_lap = written(4096, [](auto& w) {
    for (uint64_t i = 0; i < 5; i++) w.label(boot_ns + 1000 + i, i, "label " + std::to_string(i));
  });
  std::copy_n(new_lap.begin(), 30 + 25 * 5, old_lap.begin());
  const Trace newer = mirage::read(old_lap);
  check_labels(newer, 5, 0);
  CHECK(newer.losses.empty());
}

TEST_CASE("a clock that is set does not lose events") {
  for (int64_t step : {int64_t{-3'600'000'000'000}, int64_t{50} * 365 * 86'400 * 1'000'000'000}) {
    const Trace trace = mirage::read(written(4096, [&](auto& w) {
      const uint64_t now = 1'000'000'000'000'000'000;
      for (uint64_t i = 0; i < 40; i++)
        w.label(now + 10 * i + (i >= 20 ? static_cast<uint64_t>(step) : 0), i,
                "label " + std::to_string(i));
    }));
    check_labels(trace, 40, 0);
    for (size_t i = 1; i < 40; i++) CHECK(trace.events.time[i - 1] <= trace.events.time[i]);
    CHECK(trace.events.time[39] < 500);
    CHECK(trace.losses.size() == 1);
  }
}

TEST_CASE("the counts reveal a missing packet") {
  Bytes bytes = label_trace(1000);
  bytes.erase(bytes.begin() + 512 * 3, bytes.begin() + 512 * 5);
  const Trace trace = mirage::read(bytes);
  REQUIRE(trace.losses.size() == 1);
  CHECK(trace.losses[0].packets == 2u);
  CHECK(trace.losses[0].offset == 512 * 3);
}

TEST_CASE("a ring truncated between packets") {
  const Bytes whole = label_trace(60, 512);  // more than four packets
  const Trace trace = mirage::read(std::span(whole).first(512 * 2));
  REQUIRE(trace.losses.size() == 1);
  CHECK(trace.losses[0].packets == 2u);
}

TEST_CASE("a wrong count does not affect the order") {
  Bytes bytes = label_trace(40);
  bytes[24] = 0x55;
  const Trace trace = mirage::read(bytes);
  check_labels(trace, 40, 0);
  REQUIRE(trace.losses.size() == 1);
  CHECK(trace.losses[0].events == 0u);
}

TEST_CASE("a lost header does not lose the packet's events") {
  for (size_t packet = 0; packet < 4; packet++) {
    Bytes bytes = label_trace(50);
    std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(packet * 512), 30, uint8_t{0});
    const Trace trace = mirage::read(bytes);
    check_labels(trace, 50, 0);
    if (packet < 3) CHECK_FALSE(trace.losses.empty());  // the fourth is empty: nothing to lose
  }
}

TEST_CASE("the format is recognised") {
  const Bytes bytes = label_trace(3);
  CHECK(mirage::looks_like_mirage(bytes));
  CHECK_FALSE(mirage::looks_like_mirage(std::span(bytes).first(19)));
  Bytes other_uuid = bytes;
  for (size_t i = 4; i < 20; i++) other_uuid[i] = static_cast<uint8_t>(i);
  CHECK_FALSE(mirage::looks_like_mirage(other_uuid));
  Bytes damaged = bytes;
  damaged[7] ^= 1;
  CHECK(mirage::looks_like_mirage(damaged));
  CHECK(mirage::contains_mirage(bytes));
  CHECK_FALSE(mirage::contains_mirage(Bytes(1000, 0)));
}

TEST_CASE("times at the end of their range do not wrap") {
  // Found by fuzzing: the difference of such times wrapped, and the decoder repaired endlessly.
  for (uint64_t time : {UINT64_MAX, UINT64_MAX - 1'765'801'980, uint64_t{1} << 63}) {
    const Trace trace = mirage::read(written(512, [&](auto& w) {
      w.label(time, 1, "a");
      w.label(boot_ns, 2, "b");
      w.label(boot_ns + 10, 3, "c");
      w.label(time, 4, "d");
      w.label(boot_ns + 20, 5, "e");
      w.label(boot_ns + 30, 6, "f");
    }));
    CHECK(trace.events.size() >= 2);
    CHECK(trace.events.time[trace.events.size() - 1] == 30);
    CHECK_FALSE(trace.losses.empty());
  }
}
