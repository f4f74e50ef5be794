// Tests the core without a host: a Writer over an array and a clock that the test sets. The tests
// compare the bytes written.
#include <doctest/doctest.h>
#include <skein/format.h>
#include <string.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "record/core/spin.h"
#include "record/core/tasks.h"

namespace {

using namespace skein::record;
namespace format = skein::format;

uint64_t test_count = 0;
uint64_t read_test_clock() { return test_count; }
uint64_t test_ids = 1;
bool refuse_room = false;

// The smallest host: one chunk of 64 KiB.
struct Fixture {
  alignas(64) char chunk[64 << 10] = {};
  alignas(4096) char table_bytes[format::kTableHeaderSize + 128 * sizeof(TaskRow)] = {};
  Writer writer;
  TaskTable table;
  uint64_t previous = 0;

  Fixture() {
    test_count = uint64_t{1000} << format::kTickShift;
    test_ids = 1;
    refuse_room = false;
    host.take_ids = [] {
      const uint64_t first = test_ids;
      test_ids += kIdBlock;
      return first;
    };
    host.make_room = [](Writer* w, uint64_t, bool text) {
      if (refuse_room) ++w->discarded;
      const auto need = static_cast<ptrdiff_t>(text ? kTextMargin : kPlainMargin);
      return !refuse_room && w->window_end - w->pos >= need ? w : nullptr;
    };
    table.header = reinterpret_cast<format::TaskTableHeader*>(table_bytes);
    table.rows = reinterpret_cast<TaskRow*>(table_bytes + format::kTableHeaderSize);
    table.capacity = 128;
    table.reserved = 128;
    writer.counter = read_test_clock;
    writer.table = &table;
    writer.rows = table.rows;
    writer.generation = 1;
    writer.tid = 42;
    write_packet_header(writer, chunk, 1000, 7);
    enter_packet(writer, chunk);
    writer.window_end = chunk + sizeof chunk;
    writer.limit = writer.window_end - kPlainMargin + 1;
  }

