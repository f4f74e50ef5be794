#include "view/viewer/keys.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace skein;

namespace {

Command command_of(std::string_view key, Modifiers modifiers = {}) {
  const KeyBinding* found = find_key(key, modifiers);
  REQUIRE(found);
  return found->command;
}

}  // namespace

TEST_CASE("every command has a key, a distinct name, and a help text") {
  std::set<std::string_view> names;
  CHECK(key_bindings().size() == commands);
  for (const KeyBinding& entry : key_bindings()) {
    CAPTURE(entry.name);
    CHECK(!entry.keys.empty());
    CHECK(!entry.help.empty());
    CHECK(!entry.group.empty());
    CHECK(names.insert(entry.name).second);
    CHECK(find_command(entry.name) == &entry);
    CHECK(&binding(entry.command) == &entry);
  }
  CHECK(!find_command("no-such"));
}

TEST_CASE("no key is bound twice") {
  std::set<std::string> keys;
  for (const KeyBinding& entry : key_bindings()) {
    std::string_view rest = entry.keys;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find(' '), rest.size());
      CAPTURE(entry.keys);
      CHECK(keys.insert(std::string(rest.substr(0, end))).second);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
}

TEST_CASE("shift matters for letters and named keys, not for other characters") {
  CHECK(command_of("n") == Command::SearchNext);
  CHECK(command_of("N", {.shift = true}) == Command::SearchPrevious);
  CHECK(command_of("N") == Command::SearchNext);  // caps lock
  CHECK(command_of("?", {.shift = true}) == Command::Help);
  CHECK(command_of("?") == Command::Help);
  CHECK(command_of("+", {.shift = true}) == Command::ZoomIn);
  CHECK(command_of("+") == Command::ZoomIn);
  CHECK(command_of("ArrowUp") == Command::PanUp);
  CHECK(command_of("ArrowUp", {.shift = true}) == Command::RowsHigher);
}

TEST_CASE("control and alt must match the table") {
  CHECK(command_of("z", {.control = true}) == Command::UndoZoom);
  CHECK(command_of("Z", {.shift = true, .control = true}) == Command::RedoZoom);
  CHECK(!find_key("z", {}));
  CHECK(!find_key("+", {.control = true}));  // the browser's own zoom
  CHECK(!find_key("n", {.alt = true}));
  CHECK(!find_key("", {}));
  CHECK(!find_key("Ctrl+z", {}));
}
