#include "view/draw/theme.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

using namespace skein;

namespace {

using Three = std::array<double, 3>;

Three linear(Colour colour) {
  const auto one = [](uint8_t value) {
    const double share = value / 255.0;
    return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
  };
  return {one(colour.red), one(colour.green), one(colour.blue)};
}

// WCAG 2.1: relative luminance, contrast ratio.
double luminance(Colour colour) {
  const auto [red, green, blue] = linear(colour);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

double contrast(Colour a, Colour b) {
  const double light = std::max(luminance(a), luminance(b));
  const double dark = std::min(luminance(a), luminance(b));
  return (light + 0.05) / (dark + 0.05);
}

// Vision of protans, deutans and tritans (Machado, Oliveira, Fernandes 2009, severity 1).
constexpr std::array<std::array<Three, 3>, 3> sights = {{
    {{{0.152286, 1.052583, -0.204868},
      {0.114503, 0.786281, 0.099216},
      {-0.003882, -0.048116, 1.051998}}},
    {{{0.367322, 0.860646, -0.227968},
      {0.280085, 0.672501, 0.047413},
      {-0.011820, 0.042940, 0.968881}}},
    {{{1.255528, -0.076749, -0.178779},
      {-0.078411, 0.930809, 0.147602},
      {0.004733, 0.691367, 0.303900}}},
}};

// CIE 1976 L*a*b* of a colour as seen by such an eye.
Three lab(Colour colour, const std::array<Three, 3>& sight) {
  const Three seen = linear(colour);
  Three rgb;
  for (size_t i = 0; i < 3; i++)
    rgb[i] =
        std::clamp(sight[i][0] * seen[0] + sight[i][1] * seen[1] + sight[i][2] * seen[2], 0.0, 1.0);
  const auto root = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
  const double x = root((0.4124 * rgb[0] + 0.3576 * rgb[1] + 0.1805 * rgb[2]) / 0.95047);
  const double y = root(0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]);
  const double z = root((0.0193 * rgb[0] + 0.1192 * rgb[1] + 0.9505 * rgb[2]) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

}  // namespace

TEST_CASE("arrows differ for the colour-blind") {
  constexpr std::array arrows = {Ink::Read,   Ink::ReadFailure, Ink::Resolve,
                                 Ink::Notify, Ink::Await,       Ink::Message};
  for (const char* name : {"colour-blind", "colour-blind-dark"}) {
    const Theme& theme = *find_theme(name);
    for (const auto& sight : sights)
      for (size_t i = 0; i < arrows.size(); i++)
        for (size_t k = 0; k < i; k++) {
          const Three a = lab(theme[arrows[i]], sight);
          const Three b = lab(theme[arrows[k]], sight);
          CAPTURE(name);
          CAPTURE(i);
          CAPTURE(k);
          CHECK(std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) >= 20);
        }
  }
}

TEST_CASE("texts are readable: contrast of at least 4.5 to 1") {
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
    for (size_t i = 0; i < hues; i++)
      check(Ink::Label, static_cast<Ink>(static_cast<size_t>(Ink::Hue0) + i));
    for (size_t i = 0; i < 8; i++)
      check(static_cast<Ink>(static_cast<size_t>(Ink::Counter0) + i), Ink::Background);
    for (const Ink text : {Ink::PanelText, Ink::Bookmark, Ink::Measure}) check(text, Ink::Panel);
    check(Ink::Background, Ink::Axis);  // the time at the pointer
  }
}

TEST_CASE("bars and arrows are visible: contrast of at least 3 to 1") {
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

TEST_CASE("a name has the same hue everywhere, and names use all hues") {
  CHECK(hue_of("query") == hue_of(std::string("que") + "ry"));
  CHECK(hue_of("") == hue_of({}));
  std::array<size_t, hues> names{};
  for (int i = 0; i < 1200; i++) {
    const auto hue = static_cast<size_t>(hue_of("worker " + std::to_string(i)));
    REQUIRE(hue >= static_cast<size_t>(Ink::Hue0));
    REQUIRE(hue <= static_cast<size_t>(Ink::Hue11));
    names[hue - static_cast<size_t>(Ink::Hue0)]++;
  }
  for (const size_t count : names) CHECK(count > 50);
}
