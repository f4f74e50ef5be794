#include "view/viewer/notes.h"

#include <algorithm>
#include <cmath>

#include "base/escape.h"
#include "base/stable_sort.h"
#include "base/utf8.h"
#include "trace/read/tick_clock.h"

namespace skein {

namespace {

constexpr double longest_time = 9e18;  // ns; fits in an int64_t

// Reads values where they are expected and skips others. The first invalid or unexpected input
// fails; from then on all values are empty and the position stays.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool failed() const { return failed_; }
  size_t offset() const { return at_; }

  // Consumes `c` if it is the next character after blanks.
  bool take(char c) {
    skip_blanks();
    if (failed_ || at_ == text_.size() || text_[at_] != c) return false;
    at_++;
    return true;
  }
  void expect(char c) {
    if (!take(c)) failed_ = true;
  }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }

  std::string string();
  double number();
  uint64_t integer();  // exactly
  void skip_value(int depth = 0);

  // Calls use(key) for each member, which must read the value. For an array, calls use() for each
  // element.
  template <typename Use>
  void object(const Use& use) {
    expect('{');
    if (take('}')) return;
    do {
      const std::string key = string();
      expect(':');
      if (failed_) return;
      use(key);
    } while (take(','));
    expect('}');
  }
  template <typename Use>
  void array(const Use& use) {
    expect('[');
    if (take(']')) return;
    do {
      if (failed_) return;
      use();
    } while (take(','));
    expect(']');
  }

 private:
  static constexpr int deepest = 64;

  void skip_blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
      at_++;
  }
  bool digit() const { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; }
  uint32_t hex4();
  void escape(std::string& out);
  void word(std::string_view expected) {
    if (text_.substr(at_).starts_with(expected))
      at_ += expected.size();
    else
      failed_ = true;
  }

  std::string_view text_;
  size_t at_ = 0;
  bool failed_ = false;
};

uint32_t Reader::hex4() {
  uint32_t code = 0;
  for (int i = 0; i < 4; i++, at_++) {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    uint32_t value = 16;
    if (c >= '0' && c <= '9') value = static_cast<uint32_t>(c - '0');
    if (c >= 'a' && c <= 'f') value = static_cast<uint32_t>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') value = static_cast<uint32_t>(c - 'A') + 10;
    if (value == 16) {
      failed_ = true;
      return 0;
    }
    code = code * 16 + value;
  }
  return code;
}

void Reader::escape(std::string& out) {
  constexpr std::string_view letters = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  const char c = at_ < text_.size() ? text_[at_++] : '\0';
  if (const size_t which = letters.find(c); which != std::string_view::npos) {
    out += meanings[which];
    return;
  }
  if (c != 'u') {
    failed_ = true;
    return;
  }
  uint32_t code = hex4();
  if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_).starts_with("\\u")) {
    const size_t before = at_;
    at_ += 2;
    const uint32_t low = hex4();
    if (low >= 0xdc00 && low < 0xe000)
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    else
      at_ = before;
  }
  if (code >= 0xd800 && code < 0xe000) code = 0xfffd;
  append_utf8(out, code);
}

std::string Reader::string() {
  expect('"');
  std::string out;
  while (!failed_) {
    if (at_ == text_.size() || static_cast<unsigned char>(text_[at_]) < 0x20) {
      failed_ = true;
      break;
    }
    const char c = text_[at_++];
    if (c == '"') break;
    if (c == '\\')
      escape(out);
    else
      out += c;
  }
  return out;
}

double Reader::number() {
  skip_blanks();
  const bool negative = at_ < text_.size() && text_[at_] == '-';
  if (negative) at_++;
  if (!digit()) failed_ = true;
  double value = 0;
  for (; digit(); at_++) value = value * 10 + (text_[at_] - '0');
  double share = 0.1;
  if (at_ < text_.size() && text_[at_] == '.')
    for (at_++; digit(); at_++, share /= 10) value += share * (text_[at_] - '0');
  if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
    at_++;
    const bool down = at_ < text_.size() && text_[at_] == '-';
    if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '+')) at_++;
    if (!digit()) failed_ = true;
    int exponent = 0;
    for (; digit(); at_++) exponent = std::min(exponent * 10 + (text_[at_] - '0'), 400);
    for (; exponent > 0; exponent--) value = down ? value / 10 : value * 10;
  }
  return negative ? -value : value;
}

