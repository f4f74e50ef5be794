#include "cli/input/stacks_input.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "cli/die.h"
#include "cli/output/terminal.h"

namespace skein::cli {

namespace {

// Names other kinds of files. Empty: it may be text.
std::string_view other_kind(std::span<const uint8_t> bytes) {
  const auto begins = [&](std::string_view magic) {
    return bytes.size() >= magic.size() &&
           std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
  };
  if (begins("\x1f\x8b")) return "compressed; use zcat FILE | skein flame -";
  if (begins("\x7f"
             "ELF"))
    return "a program, not a profile; folded stacks are text";
  if (begins("<?xml") || begins("<svg") || begins("<!doctype"))
    return "a picture, not a profile; folded stacks are text";
  const auto head = bytes.first(std::min<size_t>(bytes.size(), 4096));
  if (std::find(head.begin(), head.end(), 0) != head.end())
    return "not a profile that skein reads; folded stacks are text";
  return {};
}

constexpr std::string_view advice =
    "a line of folded stacks is 'main;parse 12', as stackcollapse-perf.pl prints it";

}  // namespace

void StacksInput::read(Files& files, const std::string& path, FoldedStacks::Side side) {
  Result<Contents> opened = files.open(path);
  if (!opened) die(2, opened.error().message());
  contents_.push_back(std::move(*opened));
  const auto bytes = contents_.back().bytes();
  const std::string name = path == "-" ? "standard input" : path;
  if (const std::string_view other = other_kind(bytes); !other.empty())
    die(2, name + ": " + std::string(other));
  const size_t lines_before = stacks_.lines();
  const FoldedStacks::Ignored ignored = stacks_.add(bytes, side);
  const std::string where = name + ":" + std::to_string(ignored.first) + ": ";
  if (stacks_.lines() == lines_before) {
    if (ignored.lines == 0) die(2, name + ": no stacks; the input is empty");
    die(2, where + std::string(ignored.why) + "; " + std::string(advice));
  }
  if (ignored.lines != 0)
    report_message(
        where + std::string(ignored.why) + "; " +
        counted(ignored.lines, "line without stack and count", "lines without stack and count") +
        (ignored.lines == 1 ? " is" : " are") + " left out");
}

}  // namespace skein::cli
