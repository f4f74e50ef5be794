#include "record/host/posix/options.h"

#include <string.h>

namespace skein::record {
namespace {

constexpr uint64_t kLargestSize = uint64_t{16} << 30;
constexpr uint64_t kMostTasks = uint64_t{1} << 26;

// A piece of the text up to the next comma.
struct Piece {
  const char* text;
  size_t size;
  bool is(const char* word) const { return strlen(word) == size && memcmp(text, word, size) == 0; }
  // What follows "key=", or a null text.
  Piece after(const char* key) const {
    const size_t length = strlen(key);
    if (size < length || memcmp(text, key, length) != 0) return {nullptr, 0};
    return {text + length, size - length};
  }
};

// A number with an optional k, M or G (powers of 1024).
bool parse_number(Piece piece, uint64_t most, uint64_t& number) {
  uint64_t value = 0;
  size_t i = 0;
  for (; i < piece.size && piece.text[i] >= '0' && piece.text[i] <= '9'; ++i) {
    value = value * 10 + static_cast<uint64_t>(piece.text[i] - '0');
    if (value > most) return false;
  }
  if (i == 0) return false;
  if (i + 1 == piece.size) {
    const char unit = piece.text[i++];
    const unsigned shift = unit == 'k' || unit == 'K' ? 10
                           : unit == 'M'              ? 20
                           : unit == 'G'              ? 30
                                                      : 0;
    if (shift == 0) return false;
    value <<= shift;
  }
  number = value;
  return i == piece.size && value > 0 && value <= most;
}

const char* apply(Piece piece, Options& options) {
  uint64_t number = 0;
  if (const Piece size = piece.after("size="); size.text != nullptr) {
    if (!parse_number(size, kLargestSize, number)) return "size= wants a number, e.g. 512k, 4M";
    options.size = number;
  } else if (const Piece mode = piece.after("mode="); mode.text != nullptr) {
    if (!mode.is("ring") && !mode.is("log")) return "mode= is ring or log";
    options.log = mode.is("log");
  } else if (const Piece tasks = piece.after("tasks="); tasks.text != nullptr) {
    if (!parse_number(tasks, kMostTasks, number)) return "tasks= wants a number, e.g. 64k";
    options.tasks = static_cast<uint32_t>(number);
  } else if (const Piece clock = piece.after("clock="); clock.text != nullptr) {
    if (!clock.is("tsc") && !clock.is("monotonic")) return "clock= is tsc or monotonic";
    options.monotonic = clock.is("monotonic");
  } else {
    return "SKEIN_TRACE is dir[,size=1M][,mode=ring|log][,tasks=N][,clock=tsc|monotonic]";
  }
  return nullptr;
}

}  // namespace

const char* parse_options(const char* text, Options& options) {
  const size_t directory = strcspn(text, ",");
  if (directory >= sizeof options.directory) return "the directory's name is too long";
  memcpy(options.directory, text, directory);
  options.directory[directory] = 0;
  text += directory;
  while (*text == ',') {
    ++text;
    const Piece piece = {text, strcspn(text, ",")};
    if (const char* wrong = apply(piece, options); wrong != nullptr) return wrong;
    text += piece.size;
  }
  return nullptr;
}

}  // namespace skein::record
