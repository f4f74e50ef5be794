#include "profile/flame/name_attributes.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/escape.h"
#include "base/function_name.h"
#include "profile/flame/palette.h"

namespace skein {

namespace {

// Takes the text up to the next separator, or all of it.
std::string_view take_part(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

std::string* member(BoxAttributes& of, std::string_view name) {
  if (name == "id") return &of.id;
  if (name == "class") return &of.style;
  if (name == "title") return &of.title;
  if (name == "href") return &of.href;
  return name == "target" ? &of.target : nullptr;
}

// Ids of the picture's parts, by which its script finds them.
constexpr std::array<std::string_view, 7> used_ids{"background", "frames", "reset",  "search",
                              "case",       "detail", "matched"};

// Returns what is wrong; empty: nothing.
std::string add_attribute(std::string_view text, BoxAttributes& to) {
  if (text.find('=') == text.npos)
    return "'" + escaped(text) + "' has no value; an attribute is name=value";
  const std::string_view name = take_part(text, '=');
  std::string* value = member(to, name);
  if (value == nullptr)
    return "unknown attribute '" + escaped(name) + "'; use id, class, title, href or target";
  if (name == "id" && std::find(used_ids.begin(), used_ids.end(), text) != used_ids.end())
    return "the id '" + std::string(text) + "' is that of a part of the picture";
  *value = text;
  return {};
}

}  // namespace

Result<NameAttributes> read_name_attributes(std::string_view text) {
  NameAttributes all;
  for (size_t number = 1; !text.empty(); number++) {
    std::string_view line = take_part(text, '\n');
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const auto error = [&](const std::string& what) {
      return Error{.what = std::to_string(number) + ": " + what};
    };
    if (line.find('\t') == line.npos)
      return error("no tab; a line is a name, a tab and attributes such as href=LINK");
    const std::string name(take_part(line, '\t'));
    BoxAttributes attributes;
    while (!line.empty()) {
      const std::string wrong = add_attribute(take_part(line, '\t'), attributes);
      if (!wrong.empty()) return error(wrong);
    }
    all.insert_or_assign(name, std::move(attributes));
  }
  return all;
}

const BoxAttributes* attributes_of(const NameAttributes& all, std::string_view name) {
  auto found = all.find(name);
  if (found == all.end()) found = all.find(without_annotation(name));
  return found == all.end() ? nullptr : &found->second;
}

}  // namespace skein
