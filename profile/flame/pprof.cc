#include "profile/flame/pprof.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "base/function_name.h"
#include "base/protobuf.h"
#include "profile/flame/harmless.h"
#include "profile/flame/palette.h"
#include "profile/flame/stack_walk.h"

namespace skein {

namespace {

// Field numbers of profile.proto. tests/flame/profile.proto repeats them for an independent reader.
namespace field {
constexpr uint32_t sample_type = 1, sample = 2, mapping = 3, location = 4, function = 5,
                   string_table = 6, comment = 13, default_sample_type = 14;
namespace value_type {
constexpr uint32_t type = 1, unit = 2;
}
namespace sample_ {
constexpr uint32_t location_id = 1, value = 2;
}
namespace mapping_ {
constexpr uint32_t id = 1, has_functions = 7;
}
namespace location_ {
constexpr uint32_t id = 1, mapping_id = 2, line = 4;
}
namespace line_ {
constexpr uint32_t function_id = 1;
}
namespace function_ {
constexpr uint32_t id = 1, name = 2, system_name = 3;
}
}  // namespace field

uint64_t rounded(double weight) {
  return static_cast<uint64_t>(std::clamp(std::round(weight), 0.0, 9e18));
}

}  // namespace

bool is_rounded(const StackTree& tree) {
  return std::any_of(tree.nodes.begin(), tree.nodes.end(), [](const StackTree::Node& node) {
    return node.self != std::round(node.self) || node.self_before != std::round(node.self_before);
  });
}

std::string pprof_message(const StackTree& tree, const ProfileUnit& unit, const std::string& title,
                          bool compares) {
  std::string out;
  Fields profile(out);
  std::vector<std::string> strings{""};
  const auto add = [&](std::string text) {
    strings.push_back(std::move(text));
    return strings.size() - 1;
  };
  const uint64_t unit_text = add(unit.standard.empty() ? "count" : std::string(unit.standard));
  const auto add_type = [&](const std::string& name) {
    const uint64_t text = add(harmless(name));
    Message type(out, field::sample_type);
    type.number(field::value_type::type, text);
    type.number(field::value_type::unit, unit_text);
    type.done();
    return text;
  };
  if (compares) add_type(unit.name + " before");
  const uint64_t shown = add_type(unit.name);
  std::vector<uint64_t> locations, values;
  for_each_stack(tree, [&](const StackTree::Node& node, std::span<const uint32_t> stack) {
    if (stack.empty()) return;
    locations.assign(stack.rbegin(), stack.rend());  // the innermost function first
    values.clear();
    if (compares) values.push_back(rounded(node.self_before));
    values.push_back(rounded(node.self));
    Message sample(out, field::sample);
    sample.packed(field::sample_::location_id, locations);
    sample.packed(field::sample_::value, values);
    sample.done();
  });
  {  // Without a mapping that has functions, pprof looks for the program.
    Message mapping(out, field::mapping);
    mapping.number(field::mapping_::id, 1);
    mapping.number(field::mapping_::has_functions, 1);
    mapping.done();
  }
  for (size_t i = 1; i < tree.names.size(); i++) {
    const uint64_t name = add(harmless(without_annotation(tree.names[i])));
    Message function(out, field::function);
    function.number(field::function_::id, i);
    function.number(field::function_::name, name);
    function.number(field::function_::system_name, name);
    function.done();
    Message location(out, field::location);
    location.number(field::location_::id, i);
    location.number(field::location_::mapping_id, 1);
    Message line(location, field::location_::line);
    line.number(field::line_::function_id, i);
    line.done();
    location.done();
  }
  profile.number(field::comment, add(harmless(title)));
  profile.number(field::default_sample_type, shown);
  for (const std::string& text : strings) profile.text(field::string_table, text);
  return out;
}

std::string pprof_gzip(const StackTree& tree, const ProfileUnit& unit, const std::string& title,
                       bool compares) {
  const std::string message = pprof_message(tree, unit, title, compares);
  z_stream stream = {};
  constexpr int gzip = 15 + 16;  // window bits; with the header of gzip, whose time stays 0
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return {};
  std::string out(deflateBound(&stream, message.size()), '\0');
  size_t read = 0, written = 0;
  int state = Z_OK;
  while (state == Z_OK) {  // zlib counts in 32 bits
    constexpr size_t most = std::numeric_limits<uInt>::max();
    const size_t size = std::min(message.size() - read, most);
    const size_t space = std::min(out.size() - written, most);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(message.data() + read));
    stream.avail_in = static_cast<uInt>(size);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + written);
    stream.avail_out = static_cast<uInt>(space);
    state = deflate(&stream, read + size == message.size() ? Z_FINISH : Z_NO_FLUSH);
    read += size - stream.avail_in;
    written += space - stream.avail_out;
  }
  deflateEnd(&stream);
  if (state != Z_STREAM_END) return {};
  out.resize(written);
  return out;
}

}  // namespace skein
