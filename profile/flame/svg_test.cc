#include "profile/flame/svg.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "profile/flame/folded.h"

using namespace skein;

namespace {

StackTree tree_of(std::string_view text, FoldedStacks& stacks) {
  stacks.add({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  return stacks.tree();
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("a box has its place, its title and a label that fits") {
  FoldedStacks stacks;
  const std::string svg = flame_svg(
      tree_of("main;a 25\nmain;a_long_name_that_does_not_fit 75\n", stacks), {.width = 220});
  // 56 px above, three rows of 16 px, 30 px below.
  CHECK(contains(svg, "width=\"220\" height=\"134\""));
  CHECK(contains(
      svg, "<title>all (100 samples, 100.00%)</title><rect x=\"10.00\" y=\"88\" width=\"200.00\""));
  CHECK(contains(svg,
            "<title>a (25 samples, 25.00%)</title><rect x=\"10.00\" y=\"56\" width=\"50.00\" "
            "height=\"15\""));
  CHECK(contains(svg, "fit (75 samples, 75.00%)</title><rect x=\"60.00\" y=\"56\" width=\"150.00\""));
  CHECK(contains(svg, ">a_long_name_that_do..</text>"));
}

TEST_CASE("times are shown as such") {
  FoldedStacks stacks;
  const std::string svg = flame_svg(tree_of("main 1250000\n", stacks), {.unit = "ns"});
  CHECK(contains(svg, "<title>main (1.25 ms, 100.00%)</title>"));
}

TEST_CASE("fonts, rows and backgrounds") {
  FoldedStacks stacks;
  const std::string svg =
      flame_svg(tree_of("main;a_function_name 1\n", stacks),
                {.notes = "x<y",
                 .font = "Verdana\"",
                 .font_size = 20,
                 .background = gradient_of("#102030"),
                 .width = 140,
                 .row = 30});
  CHECK(contains(svg, "width=\"140\" height=\"176\""));  // 56 + 3 * 30 + 30
  CHECK(contains(svg, "font-family=\"Verdana&quot;\" font-size=\"20.0\""));
  CHECK(contains(svg, "<desc>x&lt;y</desc>"));
  CHECK(contains(svg, "stop-color=\"#102030\""));
  CHECK(contains(svg, ">a_func..</text>") == false);
  CHECK(contains(svg, ">a_funct..</text>"));  // (120 - 6) / 12 characters
}

TEST_CASE("the width of characters decides how many fit") {
  FoldedStacks stacks;
  const StackTree tree = tree_of("main;a_function_name 1\n", stacks);
  CHECK(contains(flame_svg(tree, {.font_size = 20, .letter = 1, .width = 140}), ">a_f..</text>"));
  CHECK(contains(flame_svg(tree, {.font_size = 20, .letter = 1, .width = 140}),
                 "data-letter=\"20.00\""));
}

TEST_CASE("attributes of names: links, titles, classes") {
  FoldedStacks stacks;
  const std::string svg = flame_svg(
      tree_of("main;a_[k] 1\nmain;b 1\nmain;c 2\n", stacks),
      {.attributes = {{"a", {.href = "https://example.org/?x=\"<&"}},
                      {"b", {.id = "x", .style = "y z", .title = "</title>B", .target = "_self"}},
                      {"d", {.href = "unused"}}}});
  CHECK(contains(svg,
                 "<a href=\"https://example.org/?x=&quot;&lt;&amp;\" target=\"_top\"><title>a ("));
  CHECK(contains(svg, "<g id=\"x\" class=\"y z\" data-name=\"b\"><title>&lt;/title&gt;B</title>"));
  CHECK(contains(svg, "<g><title>c ("));
  CHECK(!contains(svg, "unused"));
  size_t opened = 0, closed = 0;
  for (size_t at = 0; (at = svg.find("<a ", at)) != svg.npos; at++) opened++;
  for (size_t at = 0; (at = svg.find("</a>", at)) != svg.npos; at++) closed++;
  CHECK(opened == 1);
  CHECK(closed == 1);
}

TEST_CASE("random shades: those of one function differ, and are the same each time") {
  FoldedStacks stacks;
  const StackTree tree = tree_of("a;f 1\nb;f 1\n", stacks);
  const auto colours = [&](bool random) {
    const std::string svg = flame_svg(tree, {.random = random});
    std::vector<std::string> found;
    for (size_t at = 0; (at = svg.find("<title>f (", at)) != svg.npos; at++)
      found.push_back(svg.substr(svg.find("fill=", at), 13));
    REQUIRE(found.size() == 2);
    return found;
  };
  CHECK(colours(false)[0] == colours(false)[1]);
  CHECK(colours(true)[0] != colours(true)[1]);
  CHECK(colours(true) == colours(true));
}

TEST_CASE("from the top down") {
  FoldedStacks stacks;
  const std::string svg = flame_svg(tree_of("main;a 25\n", stacks), {.icicle = true});
  CHECK(contains(svg, "<title>all (25 samples, 100.00%)</title><rect x=\"10.00\" y=\"56\""));
  CHECK(contains(svg, "<title>a (25 samples, 100.00%)</title><rect x=\"10.00\" y=\"88\""));
}

TEST_CASE("names from outside are text") {
  FoldedStacks stacks;
  const StackTree tree = tree_of("<script>alert(1)</script>]]>\x1b\xff\"&'\u202e 1\n", stacks);
  for (const std::string& text : {flame_svg(tree, {.title = "</title>]]><script>", .unit = "<b>"}),
                                  flame_html(tree, {.title = "</title>]]><script>"})}) {
    CHECK(!contains(text, "<script>alert"));
    CHECK(!contains(text, "<b>"));
    CHECK(!contains(text, "\x1b"));
    CHECK(!contains(text, "\xff"));
    CHECK(contains(text, "&lt;script&gt;alert(1)&lt;/script&gt;]]&gt;\\x1b\\xff&quot;&amp;'\\u{202e}"));
    const size_t script = text.find("<script>");
    REQUIRE(script != text.npos);
    CHECK(text.find("<script>", script + 1) == text.npos);
    CHECK(text.find("]]>") == text.rfind("]]>"));
  }
}

TEST_CASE("a comparison shows the change") {
  FoldedStacks stacks;
  const std::string svg =
      flame_svg(tree_of("main;a 10 30\nmain;b 30 10\n", stacks), {.compares = true});
  CHECK(contains(svg, "<title>a (30 samples, 75.00%; +50.00 points, itself +20 samples)</title>"));
  CHECK(contains(svg, "<title>b (10 samples, 25.00%; -50.00 points, itself -20 samples)</title>"));
  CHECK(contains(svg, "<title>main (40 samples, 100.00%; +0.00 points, itself +0 samples)</title>"));
}

TEST_CASE("an empty profile is a picture") {
  FoldedStacks stacks;
  const std::string svg = flame_svg(tree_of("", stacks), {});
  CHECK(contains(svg, "<title>all (0 samples, 0.00%)</title>"));
}
