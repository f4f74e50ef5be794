#include "profile/flame/name_attributes.h"

#include <doctest/doctest.h>

#include <string>

using namespace skein;

TEST_CASE("attributes of names") {
  const auto all = read_name_attributes(
      "a;b\thref=https://example.org/?x=1&y=2\ttarget=_blank\r\n\n"
      "main\tid=start\tclass=hot big\ttitle=The <main> function\n"
      "empty\t\nlast\ttitle=");
  REQUIRE(all.has_value());
  CHECK(all->size() == 4);
  const BoxAttributes* link = attributes_of(*all, "a;b");
  REQUIRE(link != nullptr);
  CHECK(link->href == "https://example.org/?x=1&y=2");
  CHECK(link->target == "_blank");
  const BoxAttributes* start = attributes_of(*all, "main_[i]");
  REQUIRE(start != nullptr);
  CHECK(start->id == "start");
  CHECK(start->style == "hot big");
  CHECK(start->title == "The <main> function");
  CHECK(attributes_of(*all, "other") == nullptr);
  CHECK(attributes_of(*all, "last")->title.empty());
  CHECK(read_name_attributes("").value().empty());
}

TEST_CASE("messages about attributes") {
  const auto error_of = [](std::string_view text) {
    const auto all = read_name_attributes(text);
    return all ? std::string() : all.error().message();
  };
  CHECK(error_of("a\thref=x\nb href=y\n") ==
        "2: no tab; a line is a name, a tab and attributes such as href=LINK");
  CHECK(error_of("a\tg_extra=onclick=\"x()\"") ==
        "1: unknown attribute 'g_extra'; use id, class, title, href or target");
  CHECK(error_of("a\thref=x\tbold\x1b") == "1: 'bold\\x1b' has no value; an attribute is name=value");
  CHECK(error_of("a\tid=search") == "1: the id 'search' is that of a part of the picture");
}
