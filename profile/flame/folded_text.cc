#include "profile/flame/folded_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "profile/flame/harmless.h"
#include "profile/flame/stack_walk.h"

namespace skein {

namespace {

void append_weight(std::string& out, double weight) {
  std::array<char, 40> digits;
  // Not in scientific notation, which other readers do not know.
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), weight, std::chars_format::fixed);
  out += ' ';
  out.append(digits.data(), error == std::errc{} ? end : digits.data());
}

}  // namespace

std::string folded_text(const StackTree& tree, bool compares) {
  std::vector<std::string> names;
  names.reserve(tree.names.size());
  for (const std::string& name : tree.names) {
    names.push_back(harmless(name));
    std::replace(names.back().begin(), names.back().end(), ';', ',');  // which separates functions
    hide_count(names.back());
  }
  std::string out;
  for_each_stack(tree, [&](const StackTree::Node& node, std::span<const uint32_t> stack) {
    for (size_t i = 0; i < stack.size(); i++) {
      if (i != 0) out += ';';
      out += names[stack[i]];
    }
    if (compares) append_weight(out, node.self_before);
    append_weight(out, node.self);
    out += '\n';
  });
  return out;
}

}  // namespace skein
