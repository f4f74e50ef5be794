#include "profile/flame/palette.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/function_name.h"

namespace skein {

namespace {

// In [0, 1), the same for the same text and number (FNV-1a, Fowler, Noll, Vo).
struct Fractions {
  double first;
  double second;
};
Fractions fractions_of(std::string_view text, uint64_t number = 0) {
  uint64_t hash = 0xcbf29ce484222325 ^ number * 0x9e3779b97f4a7c15;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  hash ^= hash >> 29;
  hash *= 0xbf58476d1ce4e5b9;
  hash ^= hash >> 32;
  return {static_cast<double>(hash & 0xffff) / 65536,
          static_cast<double>(hash >> 16 & 0xffff) / 65536};
}

Rgb rgb(double red, double green, double blue) {
  const auto byte = [](double value) {
    return static_cast<uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
  };
  return {byte(red), byte(green), byte(blue)};
}

// Hue in turns; the other two from 0 to 1.
Rgb from_hue(double hue, double saturation, double lightness) {
  const auto part = [&](double offset) {
    const double k = std::fmod(offset + hue * 12, 12);
    const double amplitude = saturation * std::min(lightness, 1 - lightness);
    return 255 * (lightness - amplitude * std::max(-1.0, std::min({k - 3, 9 - k, 1.0})));
  };
  return rgb(part(0), part(8), part(4));
}

Rgb red(Fractions f) { return rgb(200 + 55 * f.first, 70 + 60 * f.second, 60 + 60 * f.second); }
Rgb orange(Fractions f) { return rgb(225 + 30 * f.first, 120 + 45 * f.second, 20 + 30 * f.second); }
Rgb yellow(Fractions f) { return rgb(200 + 35 * f.first, 185 + 40 * f.second, 50 + 30 * f.second); }
Rgb green(Fractions f) { return rgb(70 + 50 * f.second, 180 + 50 * f.first, 75 + 50 * f.second); }
Rgb aqua(Fractions f) { return rgb(60 + 50 * f.second, 185 + 45 * f.first, 185 + 45 * f.first); }
Rgb blue(Fractions f) { return rgb(105 + 55 * f.second, 155 + 50 * f.second, 215 + 40 * f.first); }

Rgb purple(Fractions f) {
  return rgb(190 + 60 * f.first, 90 + 70 * f.second, 190 + 60 * f.first);
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

Rgb java(std::string_view name, char annotation, Fractions f) {
  if (annotation == 'k') return orange(f);
  if (annotation == 'j') return green(f);
  if (annotation == 'i') return aqua(f);
  if (has(name, "/") || has(name, ":::")) return green(f);
  if (has(name, "::")) return yellow(f);
  return red(f);
}

Rgb js(std::string_view name, char annotation, Fractions f) {
  if (annotation == 'k') return orange(f);
  if (annotation == 'j') return has(name, "/") ? green(f) : aqua(f);
  if (has(name, "::")) return yellow(f);
  if (const size_t slash = name.find('/'); slash != name.npos && has(name.substr(slash), ".js"))
    return green(f);
  if (has(name, ":")) return aqua(f);
  return red(f);
}

Rgb perl(std::string_view name, char annotation, Fractions f) {
  if (annotation == 'k') return orange(f);
  if (has(name, "::")) return yellow(f);
  if (has(name, "Perl") || has(name, ".pl")) return green(f);
  return red(f);
}

}  // namespace

std::optional<Palette> palette_of(std::string_view name) {
  for (const PaletteName& one : palette_names)
    if (one.name == name) return one.palette;
  return std::nullopt;
}

Rgb colour_of(Palette palette, std::string_view name, std::string_view library, uint64_t box) {
  const char annotation = annotation_of(name);
  const std::string_view plain = without_annotation(name);
  const Fractions f = fractions_of(plain, box);
  switch (palette) {
    case Palette::Hot:
      return rgb(205 + 50 * f.first, 60 + 150 * f.second, 35 + 30 * f.first);
    case Palette::Module: {
      if (annotation == 'k') return orange(f);
      const std::string_view module = library.empty() ? module_of(plain) : library;
      if (module.empty()) return from_hue(0.09, 0.25, 0.74 + 0.08 * f.first);
      return from_hue(fractions_of(module).first, 0.58, 0.66 + 0.1 * f.first);
    }
    case Palette::Kernel:
      return annotation == 'k' ? orange(f) : blue(f);
    case Palette::Guest:
      return annotation == 'k' ? orange(f) : annotation == 'g' ? green(f) : blue(f);
    case Palette::Java:
      return java(plain, annotation, f);
    case Palette::Js:
      return js(plain, annotation, f);
    case Palette::Perl:
      return perl(plain, annotation, f);
    case Palette::Chain:
      return annotation == 'w' ? aqua(f) : blue(f);
    case Palette::Wakeup:
    case Palette::Aqua:
      return aqua(f);
    case Palette::Memory:
    case Palette::Green:
      return green(f);
    case Palette::Io:
    case Palette::Blue:
      return blue(f);
    case Palette::Red:
      return red(f);
    case Palette::Orange:
      return orange(f);
    case Palette::Yellow:
      return yellow(f);
    case Palette::Purple:
      return purple(f);
    case Palette::Grey:
      return rgb(238, 238, 238);
  }
  return rgb(238, 238, 238);
}

std::optional<Gradient> gradient_of(std::string_view name) {
  if (name == "yellow") return Gradient{{0xee, 0xee, 0xee}, {0xee, 0xee, 0xb0}};
  if (name == "blue") return Gradient{{0xee, 0xee, 0xee}, {0xe0, 0xe0, 0xff}};
  if (name == "green") return Gradient{{0xee, 0xf2, 0xee}, {0xe0, 0xff, 0xe0}};
  if (name == "grey" || name == "gray") return Gradient{{0xf8, 0xf8, 0xf8}, {0xe8, 0xe8, 0xe8}};
  if (name.size() != 7 || name[0] != '#') return std::nullopt;
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + 7, value, 16);
  if (error != std::errc{} || end != name.data() + 7) return std::nullopt;
  const Rgb colour{static_cast<uint8_t>(value >> 16), static_cast<uint8_t>(value >> 8),
                   static_cast<uint8_t>(value)};
  return Gradient{colour, colour};
}

Rgb colour_of_change(double share) {
  share = std::clamp(share, -1.0, 1.0);
  const double rest = 240 * (1 - std::sqrt(std::abs(share)));
  if (share > 0) return rgb(250, 40 + rest * 0.83, 40 + rest * 0.83);
  if (share < 0) return rgb(60 + rest * 0.75, 100 + rest * 0.58, 250);
  return colour_of(Palette::Grey, {});
}

std::string_view module_of(std::string_view name) {
  if (name.ends_with(')') || name.ends_with(']')) {
    const size_t open = name.rfind(name.back() == ')' ? " (" : " [");
    const std::string_view inside =
        open == name.npos ? "" : name.substr(open + 2, name.size() - open - 3);
    if (!inside.empty() && inside.find_first_of("(),<> ") == inside.npos) return inside;
  }
  if (const size_t tick = name.find('`'); tick != name.npos && tick != 0)
    return name.substr(0, tick);
  // A return type may precede a template function's name.
  const size_t end = name.find("::");
  const size_t stop = name.find_first_of("<( [");
  if (end == name.npos || end == 0 || end > stop) return {};
  return name.substr(0, end);
}

}  // namespace skein
