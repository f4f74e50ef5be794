#include "view/draw/theme.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace skein;

namespace {

// WCAG 2.1: relative luminance, contrast ratio.
double luminance(Colour colour) {
  const auto linear = [](uint8_t value) {
    const double share = value / 255.0;
    return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue);
}

double contrast(Colour a, Colour b) {
  const double light = std::max(luminance(a), luminance(b));
  const double dark = std::min(luminance(a), luminance(b));
  return (light + 0.05) / (dark + 0.05);
}

}  // namespace

TEST_CASE("texts can be read: contrast of at least 4.5 to 1") {
  for (const Theme& theme : themes) {
    CAPTURE(theme.name);
    const auto check = [&](Ink text, Ink behind) {
      CAPTURE(static_cast<int>(text));
      CAPTURE(static_cast<int>(behind));
      CHECK(contrast(theme[text], theme[behind]) >= 4.5);
    };
    for (const Ink text : {Ink::Axis, Ink::Band, Ink::Label, Ink::Kind})
      for (const Ink behind : {Ink::Background, Ink::Sleep, Ink::Pause}) check(text, behind);
    for (const Ink behind : {Ink::Highlight}) check(Ink::Label, behind);
    for (size_t i = 0; i < 8; i++)
      check(static_cast<Ink>(static_cast<size_t>(Ink::Counter0) + i), Ink::Background);
    for (const Ink text : {Ink::PanelText, Ink::Bookmark, Ink::Measure}) check(text, Ink::Panel);
    check(Ink::Background, Ink::Axis);  // the time at the pointer
  }
}

TEST_CASE("bars and arrows can be seen: contrast of at least 3 to 1") {
  for (const Theme& theme : themes) {
    CAPTURE(theme.name);
    for (const Ink ink : {Ink::Bar, Ink::BarUnnamed, Ink::Failed, Ink::Creation, Ink::Read,
                          Ink::ReadFailure, Ink::Resolve, Ink::Message, Ink::Selection}) {
      CAPTURE(static_cast<int>(ink));
      CHECK(contrast(theme[ink], theme[Ink::Background]) >= 3);
    }
    for (const Ink ink : {Ink::Notify, Ink::Await}) {  // orange and yellow, on white
      CAPTURE(static_cast<int>(ink));
      CHECK(contrast(theme[ink], theme[Ink::Background]) >= 2.5);
    }
    CHECK(contrast(theme[Ink::Running], theme[Ink::Bar]) >= 3);
  }
}

TEST_CASE("themes are found by name") {
  for (const Theme& theme : themes) CHECK(find_theme(theme.name) == &theme);
  CHECK(find_theme("no such theme") == nullptr);
}
