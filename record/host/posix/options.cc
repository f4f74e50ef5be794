#include "record/host/posix/options.h"

#include <string.h>

namespace skein::record {
namespace {

constexpr uint64_t kLargestSize = uint64_t{16} << 30;
constexpr uint64_t kLongestKeep = uint64_t{24} * 3600 * 1'000'000'000;
constexpr uint64_t kMostTasks = uint64_t{1} << 26;
constexpr uint32_t kDefaultThreads = 16;  // of all-files-at-start
constexpr uint64_t kMostThreads = 4096;

// A piece of the text up to the next comma.
struct Piece {
  const char* text;
  size_t size;
  bool is(const char* word) const { return strlen(word) == size && memcmp(text, word, size) == 0; }
  // Returns the value after `key` ("size="), or a null text if the piece has another key.
  Piece after(const char* key) const {
    const size_t length = strlen(key);
    if (size < length || memcmp(text, key, length) != 0) return {nullptr, 0};
    return {text + length, size - length};
  }
};

struct Unit {
  const char* name;
  uint64_t factor;
};
constexpr Unit kBytes[] = {{"", 1}, {"k", 1 << 10}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}};
constexpr Unit kTimes[] = {{"ms", 1'000'000}, {"s", 1'000'000'000}, {"min", 60'000'000'000}};

enum class Parsed { kNumber, kNoNumber, kNotPositive, kTooLarge };

// Parses a positive number with one of the units. Precondition: `most` is at most 2^60, so that no
// digit overflows.
template <size_t count>
Parsed parse_number(Piece piece, const Unit (&units)[count], uint64_t most, uint64_t& number) {
  const bool is_negative = piece.size > 0 && piece.text[0] == '-';
  if (is_negative) piece = {piece.text + 1, piece.size - 1};
  uint64_t value = 0;
  size_t i = 0;
  for (; i < piece.size && piece.text[i] >= '0' && piece.text[i] <= '9'; ++i)
    if (value <= most) value = value * 10 + static_cast<uint64_t>(piece.text[i] - '0');
  if (i == 0) return Parsed::kNoNumber;
  const Piece rest = {piece.text + i, piece.size - i};
  const Unit* unit = units;
  while (unit != units + count && !rest.is(unit->name)) ++unit;
  if (unit == units + count) return Parsed::kNoNumber;
  value = value > most / unit->factor ? most + 1 : value * unit->factor;
  if (is_negative || value == 0) return Parsed::kNotPositive;
  if (value > most) return Parsed::kTooLarge;
  number = value;
  return Parsed::kNumber;
}

const char* parse_rate(Piece piece, uint32_t& rate) {
  constexpr Unit kNone[] = {{"", 1}};
  uint64_t number = 0;
  const Parsed parsed = parse_number(piece, kNone, kMostSampleRate, number);
  if (parsed == Parsed::kNoNumber) return "sample= requires a number of samples per second";
  if (parsed == Parsed::kNotPositive) return "sample= must be positive";
  if (parsed == Parsed::kTooLarge) return "sample= is too large; the maximum is 10000";
  rate = static_cast<uint32_t>(number);
  return nullptr;
}

const char* apply(Piece piece, Options& options) {
  uint64_t number = 0;
  if (const Piece size = piece.after("size="); size.text != nullptr) {
    const Parsed parsed = parse_number(size, kBytes, kLargestSize, number);
    if (parsed == Parsed::kNoNumber) return "size= requires a number, e.g. 512k, 4M";
    if (parsed == Parsed::kNotPositive) return "size= must be positive";
    if (parsed == Parsed::kTooLarge) return "size= is too large; the maximum is 16G";
    options.size = number;
  } else if (const Piece keep = piece.after("keep="); keep.text != nullptr) {
    const Parsed parsed = parse_number(keep, kTimes, kLongestKeep, number);
    if (parsed == Parsed::kNoNumber) return "keep= requires a time, e.g. 500ms, 10s, 2min";
    if (parsed == Parsed::kNotPositive) return "keep= must be positive";
    if (parsed == Parsed::kTooLarge) return "keep= is too long; the maximum is 1440min";
    options.keep_ns = number;
  } else if (const Piece most = piece.after("most="); most.text != nullptr) {
    const Parsed parsed = parse_number(most, kBytes, kLargestSize, number);
    if (parsed == Parsed::kNoNumber) return "most= requires a number, e.g. 64M, 1G";
    if (parsed == Parsed::kNotPositive) return "most= must be positive";
    if (parsed == Parsed::kTooLarge) return "most= is too large; the maximum is 16G";
    options.most = number;
  } else if (const Piece mode = piece.after("mode="); mode.text != nullptr) {
    if (!mode.is("ring") && !mode.is("log")) return "mode= must be ring or log";
    options.log = mode.is("log");
  } else if (const Piece tasks = piece.after("tasks="); tasks.text != nullptr) {
    const Parsed parsed = parse_number(tasks, kBytes, kMostTasks, number);
    if (parsed == Parsed::kNoNumber) return "tasks= requires a number, e.g. 64k";
    if (parsed == Parsed::kNotPositive) return "tasks= must be positive";
    if (parsed == Parsed::kTooLarge) return "tasks= is too large; the maximum is 64M";
    options.tasks = static_cast<uint32_t>(number);
  } else if (const Piece clock = piece.after("clock="); clock.text != nullptr) {
    options.clock_by_call = clock.is("syscall");
    options.monotonic = options.clock_by_call || clock.is("monotonic");
    if (!options.monotonic && !clock.is("tsc")) return "clock= must be tsc, monotonic or syscall";
  } else if (const Piece follow = piece.after("follow="); follow.text != nullptr) {
    if (!follow.is("fork") && !follow.is("none")) return "follow= must be fork or none";
    options.follow_forks = follow.is("fork");
  } else if (piece.is("sample")) {
    options.sample_rate = kDefaultSampleRate;
  } else if (const Piece rate = piece.after("sample="); rate.text != nullptr) {
    return parse_rate(rate, options.sample_rate);
  } else if (piece.is("all-files-at-start")) {
    options.all_files_for = kDefaultThreads;
  } else if (const Piece all = piece.after("all-files-at-start="); all.text != nullptr) {
    const Parsed parsed = parse_number(all, kBytes, kMostThreads, number);
    if (parsed == Parsed::kNoNumber) return "all-files-at-start= requires a number of threads";
    if (parsed == Parsed::kNotPositive) return "all-files-at-start= must be positive";
    if (parsed == Parsed::kTooLarge) return "all-files-at-start= is too large; the maximum is 4096";
    options.all_files_for = static_cast<uint32_t>(number);
  } else {
    return "unknown option; use: dir[,size=1M][,keep=5s][,most=256M][,mode=ring|log][,tasks=N]"
           "[,clock=tsc|monotonic|syscall][,follow=fork][,all-files-at-start[=THREADS]]"
           "[,sample[=HZ]]";
  }
  return nullptr;
}

}  // namespace

const char* parse_sample_rate(const char* text, uint32_t& rate) {
  return parse_rate({text, strlen(text)}, rate);
}

const char* parse_options(const char* text, Options& options) {
  const size_t directory = strcspn(text, ",");
  if (directory >= sizeof options.directory) return "the directory name is too long";
  memcpy(options.directory, text, directory);
  options.directory[directory] = 0;
  text += directory;
  while (*text == ',') {
    ++text;
    const Piece piece = {text, strcspn(text, ",")};
    if (const char* wrong = apply(piece, options); wrong != nullptr) return wrong;
    text += piece.size;
  }
  if (options.log && options.all_files_for != 0)
    return "all-files-at-start applies only to mode=ring";
  if (options.log && (options.keep_ns != 0 || options.most != 0))
    return "keep= and most= apply only to mode=ring; a log keeps everything";
  if (options.all_files_for != 0 && (options.keep_ns != 0 || options.most != 0))
    return "all-files-at-start creates rings that do not grow: use size instead of keep and most";
  return nullptr;
}

}  // namespace skein::record
