#include "profile/flame/palette.h"

#include <doctest/doctest.h>

#include "base/function_name.h"

using namespace skein;

namespace {

bool equal(Rgb a, Rgb b) { return a.red == b.red && a.green == b.green && a.blue == b.blue; }

}  // namespace

TEST_CASE("annotations") {
  CHECK(annotation_of("vfs_read_[k]") == 'k');
  CHECK(without_annotation("vfs_read_[k]") == "vfs_read");
  CHECK(annotation_of("[k]") == 0);
  CHECK(annotation_of("a_[x]") == 0);
  CHECK(without_annotation("a_[x]") == "a_[x]");
}

TEST_CASE("the library or namespace of a function") {
  CHECK(module_of("read (libc.so.6)") == "libc.so.6");
  CHECK(module_of("read [libc.so.6]") == "libc.so.6");
  CHECK(module_of("libc.so.6`read") == "libc.so.6");
  CHECK(module_of("asio::detail::run(int)") == "asio");
  CHECK(module_of("void std::sort<int>()") == "");
  CHECK(module_of("main") == "");
  CHECK(module_of("serve(tcp::socket)") == "");
  CHECK(module_of("f (a, b)") == "");
}

TEST_CASE("colours are stable, and differ by the meaning of the palette") {
  for (const PaletteName& one : palette_names)
    CHECK(equal(colour_of(one.palette, "main"), colour_of(one.palette, "main")));
  const Rgb kernel = colour_of(Palette::Kernel, "f_[k]");
  const Rgb user = colour_of(Palette::Kernel, "f");
  CHECK(kernel.red > kernel.blue);
  CHECK(user.blue > user.red);
  const Rgb guest = colour_of(Palette::Guest, "f_[g]");
  CHECK(guest.green > guest.blue);
  CHECK(colour_of(Palette::Java, "java/lang/String.<init>_[j]").green > 175);
  CHECK(colour_of(Palette::Js, "LazyCompile:~f /a/b.js:1_[j]").green > 175);
  CHECK(colour_of(Palette::Js, "v8::Script").blue < 100);
  CHECK(colour_of(Palette::Perl, "Perl_runops").green > 175);
  CHECK(colour_of(Palette::Chain, "f_[w]").green > colour_of(Palette::Chain, "f").red);
  CHECK(colour_of(Palette::Purple, "f").green < 170);
  const auto of_library = [](const char* name, const char* library) {
    return colour_of(Palette::Module, name, library);
  };
  CHECK(equal(of_library("malloc", "libc.so.6"), of_library("malloc", "libc.so.6")));
  CHECK_FALSE(equal(of_library("malloc", "libc.so.6"), of_library("malloc", "server")));
  CHECK_FALSE(equal(of_library("malloc", "libc.so.6"), colour_of(Palette::Module, "malloc")));
  CHECK(palette_of("java") == Palette::Java);
  CHECK(!palette_of("pink"));
}

TEST_CASE("a change is red, blue or neither") {
  CHECK(colour_of_change(1).red > colour_of_change(1).blue + 100);
  CHECK(colour_of_change(-1).blue > colour_of_change(-1).red + 100);
  CHECK(equal(colour_of_change(0), colour_of(Palette::Grey, "")));
  CHECK(equal(colour_of_change(7), colour_of_change(1)));
}

TEST_CASE("backgrounds") {
  CHECK(gradient_of("yellow")->bottom.blue == 0xb0);
  CHECK(equal(gradient_of("#a0b1c2")->top, {0xa0, 0xb1, 0xc2}));
  for (const char* wrong : {"", "#12345", "#12345g", "#1234567", "pink", "#-12345"})
    CHECK(!gradient_of(wrong));
}
