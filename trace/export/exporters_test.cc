#include "trace/export/exporters.h"

#include <doctest/doctest.h>

#include <string>

#include "trace/model/example.h"

using namespace skein;

namespace {

std::string written(const ExportFormat& format, const Trace& trace, const ExportChoices& choices) {
  std::string bytes;
  Out out([&](std::string_view piece) {
    bytes += piece;
    return true;
  });
  format.write(trace, choices, out);
  REQUIRE(out.finish());
  return bytes;
}

}  // namespace

TEST_CASE("a format is found by its name") {
  for (const ExportFormat& format : export_formats())
    CHECK(find_export_format(format.name) == &format);
  CHECK(find_export_format("no such format") == nullptr);
  CHECK(find_export_format("") == nullptr);
}

// Not a static_assert: with -fsanitize=undefined, g++ 12 cannot compare these pointers as
// constants.
TEST_CASE("a format writes a directory, or a file with an extension") {
  for (const ExportFormat& format : export_formats()) {
    CAPTURE(format.name);
    CHECK((format.write != nullptr) != format.is_directory());
    CHECK(format.extension.empty() == format.is_directory());
  }
}

TEST_CASE("each format writes a trace, and its choice makes a difference") {
  const Example e = ours(
      "0 create 1 as coroutine query\n 0 create 2 as timer timer\n 1 resume 1\n"
      "5 suspend 1 on 2\n 9 resolve 2\n 12 resume 1\n 20 resolve 1\n");
  for (const ExportFormat& format : export_formats()) {
    CAPTURE(format.name);
    if (format.is_directory()) {
      CHECK(!format.write_directory(e.trace, {}).files.empty());
      continue;
    }
    const std::string plain = written(format, e.trace, {.title = "a"});
    CHECK(!plain.empty());
    using Choice = ExportFormat::Choice;
    CHECK((written(format, e.trace, {.title = "a", .tasks = true}) != plain) ==
          (format.choice == Choice::Table));
    CHECK((written(format, e.trace, {.title = "a", .running = true}) != plain) ==
          (format.choice == Choice::Running));
  }
}
