#include "view/viewer/search.h"

#include <doctest/doctest.h>

#include <random>

#include "view/viewer/test_trace.h"

using namespace skein;

namespace {

struct Searched {
  explicit Searched(TestTrace made) : trace(std::move(made.trace)) {}

  Trace trace;
  Model model = build_model(trace);
  Search search{trace, model};

  // Ids of the matches, in order.
  std::vector<TaskId> operator()(std::string_view text) {
    std::vector<uint8_t> marks;
    search.run(text, marks);
    REQUIRE(marks.size() == model.tasks.size());
    std::vector<TaskId> ids;
    for (size_t i = 0; i < marks.size(); i++)
      if (marks[i]) ids.push_back(model.tasks[i].id);
    return ids;
  }
};

using Ids = std::vector<TaskId>;

}  // namespace

TEST_CASE("labels, kinds and ids are found, whatever the case") {
  Searched find(server());
  CHECK(find("session") == Ids{2, 3});
  CHECK(find("SESSION b") == Ids{3});
  CHECK(find("ring.") == Ids{4});
  CHECK(find("operation") == Ids{4, 5});
  CHECK(find("tick") == Ids{1});  // not its first label
  CHECK(find("#4") == Ids{4});
  CHECK(find("4") == Ids{4});
  CHECK(find("#40").empty());
  CHECK(find("").empty());
  CHECK(find("missing").empty());
  CHECK(find("session Bx").empty());
  CHECK(find("A\nsession").empty());
  CHECK(find(std::string_view("A\0s", 3)).empty());
}

TEST_CASE("names, locations, reasons and spans are found") {
  TestTrace t;
  t.trace.locations.push_back({.file = t.trace.strings.intern("net/Ring.cc"),
                               .function = t.trace.strings.intern("ring::write"),
                               .line = 12});
  t.add({.time = 1,
         .task = 1,
         .text = t.trace.strings.intern("async_send"),
         .location = 1,
         .kind = EventKind::Create});
  t.create(1, 2, 1, "x");
  t.add({.time = 2,
         .task = 2,
         .text = t.trace.strings.intern("connection refused"),
         .kind = EventKind::Fail});
  t.add({.time = 2,
         .task = 1,
         .value = 7,
         .text = t.trace.strings.intern("parse"),
         .kind = EventKind::SpanBegin});
  t.add({.time = 3, .task = 1, .value = 7, .kind = EventKind::SpanEnd});
  Searched find(std::move(t));
  CHECK(find("async_s") == Ids{1});
  CHECK(find("ring.cc") == Ids{1});
  CHECK(find("RING::W") == Ids{1});
  CHECK(find("refused") == Ids{2});
  CHECK(find("parse") == Ids{1});
}

TEST_CASE("incremental search finds the same as a new search") {
  std::mt19937 random(3);
  TestTrace t;
  const auto word = [&](size_t length) {
    std::string text;
    for (size_t i = 0; i < length; i++) text += "abABc\0"[random() % 6];
    return text;
  };
  for (TaskId id = 1; id < 3000; id++) t.create(id, id, no_task, word(1 + random() % 12));
  Searched typed(std::move(t));
  for (int round = 0; round < 100; round++) {
    std::string text;
    for (int key = 0; key < 8; key++) {
      // Usually appends a letter; sometimes removes one or prepends one.
      if (random() % 5 == 0 && !text.empty())
        text.pop_back();
      else if (random() % 5 == 0)
        text.insert(0, word(1));
      else
        text += word(1);
      const Ids found = typed(text);
      Search fresh(typed.trace, typed.model);
      std::vector<uint8_t> marks;
      fresh.run(text, marks);
      Ids expected;
      for (size_t i = 0; i < marks.size(); i++) {
        // Must equal a search of each label.
        const std::string_view label = typed.trace.strings[typed.model.tasks[i].label];
        const bool contains = !text.empty() && (contains_folded(label, folded(text)) ||
                                                contains_folded("coroutine", folded(text)));
        REQUIRE((marks[i] != 0) == contains);
        if (marks[i]) expected.push_back(typed.model.tasks[i].id);
      }
      REQUIRE(found == expected);
    }
  }
}
