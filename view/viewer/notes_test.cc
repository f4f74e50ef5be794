#include "view/viewer/notes.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace skein;

namespace {

std::vector<Bookmark> read(std::string_view json) {
  auto notes = read_notes(json);
  REQUIRE_MESSAGE(notes, std::string(json));
  return std::move(notes->bookmarks);
}

}  // namespace

TEST_CASE("notes survive a round trip") {
  const std::vector<Bookmark> bookmarks = {
      {-5, "before the beginning"},
      {0, ""},
      {1'250'000, "a \"quoted\" \\ text\nof two lines \x01 \xe2\x82\xac \xf0\x9f\x98\x80"},
      {9e15, "</script>"}};
  const std::vector<Bookmark> again = read(write_notes({.start = 5, .bookmarks = bookmarks}));
  REQUIRE(again.size() == bookmarks.size());
  for (size_t i = 0; i < again.size(); i++) {
    CHECK(again[i].time == bookmarks[i].time);
    CHECK(again[i].text == bookmarks[i].text);
  }
  CHECK(read(write_notes({.start = 5})).empty());
  for (const uint64_t number : {uint64_t{1'700'000'000'123'456'789}, UINT64_MAX}) {
    const auto notes = read_notes(write_notes({.start = number, .frequency = number}));
    CHECK(notes->start == number);
    CHECK(notes->frequency == number);
  }
  CHECK(read_notes("{\"skein_notes\": 1}")->start == 0);
  CHECK(read_notes("{\"skein_notes\": 1}")->frequency == 0);
}

TEST_CASE("times computed with another frequency are converted, those of another clock are not") {
  // A trace that starts an hour after the boot, with a bookmark two hours later.
  constexpr uint64_t frequency = 150'000'000;
  constexpr uint64_t ticks = 3600 * frequency;
  const auto ns = [](uint64_t of_ticks, uint64_t by) {
    return static_cast<uint64_t>(static_cast<__uint128_t>(of_ticks) * 1'000'000'000 / by);
  };
  const Notes kept = {.start = ns(ticks, frequency),
                      .frequency = frequency,
                      .bookmarks = {{static_cast<double>(ns(2 * ticks, frequency)), "event"}}};
  for (const uint64_t other : {frequency + 1, frequency + 7, frequency - 13}) {
    Notes notes = kept;
    const uint64_t start = ns(ticks, other);
    CHECK(start != kept.start);
    convert(notes, other, start);
    CHECK(notes.start == start);
    CHECK(notes.frequency == other);
    CHECK(std::fabs(notes.bookmarks[0].time - static_cast<double>(ns(2 * ticks, other))) < 2);
    convert(notes, frequency, kept.start);
    CHECK(notes.start == kept.start);
  }
  for (const uint64_t other : {uint64_t{0}, frequency * 2, frequency}) {
    Notes notes = kept;
    convert(notes, other, 5);
    CHECK(notes.start == kept.start);
    CHECK(notes.bookmarks[0].time == kept.bookmarks[0].time);
  }
  Notes old = kept;
  old.frequency = 0;
  convert(old, frequency + 1, 5);
  CHECK(old.start == kept.start);
}

TEST_CASE("unknown members are ignored") {
  const auto bookmarks = read(
      R"( {"a": [1, {"b": [true, false, null, -1.5e3, "x"]}, []], "skein_notes": 2,
           "bookmarks": [{"colour": {"r": 1}, "text": "t", "time_ns": 1.5e3}, {}]} )");
  REQUIRE(bookmarks.size() == 2);
  CHECK(bookmarks[0].time == 0);
  CHECK(bookmarks[1].time == 1500);
  CHECK(bookmarks[1].text == "t");
}

TEST_CASE("JSON escapes are decoded") {
  const auto text = [](std::string_view escaped) {
    return read("{\"skein_notes\":1,\"bookmarks\":[{\"text\":\"" + std::string(escaped) + "\"}]}")
        .at(0)
        .text;
  };
  CHECK(text(R"(\u0041\n\t\/\"\\)") == "A\n\t/\"\\");
  CHECK(text(R"(\u20ac)") == "\xe2\x82\xac");
  CHECK(text(R"(\ud83d\ude00)") == "\xf0\x9f\x98\x80");
  CHECK(text(R"(\ud83dx)") == "\xef\xbf\xbdx");  // half a surrogate pair
  CHECK(text(R"(\ud83d\u0041)") ==
        "\xef\xbf\xbd"
        "A");
}

TEST_CASE("invalid JSON, or JSON that is no notes, is an error with its position") {
  for (const std::string_view bad : {"",
                                     "{",
                                     "[]",
                                     "{}",
                                     "null",
                                     "{\"skein_notes\": 0}",
                                     "{\"skein_notes\": 1",
                                     "{\"skein_notes\": 1} x",
                                     "{\"skein_notes\": 1, }",
                                     "{\"skein_notes\": \"1\"}",
                                     "{\"skein_notes\": 1, \"bookmarks\": {}}",
                                     "{\"skein_notes\": 1, \"bookmarks\": [1]}",
                                     "{\"skein_notes\": 1, \"bookmarks\": [{\"text\": 1}]}",
                                     "{\"skein_notes\": 1, \"start_ns\": \"1\"}",
                                     "{\"skein_notes\": 1, \"start_ns\": -1}",
                                     "{\"skein_notes\": 1, \"bookmarks\": [{\"text\": \"\\x\"}]}",
                                     "{\"skein_notes\": 1, \"bookmarks\": [{\"text\": \"\\u12\"}]}",
                                     "{\"skein_notes\": 1, \"bookmarks\": [{\"text\": \"\n\"}]}",
                                     "{\"skein_notes\": 1, \"bookmarks\": [{\"time_ns\": --1}]}",
                                     "{\"skein_notes\": 1, \"bookmarks\": [{\"time_ns\": 1e}]}"}) {
    CAPTURE(bad);
    CHECK(!read_notes(bad));
  }
  const auto cut = read_notes("{\"skein_notes\": 1, \"bookmarks\": [");
  REQUIRE(!cut);
  CHECK(cut.error().offset == 33);
}

TEST_CASE("hostile notes are bounded") {
  std::string deep = "{\"skein_notes\": 1, \"x\": ";
  deep.append(1'000'000, '[');
  CHECK(!read_notes(deep));

  std::string many = "{\"skein_notes\": 1, \"bookmarks\": [{}";
  for (size_t i = 0; i < 2 * most_bookmarks; i++) many += ",{}";
  CHECK(read(many + "]}").size() == most_bookmarks);

  std::string big(100'000, 'x');
  big += "\xff";
  const auto one =
      read("{\"skein_notes\":1,\"bookmarks\":[{\"time_ns\":1e999,\"text\":\"" + big + "\"}]}");
  CHECK(one.at(0).text.size() == longest_note);
  CHECK(std::isfinite(one.at(0).time));
}

TEST_CASE("a note is cut between characters and is valid UTF-8") {
  CHECK(bounded_note("ok") == "ok");
  CHECK(bounded_note("a\xff") == "a\\xff");
  std::string euros;
  for (int i = 0; i < 3000; i++) euros += "\xe2\x82\xac";
  const std::string cut = bounded_note(euros);
  CHECK(cut.size() == longest_note / 3 * 3);
  CHECK(cut == euros.substr(0, cut.size()));
}
