// Attributes of functions in a picture, such as links: the option --nameattr of flamegraph.pl. A
// line is a name, a tab, and attributes with tabs between them:
//
//   parse	href=https://example.org/parse	title=The parser
//
//   Result<NameAttributes> attributes = read_name_attributes(text);
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace skein {

struct BoxAttributes {  // empty: none
  std::string id = {};
  std::string style = {};   // its CSS classes: the attribute `class`
  std::string title = {};   // instead of the name and the count
  std::string href = {};    // a click follows it
  std::string target = {};  // of href
};
using NameAttributes = std::map<std::string, BoxAttributes, std::less<>>;

// Values are plain text, not escaped; of several lines of a name the last counts. An error begins
// with the number of its line.
Result<NameAttributes> read_name_attributes(std::string_view text);

// By the name as it is, or without its annotation (palette.h). Null: it has none.
const BoxAttributes* attributes_of(const NameAttributes& all, std::string_view name);

}  // namespace skein