uint64_t Reader::integer() {
  skip_blanks();
  if (!digit()) failed_ = true;
  uint64_t value = 0;
  for (; digit(); at_++) value = value * 10 + static_cast<uint64_t>(text_[at_] - '0');
  return value;
}

void Reader::skip_value(int depth) {
  skip_blanks();
  if (failed_ || at_ == text_.size() || depth == deepest) {
    failed_ = true;
    return;
  }
  switch (text_[at_]) {
    case '{':
      return object([&](const std::string&) { skip_value(depth + 1); });
    case '[':
      return array([&] { skip_value(depth + 1); });
    case '"':
      string();
      return;
    case 't':
      return word("true");
    case 'f':
      return word("false");
    case 'n':
      return word("null");
    default:
      number();
  }
}

Bookmark read_bookmark(Reader& reader) {
  Bookmark bookmark;
  reader.object([&](const std::string& key) {
    if (key == "time_ns")
      bookmark.time = std::clamp(reader.number(), -longest_time, longest_time);
    else if (key == "text")
      bookmark.text = bounded_note(reader.string());
    else
      reader.skip_value();
  });
  return bookmark;
}

}  // namespace

std::string bounded_note(std::string_view text) {
  // Twice the limit, so that a character cut here is beyond what remains.
  std::string note = valid_utf8(text.substr(0, 2 * longest_note));
  if (note.size() <= longest_note) return note;
  size_t end = longest_note;
  while (end > 0 && (static_cast<unsigned char>(note[end]) & 0xc0) == 0x80) end--;
  note.resize(end);
  return note;
}

std::string write_notes(const Notes& notes) {
  const std::vector<Bookmark>& bookmarks = notes.bookmarks;
  std::string out = "{\"skein_notes\": 1, \"start_ns\": " + std::to_string(notes.start);
  if (notes.frequency != 0) out += ", \"ticks_per_s\": " + std::to_string(notes.frequency);
  out += ", \"bookmarks\": [";
  for (size_t i = 0; i < bookmarks.size(); i++) {
    out += i == 0 ? "\n  {\"time_ns\": " : ",\n  {\"time_ns\": ";
    out += std::to_string(std::llround(std::clamp(bookmarks[i].time, -longest_time, longest_time)));
    out += ", \"text\": ";
    append_json(out, bookmarks[i].text);
    out += '}';
  }
  out += "\n]}\n";
  return out;
}

Result<Notes> read_notes(std::string_view json) {
  Reader reader(json);
  Notes notes;
  std::vector<Bookmark>& bookmarks = notes.bookmarks;
  bool ours = false;
  reader.object([&](const std::string& key) {
    if (key == "skein_notes") {
      ours = reader.number() >= 1;
    } else if (key == "start_ns") {
      notes.start = reader.integer();
    } else if (key == "ticks_per_s") {
      notes.frequency = reader.integer();
    } else if (key == "bookmarks") {
      reader.array([&] {
        Bookmark bookmark = read_bookmark(reader);
        if (bookmarks.size() < most_bookmarks) bookmarks.push_back(std::move(bookmark));
      });
    } else {
      reader.skip_value();
    }
  });
  if (reader.failed() || !reader.at_end())
    return Error{.what = "not the notes of a trace", .offset = reader.offset()};
  if (!ours) return Error{.what = "not the notes of a trace: no \"skein_notes\" in it"};
  sort_by_time(bookmarks);
  return notes;
}

void convert(Notes& notes, uint64_t frequency, uint64_t start) {
  TickClock before;
  before.boot_id = "the same";
  before.frequency = notes.frequency;
  TickClock now = before;
  now.frequency = frequency;
  if (!now.counts_with(before) || now.is_same_axis(before)) return;
  const double difference = static_cast<double>(notes.frequency) - static_cast<double>(frequency);
  const double share = difference / static_cast<double>(frequency);
  for (Bookmark& bookmark : notes.bookmarks) bookmark.time += bookmark.time * share;
  const auto later = static_cast<int64_t>(std::llround(static_cast<double>(notes.start) * share));
  notes.start += static_cast<uint64_t>(later);
  notes.frequency = frequency;
  // Times are rounded: starts within two nanoseconds are the same.
  constexpr uint64_t rounding = 2;
  if (notes.start - start + rounding <= 2 * rounding) notes.start = start;
}

void sort_by_time(std::vector<Bookmark>& bookmarks) {
  stable_sort(bookmarks, [](const Bookmark& a, const Bookmark& b) { return a.time < b.time; });
}

}  // namespace skein
