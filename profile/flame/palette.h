// Colours of a flame graph. A function has the same colour in every picture.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace skein {

enum class Palette : uint8_t {
  Hot,     // red to yellow
  Module,  // a hue for each library or namespace
  Kernel,  // kernel, user
  Guest,   // guest, host, kernel
  Java,    // these follow flamegraph.pl
  Js,
  Perl,
  Memory,  // green, for allocations
  Io,      // blue, for input and output
  Wakeup,  // aqua, for off-CPU time
  Chain,   // blue, and aqua for the stacks of wakers
  Red,
  Orange,
  Yellow,
  Green,
  Aqua,
  Blue,
  Purple,
  Grey,  // of a comparison, where nothing has changed
};
struct PaletteName {
  std::string_view name;
  Palette palette;
  std::string_view about;
};
inline constexpr std::array palette_names{
    PaletteName{"hot", Palette::Hot, "red to yellow"},
    PaletteName{"module", Palette::Module, "by library or namespace"},
    PaletteName{"kernel", Palette::Kernel, "kernel orange, user blue"},
    PaletteName{"guest", Palette::Guest, "guest green, host blue, kernel orange"},
    PaletteName{"java", Palette::Java, "Java green, C++ yellow, kernel orange, the rest red"},
    PaletteName{"js", Palette::Js, "JavaScript green, built in aqua, C++ yellow, kernel orange"},
    PaletteName{"perl", Palette::Perl, "Perl green, C++ yellow, kernel orange, the rest red"},
    PaletteName{"mem", Palette::Memory, "green"},
    PaletteName{"io", Palette::Io, "blue"},
    PaletteName{"wakeup", Palette::Wakeup, "aqua"},
    PaletteName{"chain", Palette::Chain, "wakers aqua, the rest blue"},
    PaletteName{"red", Palette::Red, "red"},
    PaletteName{"orange", Palette::Orange, "orange"},
    PaletteName{"yellow", Palette::Yellow, "yellow"},
    PaletteName{"green", Palette::Green, "green"},
    PaletteName{"aqua", Palette::Aqua, "aqua"},
    PaletteName{"blue", Palette::Blue, "blue"},
    PaletteName{"purple", Palette::Purple, "purple"},
};
std::optional<Palette> palette_of(std::string_view name);

struct Rgb {
  uint8_t red;
  uint8_t green;
  uint8_t blue;
};

// Of a background, from top to bottom.
struct Gradient {
  Rgb top;
  Rgb bottom;
};
// "yellow", "blue", "green", "grey" as flamegraph.pl has them, or "#rrggbb".
std::optional<Gradient> gradient_of(std::string_view name);

// The name may end with an annotation of stackcollapse programs (see without_annotation).
// `library`: of Palette::Module, if it is known. `box`: another number gives another shade; 0: that
// of the name alone.
Rgb colour_of(Palette palette, std::string_view name, std::string_view library = {},
              uint64_t box = 0);
// From blue (less) over white to red (more); `share` is -1 to 1.
Rgb colour_of_change(double share);

// The library or namespace that a function belongs to: "libc.so.6" of "read (libc.so.6)" and of
// "libc.so.6`read", "asio" of "asio::detail::run". Empty: unknown.
std::string_view module_of(std::string_view name);

}  // namespace skein
