#include <doctest/doctest.h>

#include <limits>

#include "view/paint/paint.h"

using namespace skein;

namespace {

constexpr float cell = 16;

struct Picture {
  DrawList list;

  Picture(uint32_t columns, uint32_t lines) {
    list.width = static_cast<float>(columns) * 8;
    list.height = static_cast<float>(lines) * cell;
  }
  // In cells: from column `x` to `end`, on a line.
  void bar(Ink ink, float x, float end, float line) {
    add({x * 8, line * cell + 11, (end - x) * 8, 5, 0, Shape::Fill, ink});
  }
  void behind(Ink ink, float x, float end) {
    add({x * 8, 0, (end - x) * 8, list.height, 0, Shape::Fill, ink});
  }
  void text(float x, float line, std::string_view text, Ink ink = Ink::Label) {
    const auto offset = static_cast<uint32_t>(list.texts.size());
    (list.texts += text) += '\0';
    add({x * 8, line * cell + 8.5f, 0, 0, offset, Shape::Text, ink, 255, 9});
  }
  // From the bar on one line to the bar on another.
  void arrow(Ink ink, float x, float from, float to, uint8_t alpha = 255) {
    const float y = from * cell + (to > from ? 16.0f : 11.0f);
    add({x * 8, y, 0, to * cell + (to > from ? 11.0f : 16.0f) - y, 0, Shape::Arrow, ink, alpha});
  }
  void add(const Primitive& p) { list.primitives.push_back(p); }

  std::string plain() const {
    const auto columns = static_cast<uint32_t>(list.width / 8);
    return "\n" + to_terminal(list, themes[1], columns, TerminalColours::None);
  }
};

}  // namespace

TEST_CASE("bars are lines, activations blocks; halves of a cell differ") {
  Picture p(20, 3);
  p.bar(Ink::Bar, 1, 12, 0);
  p.bar(Ink::Running, 4, 6, 0);
  p.bar(Ink::Running, 8.5f, 9, 0);
  p.bar(Ink::Bar, 2.5f, 5.5f, 1);
  p.bar(Ink::Bar, 7, 7.1f, 1);
  p.bar(Ink::Running, 10, 10.25f, 1);
  p.bar(Ink::Failed, 1, 6, 2);
  CHECK(p.plain() == R"(
 ━━━██━━▐━━━
  ╺━━╸ ╸  ▎
 ╍╍╍╍╍
)");
}

TEST_CASE("failures are visible, whatever else is in their cells") {
  Picture p(24, 4);
  p.bar(Ink::Bar, 0, 24, 0);
  p.bar(Ink::Failed, 5.2f, 5.3f, 0);  // thinner than a cell
  p.bar(Ink::Running, 5, 6, 0);
  p.text(0, 0, "a name of another");
  p.arrow(Ink::Resolve, 10.2f, 1, 0);
  p.bar(Ink::Failed, 9.9f, 10.6f, 0);  // an arrow's head is there
  p.bar(Ink::Failed, 2, 12.4f, 1);
  p.bar(Ink::Running, 6, 9, 1);
  p.arrow(Ink::Read, 5, 2, 1);
  p.text(0, 1, "its parent's name");
  p.add({10 * 8, 10, 1, 2 * cell, 0, Shape::Fill, Ink::Creation});
  p.bar(Ink::Failed, 1, 12, 2);
  p.text(1, 2, "stuck");
  p.bar(Ink::Failed, 7.95f, 8.05f, 3);
  p.text(7.95f, 3, "failed");
  CHECK(p.plain() == R"(
━a n…✗━━━━✗━━━━━━━━━━━━━
  ╍╍╍╍╍╍╍╍╍╍✗
 ╍stuck╍╍╍╍╍
        ✗failed
)");
  const std::string coloured = to_terminal(p.list, themes[1], 24, TerminalColours::Few);
  CHECK(coloured.find("38;5;203m\u2717") != std::string::npos);  // of red
  CHECK(coloured.find("38;5;203m\u2501\u2501\u2501\u25b2\u2588\u2588\u2588") != std::string::npos);
  CHECK(coloured.find("\x1b[48;5;203;38;5;234mstuck\x1b[") != std::string::npos);
}

TEST_CASE("an activation that runs part of the time is no full block") {
  Picture p(12, 1);
  p.bar(Ink::Bar, 0, 12, 0);
  const auto run = [&](float x, float end, uint8_t alpha) {
    p.add({x * 8, 12, (end - x) * 8, 3, 0, Shape::Fill, Ink::Running, alpha});
  };
  run(1, 3, 90);    // less than a tenth of the time
  run(4, 5, 140);   // less than a third
  run(6, 7, 200);   // less than two thirds
  run(8, 9, 255);   // all of it
  run(10, 11, 70);  // all of it, by a faded task
  CHECK(p.plain() == "\n━▏▏━▎━▌━█━█━\n");
}