  format::PacketHeader& header() { return *reinterpret_cast<format::PacketHeader*>(chunk); }
  // The committed bytes after the header.
  std::string committed() {
    return {chunk + sizeof(format::PacketHeader),
            header().content_size / 8 - sizeof(format::PacketHeader)};
  }
  template <class F>
  std::string emit(F&& fill, bool text = false) {
    const size_t before = committed().size();
    Emission e(&writer);
    REQUIRE(e.begin(text));
    fill(e);
    e.commit();
    return committed().substr(before);
  }
};

std::string bytes(std::initializer_list<int> list) {
  std::string s;
  for (int b : list) s.push_back(static_cast<char>(b));
  return s;
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "an argument's width is part of the event's id") {
  // 1000 = 0x3e8: the low 24 bits of the tick count follow the id.
  CHECK(emit([](Emission& e) { e.one(format::k_resume, 0xff); }) ==
        bytes({format::k_resume, 0xe8, 3, 0, 0xff}));
  CHECK(emit([](Emission& e) { e.one(format::k_resume, 0x100); }) ==
        bytes({format::k_resume + 1, 0xe8, 3, 0, 0, 1}));
  CHECK(emit([](Emission& e) { e.one(format::k_resume, 0x10000); }) ==
        bytes({format::k_resume + 2, 0xe8, 3, 0, 0, 0, 1, 0}));
  CHECK(emit([](Emission& e) { e.one(format::k_resume, uint64_t{1} << 32); }) ==
        bytes({format::k_resume + 3, 0xe8, 3, 0, 0, 0, 0, 0, 1, 0, 0, 0}));
}

TEST_CASE_FIXTURE(Fixture, "two arguments have two widths, or share one that fits both") {
  CHECK(emit([](Emission& e) { e.two(format::k_create, 0x100, 2); }) ==
        bytes({format::k_create + 1, 0xe8, 3, 0, 0, 1, 2}));
  CHECK(emit([](Emission& e) { e.two(format::k_create, 1, 0x100); }) ==
        bytes({format::k_create + 4, 0xe8, 3, 0, 1, 0, 1}));
  CHECK(emit([](Emission& e) { e.same(format::k_become, 1, 0x100); }) ==
        bytes({format::k_become + 1, 0xe8, 3, 0, 1, 0, 0, 1}));
}

TEST_CASE_FIXTURE(Fixture, "signed values take the narrowest two's complement") {
  CHECK(width_of_signed(0).id == 0);
  CHECK(width_of_signed(127).id == 0);
  CHECK(width_of_signed(128).id == 1);
  CHECK(width_of_signed(-128).id == 0);
  CHECK(width_of_signed(-129).id == 1);
  CHECK(width_of_signed(INT32_MIN).id == 2);
  CHECK(width_of_signed(INT64_MIN).id == 3);
  CHECK(emit([](Emission& e) { e.two_signed(format::k_counter_add, 1, -1); }) ==
        bytes({format::k_counter_add, 0xe8, 3, 0, 1, 0xff}));
}

TEST_CASE_FIXTURE(Fixture, "after 2^24 ticks of silence the full tick count is written") {
  test_count += (uint64_t{1} << 24) << format::kTickShift;
  CHECK(emit([](Emission& e) { e.one(format::k_idle, 0); }) ==
        bytes({255, format::k_idle, 0xe8, 3, 0, 1, 0, 0, 0, 0, 0}));
  test_count += ((uint64_t{1} << 24) - 1) << format::kTickShift;
  CHECK(emit([](Emission& e) { e.one(format::k_idle, 0); }).size() == 5);
}

TEST_CASE_FIXTURE(Fixture, "the CPU time is read in each packet, and after a pause") {
  host.read_cpu_time = [](const Writer&, format::CpuTime& used) {
    used = {.ns = 0x1122, .blocked = 3, .preempted = 4};
    return true;
  };
  const auto event = [&] { return emit([](Emission& e) { e.one(format::k_idle, 0); }); };
  const std::string read = bytes({0x22, 0x11, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0});
  const std::string idle = bytes({format::k_idle, 0xe8, 3, 0, 0});
  CHECK(event() == bytes({format::k_cpu_time, 0xe8, 3, 0}) + read + idle);
  CHECK(event() == idle);
  test_count += (format::kQuietTicks - 1) << format::kTickShift;
  CHECK(event().size() == idle.size());
  test_count += format::kQuietTicks << format::kTickShift;
  CHECK(event().size() == idle.size() + 4 + read.size());
  test_count += format::kQuietTicks << format::kTickShift;
  PlainEmission e(&writer);
  CHECK(!e.begin());  // leaves it to the slow path

  test_count += (uint64_t{1} << 24) << format::kTickShift;
  CHECK(event().size() == 10 + read.size() + idle.size());  // a full tick count
  writer.flags = format::kFlagNested;
  test_count += format::kQuietTicks << format::kTickShift;
  CHECK(event().size() == idle.size());
  host.read_cpu_time = nullptr;
}

TEST_CASE_FIXTURE(Fixture, "time never goes back in a stream") {
  test_count -= 500u << format::kTickShift;
  CHECK(emit([](Emission& e) {
          e.one(format::k_idle, 0);
          e.one(format::k_wake, 0);
        }) == bytes({format::k_idle, 0xe8, 3, 0, 0, format::k_wake, 0xe8, 3, 0, 0}));
}

TEST_CASE_FIXTURE(Fixture, "strings are truncated at a whole character, with a mark") {
  std::string text(format::kMaxText - 4, 'a');
  text += "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4";
  const std::string event = emit(
      [&](Emission& e) {
        e.header(format::k_label_text);
        e.u64(7);
        e.text(text.data(), text.size());
      },
      true);
  const std::string stored(event.data() + 12);
  CHECK(stored.size() <= format::kMaxText);
  CHECK(stored == std::string(format::kMaxText - 4, 'a') + format::kCutMark);
  CHECK(event.size() == 12 + stored.size() + 1);
}

TEST_CASE_FIXTURE(Fixture, "a string that just fits is not truncated") {
  const std::string text(format::kMaxText, 'a');
  const std::string event = emit(
      [&](Emission& e) {
        e.header(format::k_label_text);
        e.u64(7);
        e.text(text.data(), text.size());
      },
      true);
  CHECK(std::string(event.data() + 12) == text);
}

TEST_CASE_FIXTURE(Fixture, "without room no part of an event is written") {
  const std::string before = committed();
  writer.limit = nullptr;
  refuse_room = true;
  Emission e(&writer);
  CHECK_FALSE(e.begin());
  CHECK(committed() == before);
  CHECK(writer.discarded == 1);
}

TEST_CASE_FIXTURE(Fixture, "a row contains the state of its task") {
  skein_task task = {};
  emit([&](Emission& e) { create(e, &task, 5); });
  REQUIRE(task.row != 0);
  const TaskRow& row = table.rows[task.row];
  CHECK(row.id == task.id);
  CHECK(row.state == TaskState::kCreated);
  CHECK(row.place == 5);
  previous = 99;
  emit([&](Emission& e) { resume(e, &task, previous); });
  CHECK(previous == 0);
  CHECK(writer.current == task.id);
  CHECK(row.state == TaskState::kRunning);
  emit([&](Emission& e) { suspend(e, &task, 77, 6, nullptr, previous); });
  CHECK(row.state == TaskState::kSuspended);
  CHECK(row.on == 77);
  CHECK(row.at == 6);
  CHECK(row.since == 1000);
  CHECK(writer.current == 0);
  const uint32_t number = task.row;
  emit([&](Emission& e) { resolve(e, &task, 0); });
  CHECK(table.rows[number].id == 0);
  CHECK(table.rows[number].seq % 2 == 0);
}

TEST_CASE_FIXTURE(Fixture,
                  "a parent that resumes after the end of its child was woken by the child") {
  skein_task parent = {}, child = {}, other = {};
  emit([&](Emission& e) { create_running(e, &parent, 1, previous); });
  emit([&](Emission& e) { create(e, &child, 2); });
  emit([&](Emission& e) { create(e, &other, 3); });
  emit([&](Emission& e) { suspend(e, &parent, 0, 4, nullptr, 0); });
  emit([&](Emission& e) { resume(e, &child, previous); });
  emit([&](Emission& e) { resolve(e, &child, 0); });
  CHECK(emit([&](Emission& e) { resume(e, &parent, previous); })[0] ==
        static_cast<char>(format::k_resume_by));
  CHECK(table.rows[parent.row].waker == child.id);
}

TEST_CASE_FIXTURE(Fixture,
                  "a child that begins when its parent waits for it was woken by the parent") {
  skein_task parent = {}, child = {}, other = {};
  emit([&](Emission& e) { create_running(e, &parent, 1, previous); });
  emit([&](Emission& e) { create(e, &child, 2); });
  emit([&](Emission& e) { create(e, &other, 2); });
  emit([&](Emission& e) { suspend(e, &parent, child.id, 4, nullptr, 0); });
  emit([&](Emission& e) { resume(e, &child, previous); });
  CHECK(table.rows[child.row].waker == parent.id);
  // The task that is resumed next is unrelated to the parent's wait.
  emit([&](Emission& e) { resume(e, &other, previous); });
  CHECK(table.rows[other.row].waker == child.id);
}

TEST_CASE_FIXTURE(Fixture,
                  "an unrelated task that resumes after the end of another was not woken by it") {
  skein_task first = {}, second = {};
  emit([&](Emission& e) { create(e, &first, 1); });
  emit([&](Emission& e) { create(e, &second, 1); });
  emit([&](Emission& e) { resume(e, &first, previous); });
  emit([&](Emission& e) { resolve(e, &first, 0); });
  CHECK(emit([&](Emission& e) { resume(e, &second, previous); })[0] ==
        static_cast<char>(format::k_resume));
  CHECK(table.rows[second.row].waker == 0);
}

TEST_CASE_FIXTURE(Fixture, "an operation belongs to the task that was suspended last") {
  skein_task task = {}, operation_task = {}, next = {};
  emit([&](Emission& e) { create_running(e, &task, 1, previous); });
  emit([&](Emission& e) { suspend(e, &task, 0, 2, nullptr, 0); });
  emit([&](Emission& e) { operation(e, &operation_task, 3); });
  CHECK(table.rows[operation_task.row].parent == task.id);
  CHECK(table.rows[task.row].on == operation_task.id);
  emit([&](Emission& e) { operation(e, &next, 3); });
  CHECK(table.rows[next.row].parent == 0);
}

TEST_CASE_FIXTURE(Fixture, "an operation has the location of the wait for it, if none is given") {
  const PlaceEntry at = {"a.cc", "f", nullptr, uint64_t{7} << 32 | 12, 0, 0, 1, 0};
  const skein_source stated = {"b.cc", "g", 1, 0}, fallback = {"c.cc", "h", 2, 0};
  Emission e(&writer);
  CHECK(operation_source(e, nullptr, nullptr).file == nullptr);
  CHECK(operation_source(e, nullptr, &fallback).line == 2);
  skein_task task = {}, operation_task = {};
  emit([&](Emission& emission) { create_running(emission, &task, 1, previous); });
  emit([&](Emission& emission) { suspend(emission, &task, 0, 2, &at, 0); });
  const skein_source awaited = operation_source(e, nullptr, &fallback);
  CHECK(awaited.function == at.function);
  CHECK(awaited.line == 12);
  CHECK(awaited.column == 7);
  CHECK(operation_source(e, &stated, &fallback).line == 1);
  emit([&](Emission& emission) { operation(emission, &operation_task, 3); });
  CHECK(operation_source(e, nullptr, &fallback).line ==
        2);  // the task does not wait for the second one
}

TEST_CASE_FIXTURE(Fixture, "resolve_resume ends a task and makes its waiter current") {
  skein_task outer = {}, waits = {}, future = {};
  emit([&](Emission& e) { create_running(e, &outer, 1, previous); });
  emit([&](Emission& e) { create(e, &future, 1); });
  emit([&](Emission& e) { create_running(e, &waits, 1, previous); });
  emit([&](Emission& e) { suspend(e, &waits, 0, 2, nullptr, previous); });
  const uint32_t row = future.row;
  CHECK(emit([&](Emission& e) { resolve_resume(e, &future, 0, &waits, previous); })[0] ==
        static_cast<char>(format::k_resolve));
  CHECK(previous == outer.id);
  CHECK(writer.current == waits.id);
  CHECK(table.rows[row].id == 0);
  CHECK(table.rows[waits.row].state == TaskState::kRunning);
  CHECK(table.rows[waits.row].waker == future.id);
}

TEST_CASE_FIXTURE(Fixture, "a task created before the trace joins it") {
  skein_task task = {.id = 0, .row = 0, .generation = 0};
  emit([&](Emission& e) { resume(e, &task, previous); });
  CHECK(task.id != 0);
  CHECK(task.generation == 1);
  CHECK(table.rows[task.row].state == TaskState::kRunning);
}

TEST_CASE_FIXTURE(Fixture, "tasks that find the table full are untracked and counted") {
  std::vector<skein_task> tasks(200);
  for (skein_task& task : tasks) emit([&](Emission& e) { create(e, &task, 1); });
  CHECK(tasks.back().row == 0);
  CHECK(tasks.back().id != 0);
  CHECK(table.header->lost[format::kLoss_untracked] == 200 - 127);
  for (skein_task& task : tasks) emit([&](Emission& e) { resolve(e, &task, 0); });
  skein_task again = {};
  emit([&](Emission& e) { create(e, &again, 1); });
  CHECK(again.row != 0);
}

TEST_CASE("the row of a successor has the state of its predecessor") {
  Fixture f;
  const auto row = [&](const skein_task& task) -> const TaskRow& { return f.table.rows[task.row]; };
  skein_task waiting = {}, its_heir = {}, running = {}, heir = {};
  uint64_t previous = 0;
  f.emit([&](Emission& e) { create_running(e, &waiting, 1, previous); });
  f.emit([&](Emission& e) { suspend(e, &waiting, 77, 6, nullptr, 0); });
  f.emit([&](Emission& e) { create(e, &its_heir, 2); });
  f.emit([&](Emission& e) { become(e, &waiting, &its_heir); });
  CHECK(row(its_heir).state == TaskState::kSuspended);
  CHECK(row(its_heir).on == 77);
  CHECK(row(its_heir).at == 6);
  CHECK(row(its_heir).place == 2);
  CHECK(f.writer.current == 0);

  f.emit([&](Emission& e) { create_running(e, &running, 1, previous); });
  f.table.rows[running.row].flags = format::kTaskShouldResolve;
  f.emit([&](Emission& e) { create(e, &heir, 3); });
  f.emit([&](Emission& e) { become(e, &running, &heir); });
  CHECK(row(heir).state == TaskState::kRunning);
  CHECK(row(heir).flags == format::kTaskShouldResolve);
  CHECK(row(heir).seq % 2 == 0);
  CHECK(f.writer.current == heir.id);
  CHECK(running.row == 0);
}

// Records the life of a parent and a child with either kind of emission. Returns each operation's
// first event id and size; both kinds read the time stamp counter.
template <class E>
std::vector<std::pair<char, size_t>> one_life(Fixture& f) {
  f.writer.counter = nullptr;
  std::vector<std::pair<char, size_t>> written;
  const auto emit = [&](auto&& operation) {
    const size_t before = f.committed().size();
    E e(&f.writer);
    bool begun = false;
    // The fast path gives up after a pause, which a busy machine may insert here.
    for (int i = 0; i < 100 && !begun; i++) {
      f.writer.last = read_ticks(nullptr);
      begun = e.begin();
    }
    REQUIRE(begun);
    REQUIRE(operation(e));
    e.commit();
    written.emplace_back(f.committed()[before], f.committed().size() - before);
  };
  skein_task parent = {}, child = {}, other = {};
  uint64_t previous = 0;
  emit([&](E& e) { return create_running(e, &parent, 300, previous); });
  emit([&](E& e) { return create_labelled(e, &child, 2, 70'000); });
  emit([&](E& e) { return create_under(e, &other, 0, 3); });
  emit([&](E& e) { return ready(e, &parent, 1, 4); });
  emit([&](E& e) { return suspend(e, &parent, child.id, 5, nullptr, 0); });
  emit([&](E& e) { return resume(e, &child, previous); });
  emit([&](E& e) { return resolve(e, &child, 0); });
  emit([&](E& e) { return resume(e, &parent, previous); });
  emit([&](E& e) { return suspend(e, &parent, 0, 5, nullptr, other.id); });
  emit([&](E& e) { return cancel(e, &other); });
  emit([&](E& e) { return resume_by(e, &parent, 9, previous); });
  skein_task last = {};
  emit([&](E& e) { return operation(e, &last, 6); });
  emit([&](E& e) { return resolve_resume(e, &last, 0, &parent, previous); });
  skein_task other_one = {};
  emit([&](E& e) { return create(e, &other_one, 6); });
  emit([&](E& e) { return become(e, &parent, &other_one); });
  return written;
}

TEST_CASE("the fast path and the slow path write the same events") {
  Fixture careful;
  Fixture plain;
  // The writer has ids and rows, as after the first events of a thread.
  for (Fixture* f : {&careful, &plain}) {
    skein_task task = {};
    test_ids = 1;
    f->emit([&](Emission& e) { create(e, &task, 1); });
    f->emit([&](Emission& e) { resolve(e, &task, 0); });
  }
  CHECK(one_life<Emission>(careful) == one_life<PlainEmission>(plain));
  CHECK(careful.writer.current == plain.writer.current);
  for (unsigned i = 0; i < 128; ++i) {
    TaskRow a = careful.table.rows[i];
    TaskRow b = plain.table.rows[i];
    a.since = b.since = 0;
    CHECK(memcmp(&a, &b, sizeof a) == 0);
  }
}

TEST_CASE_FIXTURE(Fixture, "an operation of a suspended task is one event, unless an id is large") {
  skein_task first = {};
  const auto size_of_operation = [&](skein_task& parent) {
    const uint64_t id = parent.id;
    emit([&](Emission& e) { resume(e, &parent, previous); });
    emit([&](Emission& e) { suspend(e, &parent, 0, 5, nullptr, 0); });
    const size_t before = committed().size();
    skein_task task = {};
    emit([&](Emission& e) { operation(e, &task, 6); });
    CHECK(table.rows[parent.row].on == task.id);
    CHECK(parent.id == id);
    const size_t size = committed().size() - before;
    CHECK(static_cast<uint8_t>(committed()[before]) ==
          (size == 16 ? format::k_create_awaited : format::k_create_under));
    return size;
  };
  test_ids = 1;
  emit([&](Emission& e) { create(e, &first, 1); });
  CHECK(size_of_operation(first) == 16);
  test_ids = (uint64_t{1} << 32) - 1;
  writer.next_id = writer.end_id = 0;
  skein_task second = {};
  emit([&](Emission& e) { create(e, &second, 1); });
  CHECK(size_of_operation(second) == 24 + 20);
}

TEST_CASE_FIXTURE(Fixture, "the fast path refuses an uncommon case before it changes anything") {
  writer.counter = nullptr;
  skein_task task = {};
  const auto refused = [&](auto&& operation) {
    const Writer before = writer;
    PlainEmission e(&writer);
    const bool done = e.begin() && operation(e);
    CHECK(memcmp(&before, &writer, sizeof writer) == 0);
    CHECK(committed().empty());
    return !done;
  };
  const auto create_one = [&](PlainEmission& e) { return create(e, &task, 1); };
  writer.last = 0;
  CHECK(refused([](PlainEmission&) { return true; }));  // a long silence
  writer.last = read_ticks(nullptr);
  CHECK(refused(create_one));  // no id
  writer.next_id = 1;
  writer.end_id = 64;
  CHECK(refused(create_one));                                                    // no row
  CHECK(refused([&](PlainEmission& e) { return resume(e, &task, previous); }));  // not in the trace
  task = {.id = 1, .row = 1, .generation = 1};
  CHECK(refused(
      [&](PlainEmission& e) { return suspend(e, &task, 0, 1, nullptr, 0); }));  // not current
  writer.free_rows = kRowsToSpill - 1;
  CHECK(refused([&](PlainEmission& e) { return resolve(e, &task, 0); }));  // too many free rows
  writer.limit = writer.pos;
  CHECK(refused([](PlainEmission&) { return true; }));  // no room
}

TEST_CASE("an executor can use rows that another one freed") {
  Fixture first;
  Writer other;
  other.table = &first.table;
  other.rows = first.table.rows;
  other.generation = 1;
  Emission one(&first.writer);
  Emission two(&other);
  for (int round = 0; round < 100; ++round) {
    std::vector<uint32_t> rows;
    for (int i = 0; i < 100; ++i) rows.push_back(take_row(one));
    for (uint32_t row : rows) {
      REQUIRE(row != 0);
      free_row(two, row);
    }
    // The other executor keeps a limited number of rows, so that the first finds rows again.
    CHECK(other.free_rows < kRowsToSpill);
    while (other.free_rows > 0) free_row(one, take_row(two));
  }
}

static uint32_t place_of(Names& names, uint32_t kind, const char* name, const skein_source* where) {
  const PlaceEntry* known = known_place(names, kind, name, *where);
  return known != nullptr ? known->id
                          : skein::record::detail::place_slow(names, kind, name, *where);
}

TEST_CASE_FIXTURE(Fixture, "names are written once, by content, and survive their module") {
  auto names = std::make_unique<Names>();
  memset(static_cast<void*>(names.get()), 0, sizeof(Names));
  names->stream = &writer;
  char file[] = "a.cc";
  char function[] = "f";
  const skein_source where = {file, function, 3, 4};
  const uint32_t id = place_of(*names, format::kKind_coroutine, nullptr, &where);
  CHECK(id == 1);
  CHECK(place_of(*names, format::kKind_coroutine, nullptr, &where) == id);
  CHECK(place_of(*names, format::kKind_handler, nullptr, &where) == 2);
  CHECK(string_of(*names, "a.cc", 4) == 1);
  CHECK(string_of(*names, "", 0) == 0);

  // A coroutine's name has no template arguments.
  const uint32_t before = names->strings_used;
  place_of(*names, format::kKind_coroutine, "get<int>", &where);
  CHECK(string_of(*names, "get", 3) == before + 1);
  place_of(*names, format::kKind_generator, "operator<", &where);
  CHECK(string_of(*names, "operator<", 9) == before + 2);
  place_of(*names, format::kKind_handler, "on_read<int>", &where);
  CHECK(string_of(*names, "on_read<int>", 12) == before + 3);

  // The same addresses in another module: other strings, hence another place.
  strcpy(file, "b.cc");
  CHECK(place_of(*names, format::kKind_coroutine, nullptr, &where) == id);
  ++names->epoch;  // skein_module_unloaded
  const uint32_t other = place_of(*names, format::kKind_coroutine, nullptr, &where);
  CHECK(other == 6);
  strcpy(file, "a.cc");
  ++names->epoch;
  CHECK(place_of(*names, format::kKind_coroutine, nullptr, &where) == id);
}

TEST_CASE_FIXTURE(Fixture,
                  "a lock that is held for ever costs one wait, and each lookup is counted") {
  auto names = std::make_unique<Names>();
  memset(static_cast<void*>(names.get()), 0, sizeof(Names));
  names->stream = &writer;
  static unsigned turns;
  turns = 0;
  relax = [](uint32_t) { ++turns; };
  uint64_t& lost = table.header->lost[format::kLoss_names_full];
  const skein_source where = {"a.cc", "f", 3, 4};
  {
    const SpinLock holder(names->lock);
    REQUIRE(holder);
    CHECK(string_of(*names, "a", 1) == 0);
    CHECK(turns == 300);
    for (int i = 0; i < 10; ++i) CHECK(string_of(*names, "a", 1) == 0);
    CHECK(place_of(*names, format::kKind_task, nullptr, &where) == 0);
    CHECK(turns == 300);
    CHECK(lost == 12);
  }
  CHECK(string_of(*names, "a", 1) == 1);  // released after all
  {
    const SpinLock holder(names->lock);
    CHECK(string_of(*names, "b", 1) == 0);
    CHECK(turns == 600);
  }
  CHECK(lost == 13);
  relax = nullptr;
}

TEST_CASE_FIXTURE(Fixture, "a label of the current task survives the ring: its row has it") {
  skein_task outer{}, inner{};
  emit([&](Emission& e) { create_running(e, &outer, 0, previous); });
  emit([&](Emission& e) { label_current(e, 7); });
  CHECK(table.rows[outer.row].label == 7);
  emit([&](Emission& e) { label_current(e, 8); });
  CHECK_MESSAGE(table.rows[outer.row].label == 7, "the first label is the task's name");

  // `outer` is current again after `inner`, whose row was the last one.
  emit([&](Emission& e) { create_running(e, &inner, 0, previous); });
  table.rows[outer.row].label = 0;
  emit([&](Emission& e) { suspend(e, &inner, 0, 0, nullptr, outer.id); });
  emit([&](Emission& e) { label_current(e, 9); });
  CHECK(table.rows[outer.row].label == 9);
  CHECK(table.rows[inner.row].label == 0);
}

TEST_CASE_FIXTURE(Fixture, "outside any task, a label has no row") {
  skein_task task{};
  emit([&](Emission& e) { create_running(e, &task, 0, previous); });
  emit([&](Emission& e) { resolve(e, &task, 0); });
  CHECK(writer.current == 0);
  CHECK(current_row(writer) == nullptr);
  emit([&](Emission& e) { label_current(e, 7); });
  for (const TaskRow& row : {table.rows[0], table.rows[1]}) CHECK(row.label == 0);
}
