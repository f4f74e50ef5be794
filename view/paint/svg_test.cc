#include <doctest/doctest.h>

#include <limits>

#include "view/paint/paint.h"

using namespace skein;

namespace {

DrawList canvas(float width, float height) {
  DrawList list;
  list.width = width;
  list.height = height;
  return list;
}

uint32_t add(DrawList& list, std::string_view text) {
  const auto offset = static_cast<uint32_t>(list.texts.size());
  (list.texts += text) += '\0';
  return offset;
}

std::string svg(const DrawList& list) { return to_svg(list, themes[0], "test"); }

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a picture as SVG") {
  DrawList list = canvas(200, 100);
  list.primitives = {
      {0, 0, 200, 100, 0, Shape::Fill, Ink::Background},
      {10, 20.25f, 50, 6, 0, Shape::Fill, Ink::Bar},
      {70, 20.25f, 0.5f, 6, 0, Shape::Fill, Ink::Bar},
      {80, 20, 30, 6, add(list, "send (task), 1.25 ms"), Shape::Fill, Ink::Bar},
      {90.25f, 20, 0, 30, 0, Shape::Arrow, Ink::Read, 128},
      {0, 0, 30, 40, 0, Shape::Line, Ink::Creation},
      {10, 18, 0, 0, add(list, "send"), Shape::Text, Ink::Label, 255, 11},
  };
  CHECK(
      svg(list) ==
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100" viewBox="0 0 200 100" font-family="sans-serif">
<title>test</title>
<style>
.s0{fill:#eff0f3}
.s1{fill:#3a4256}
.s2{fill:#2456d6;fill-opacity:0.5}
.s3{fill:#6d7484}
.s4{fill:#16181d;font-size:11px}
text{pointer-events:none}
</style>
<path class="s0" d="M0 0h200v100h-200z"/>
<path class="s1" d="M10 20.25h50v6h-50zM70 20.25h0.5v6h-0.5z"/>
<path class="s1" d="M80 20h30v6h-30z"><title>send (task), 1.25 ms</title></path>
<path class="s2" d="M90 20h1v23h-1zM90.5 50L87.56 43L93.44 43z"/>
<path class="s3" d="M0.4 -0.3L30.4 39.7L29.6 40.3L-0.4 0.3z"/>
<text class="s4" x="10" y="18">send</text>
</svg>
)");
}

TEST_CASE("texts are never markup") {
  DrawList list = canvas(10, 10);
  const std::string_view hostile = "</text><script>alert(\"&\")</script>";
  list.primitives = {
      {0, 0, 0, 0, add(list, hostile), Shape::Text, Ink::Label, 255, 11},
      {0, 0, 5, 5, add(list, hostile), Shape::Fill, Ink::Bar},
      {0, 0, 0, 0, add(list, "a\x1b[31m\x01\xff\xe2\x80\xae\xef\xbf\xbf"), Shape::Text, Ink::Label},
  };
  const std::string out = to_svg(list, themes[0], hostile);
  CHECK(!has(out, "<script"));
  CHECK(has(out, ">&lt;/text&gt;&lt;script&gt;alert(&quot;&amp;&quot;)&lt;/script&gt;</text>"));
  CHECK(has(out, ">a\xef\xbf\xbd[31m\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd</text>"));
}

TEST_CASE("a text longer than its room is cut") {
  DrawList list = canvas(10, 10);
  list.primitives = {{0, 0, 40, 0, add(list, "a long label"), Shape::Text, Ink::Label, 255, 11}};
  CHECK(has(svg(list), "a lon\xe2\x80\xa6</text>"));
}

TEST_CASE("coordinates that are not finite do no harm") {
  DrawList list = canvas(10, 10);
  const float none = std::numeric_limits<float>::quiet_NaN();
  list.primitives = {{none, 1, 3e38f, 1, 0, Shape::Fill, Ink::Bar},
                     {none, 1, 3e38f, 1, 0, Shape::Arrow, Ink::Bar}};
  const std::string out = svg(list);
  CHECK(has(out, "M0 1h1000000000v1h-1000000000z\""));
  CHECK(!has(out, "nan"));
}