TEST_CASE("a label is on its bar and leaves its start visible") {
  Picture p(24, 3);
  p.bar(Ink::Bar, 0, 20, 0);
  p.text(0.4f, 0, "main");
  p.bar(Ink::Bar, 2, 8, 1);
  p.text(2, 1, "a long label");
  p.bar(Ink::Bar, 11, 20, 1);
  p.text(11, 1, "next");
  p.bar(Ink::Bar, 2, 8, 2);
  p.text(2, 2, "longer than the terminal is");
  CHECK(p.plain() == R"(
━main━━━━━━━━━━━━━━━
  ━a long …━next━━━━
  ━longer than the term…
)");
}

TEST_CASE("text at the right edge is complete, text left of it gives way") {
  Picture p(30, 1);
  p.text(0, 0, "a text that is too long for all of it", Ink::Axis);
  p.text(24, 0, "in sight", Ink::Axis);
  CHECK(p.plain() == "\na text that is too … in sight\n");
}

TEST_CASE("arrows have heads at their ends, creation lines do not and pass behind bars") {
  Picture p(20, 4);
  for (float line = 0; line < 4; line++) p.bar(Ink::Bar, 0, 12, line);
  p.arrow(Ink::Resolve, 3, 0, 2);
  p.arrow(Ink::Read, 6, 3, 0);
  p.arrow(Ink::Read, 8, 3, 0, 40);  // faded
  p.add({10 * 8, 13.5f, 1, 2 * cell, 0, Shape::Fill, Ink::Creation});
  p.add({12 * 8, 45.5f, 8, 0, 0, Shape::Arrow, Ink::Bar});
  CHECK(p.plain() == R"(
━━━┯━━▲━━━┯━
━━━┿━━┿━━━━━
━━━▼━━┿━━━┷━►
━━━━━━┷━━━━━
)");
}

TEST_CASE("sleep and pause are in the background; without colours as dots and shade") {
  Picture p(12, 2);
  p.behind(Ink::Sleep, 2, 6);
  p.behind(Ink::Pause, 8, 10);
  p.bar(Ink::Bar, 0, 12, 0);
  CHECK(p.plain() == R"(
━━━━━━━━━━━━
  ····  ▒▒
)");
  const std::string coloured = to_terminal(p.list, themes[1], 12, TerminalColours::All);
  CHECK(coloured.find("\x1b[48;2;35;38;45m") != std::string::npos);
  CHECK(coloured.find("\u00b7") == std::string::npos);
}

TEST_CASE("counters are dots, four rows per cell") {
  Picture p(6, 1);
  p.add({0, 14, 24, 1.5f, 0, Shape::Fill, Ink::Counter0});
  p.add({24, 1, 1, 14.5f, 0, Shape::Fill, Ink::Counter0});
  p.add({24, 1, 24, 1.5f, 0, Shape::Fill, Ink::Counter0});
  CHECK(p.plain() == "\n\u28c0\u28c0\u28c0\u284f\u2809\u2809\n");
}

TEST_CASE("wide characters take two cells, combining ones none") {
  Picture p(12, 2);
  p.text(0, 0, "\u4f60\u597d!");
  p.bar(Ink::Bar, 0, 12, 0);
  p.text(0, 1,
         "e\u0301t\u0301\u0301\u0301e");  // keeps one per letter
  CHECK(p.plain() ==
        "\n\u2501\u4f60\u597d!\u2501\u2501\u2501\u2501\u2501\u2501\n e\u0301t\u0301e\n");
}

TEST_CASE("only printable characters, whatever the list contains") {
  Picture p(10, 2);
  p.text(0, 0, "\x1b[2J\x07\xff\u202e\u2028x");
  CHECK(p.plain() == "\n \ufffd[2J\ufffd\ufffd\ufffd\ufffdx\n\n");
  const float huge = 3e38f;
  const float infinite = std::numeric_limits<float>::infinity();
  const float none = std::numeric_limits<float>::quiet_NaN();
  for (const float odd : {huge, -huge, infinite, none})
    for (const Shape shape : {Shape::Fill, Shape::Line, Shape::Arrow, Shape::Text})
      for (size_t ink = 0; ink < inks; ink++)
        for (int place = 0; place < 16; place++)
          p.add({place & 1 ? odd : 1, place & 2 ? odd : 1, place & 4 ? odd : 20,
                 place & 8 ? odd : 40, 1, shape, static_cast<Ink>(ink)});
  const std::string text = to_terminal(p.list, themes[0], 10, TerminalColours::Few);
  for (size_t i = 0; i < text.size(); i++) {
    const auto c = static_cast<unsigned char>(text[i]);
    CHECK((c >= 0x20 || c == '\n' || (c == 0x1b && text[i + 1] == '[')));
  }
}

TEST_CASE("each line sets and resets its colours") {
  Picture p(4, 2);
  p.bar(Ink::Bar, 1, 3, 0);
  CHECK(to_terminal(p.list, themes[1], 4, TerminalColours::Few) ==
        "\x1b[48;5;234m \x1b[38;5;103m\u2501\u2501 \x1b[0m\n"
        "\x1b[48;5;234m    \x1b[0m\n");
}
