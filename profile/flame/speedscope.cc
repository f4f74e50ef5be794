#include "profile/flame/speedscope.h"

#include <array>
#include <charconv>

#include "base/escape.h"
#include "base/function_name.h"
#include "profile/flame/palette.h"
#include "profile/flame/stack_walk.h"

namespace skein {

namespace {

void append_weight(std::string& out, double weight) {
  std::array<char, 40> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), weight);
  out.append(digits.data(), error == std::errc{} ? end : digits.data());
}

// A profile "sampled": a list of stacks, and one of their weights.
void append_profile(std::string& out, const StackTree& tree, const ProfileUnit& unit,
                    const std::string& name, bool is_before) {
  out += R"({"type":"sampled","name":)";
  append_json(out, name);
  out += R"(,"unit":")";
  out += unit.standard.empty() ? "none" : unit.standard;
  out += R"(","startValue":0,"endValue":)";
  std::string samples, weights;
  double sum = 0;
  for_each_stack(tree, [&](const StackTree::Node& node, std::span<const uint32_t> stack) {
    const double weight = is_before ? node.self_before : node.self;
    if (weight <= 0) return;
    sum += weight;
    if (!samples.empty()) samples += ',', weights += ',';
    samples += '[';
    for (size_t i = 0; i < stack.size(); i++) {
      if (i != 0) samples += ',';
      samples += std::to_string(stack[i]);
    }
    samples += ']';
    append_weight(weights, weight);
  });
  append_weight(out, sum);
  out += ",\"samples\":[" + samples + "],\n\"weights\":[" + weights + "]}";
}

}  // namespace

std::string speedscope_json(const StackTree& tree, const ProfileUnit& unit,
                            const std::string& title, bool compares) {
  std::string out =
      R"({"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"skein","name":)";
  append_json(out, title);
  out += ",\n\"shared\":{\"frames\":[";
  for (size_t i = 0; i < tree.names.size(); i++) {  // frame 0 is the root, which no stack has
    if (i != 0) out += ",\n";
    out += R"({"name":)";
    append_json(out, without_annotation(tree.names[i]));
    out += '}';
  }
  out += "]},\n\"activeProfileIndex\":0,\"profiles\":[\n";
  append_profile(out, tree, unit, compares ? "after" : title, false);
  if (compares) {
    out += ",\n";
    append_profile(out, tree, unit, "before", true);
  }
  out += "]}\n";
  return out;
}

}  // namespace skein
