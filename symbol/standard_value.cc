#include "symbol/standard_value.h"

#include <dwarf.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/escape.h"
#include "symbol/dwarf_attributes.h"
#include "symbol/dwarf_work.h"

namespace skein {

namespace {

using Form = StandardValue::Form;
using Element = StandardValue::Element;
using Found = std::optional<StandardValue>;

constexpr uint64_t word = 8;
constexpr uint64_t most_elements = StandardValue::most_elements;
constexpr uint64_t largest_count = uint64_t{1} << 40;  // of any container; more: damaged

bool is_qualifier(int tag) {
  return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
         tag == DW_TAG_atomic_type;
}

struct Field {
  Dwarf_Die type = {};
  uint64_t offset = 0;
};
using Path = std::initializer_list<std::string_view>;

StandardValue text_value(std::string text) {
  return {.form = Form::Text, .text = std::move(text)};
}

std::string hexadecimal(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

// 3 of "_Head_base<3UL, int, false>", or nothing.
std::optional<uint64_t> number_behind(std::string_view name, std::string_view before) {
  const size_t at = name.find(before);
  if (at == std::string_view::npos) return {};
  const char* begin = name.data() + at + before.size();
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(begin, name.data() + name.size(), value);
  if (error != std::errc() || end == begin) return {};
  return value;
}

class Reader {
 public:
  Reader(const FrameMemory& memory, const CodeNames& names, Dwarf_Die type, uint64_t address)
      : memory_(memory), names_(names), type_(type), at_(address), name_(name_of(&type_)) {}

  Found read();

 private:
  struct Shape {
    std::string_view begin;  // of the type's name
    Found (Reader::*show)();
  };
  static const Shape shapes[];

  // ---- types ----

  bool spend() { return left_ != 0 && --left_ != 0; }

  // A member by its name; those of base classes after the object's own.
  std::optional<Field> member(Dwarf_Die type, std::string_view name, int depth = 0) {
    constexpr int deepest = 8;
    type = plain_type(type);
    Dwarf_Die child;
    if (depth == deepest || dwarf_child(&type, &child) != 0) return {};
    std::vector<Field> bases;
    do {
      if (!spend()) return {};
      const int tag = dwarf_tag(&child);
      if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
      // Members of a union have no offset.
      Field found{.offset = number_of(&child, DW_AT_data_member_location).value_or(0)};
      if (!type_of(&child, &found.type)) continue;
      if (tag == DW_TAG_inheritance)
        bases.push_back(found);
      else if (name_of(&child) == name)
        return found;
    } while (next_sibling(&child));
    for (const Field& base : bases)
      if (auto found = member(base.type, name, depth + 1)) {
        found->offset += base.offset;
        return found;
      }
    return {};
  }
  std::optional<Field> field(Path path) {
    std::optional<Field> found = Field{.type = type_};
    for (const std::string_view name : path) {
      const uint64_t before = found->offset;
      found = member(found->type, name);
      if (!found) return {};
      found->offset += before;
    }
    return found;
  }

  // The arguments of a template that are types.
  std::vector<Dwarf_Die> arguments_of(Dwarf_Die type, int depth = 0) {
    constexpr size_t most = 64;
    std::vector<Dwarf_Die> found;
    Dwarf_Die child;
    if (dwarf_child(&type, &child) != 0) return found;
    do {
      if (!spend() || found.size() == most) break;
      Dwarf_Die argument;
      if (dwarf_tag(&child) == DW_TAG_template_type_parameter && type_of(&child, &argument))
        found.push_back(argument);
      if (dwarf_tag(&child) == DW_TAG_GNU_template_parameter_pack && depth == 0)
        for (const Dwarf_Die& one : arguments_of(child, 1)) found.push_back(one);
    } while (next_sibling(&child));
    return found;
  }
  std::optional<Dwarf_Die> argument_of(Dwarf_Die type, size_t number) {
    const std::vector<Dwarf_Die> all = arguments_of(plain_type(type));
    return number < all.size() ? std::optional(all[number]) : std::nullopt;
  }
  std::optional<Dwarf_Die> argument(size_t number) { return argument_of(type_, number); }

  static uint64_t size_of(Dwarf_Die type) {
    Dwarf_Die plain = plain_type(type);
    Dwarf_Word size = 0;
    return dwarf_aggregate_size(&plain, &size) == 0 ? size : 0;
  }

  // ---- memory ----

  std::optional<uint64_t> number(uint64_t address, uint64_t size = word) const {
    uint8_t bytes[word] = {};
    if (size == 0 || size > word || memory_(address, std::span(bytes).first(size)) != size)
      return {};
    uint64_t value = 0;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  std::optional<uint64_t> number_at(Path path) {
    const auto found = field(path);
    return found ? number(at_ + found->offset, size_of(found->type)) : std::nullopt;
  }

  // ---- results ----

  static Found unreadable() { return text_value(unreadable_value); }

  static Found elements(std::vector<Element> all, uint64_t count, Form form = Form::Elements) {
    if (count > largest_count) return unreadable();
    return StandardValue{.form = form, .elements = std::move(all), .count = count};
  }

  Found one(Dwarf_Die type, uint64_t address, std::string text = "", std::string end = "") const {
    return StandardValue{.form = Form::One,
                         .text = std::move(text),
                         .end = std::move(end),
                         .elements = {{type, address}},
                         .count = 1};
  }

  Found characters(uint64_t address, uint64_t count) const {
    if (count > largest_count) return unreadable();
    return StandardValue{.form = Form::Character, .address = address, .count = count};
  }

  // Of an array.
  Found array(Dwarf_Die element, uint64_t begin, uint64_t count) const {
    const uint64_t size = size_of(element);
    if (size == 0) return unreadable();
    std::vector<Element> all;
    for (uint64_t i = 0; i < std::min(count, most_elements); i++)
      all.push_back({element, begin + i * size});
    return elements(std::move(all), count);
  }

  // Of an address, and what is there.
  Found pointer(Dwarf_Die pointee, uint64_t target, const std::string& more = "") const {
    if (target == 0) return text_value("nullptr");
    Dwarf_Die plain = plain_type(pointee);
    const std::string text = hexadecimal(target) + more;
    if (dwarf_tag(&plain) == DW_TAG_invalid || dwarf_tag(&plain) == DW_TAG_unspecified_type)
      return text_value(text);
    return one(pointee, target, text + ' ');
  }

  // ---- shapes ----

  // The address of the characters, and their number. Other units have the type, at times.
  Found string() {
    const auto begin = number(at_);
    const auto size = number(at_ + word);
    return begin && size ? characters(*begin, *size) : unreadable();
  }

  Found string_view() {
    const auto size = number_at({"_M_len"});
    const auto begin = number_at({"_M_str"});
    return begin && size ? characters(*begin, *size) : Found();
  }

  Found path() {
    const auto found = field({"_M_pathname"});
    return found ? one(found->type, at_ + found->offset) : Found();
  }

  Found vector() {
    const auto first = field({"_M_impl", "_M_start"});
    const auto begin = number_at({"_M_impl", "_M_start"});
    const auto end = number_at({"_M_impl", "_M_finish"});
    const auto element = argument(0);
    if (!element || !first) return {};
    if (name_.starts_with("vector<bool,")) return bits();
    const uint64_t size = size_of(*element);
    if (!begin || !end || *end < *begin || size == 0 || (*end - *begin) % size != 0)
      return unreadable();
    return array(*element, *begin, (*end - *begin) / size);
  }

  Found bits() {
    const auto begin = number_at({"_M_impl", "_M_start", "_M_p"});
    const auto end = number_at({"_M_impl", "_M_finish", "_M_p"});
    const auto rest = number_at({"_M_impl", "_M_finish", "_M_offset"});
    if (!begin || !end || !rest || *end < *begin || *end - *begin > largest_count || *rest >= 64)
      return unreadable();
    const uint64_t count = 8 * (*end - *begin) + *rest;
    const auto first = count == 0 ? 0 : number(*begin);
    if (!first) return unreadable();
    std::string text = count > most_elements ? "size " + std::to_string(count) + " {" : "{";
    for (uint64_t i = 0; i < std::min(count, most_elements); i++)
      text += std::string(i == 0 ? "" : ", ") + ((*first >> i & 1) != 0 ? "true" : "false");
    return text_value(text + (count > most_elements ? ", ..}" : "}"));
  }

  Found deque() {
    const auto element = argument(0);
    const auto begin = number_at({"_M_impl", "_M_start", "_M_cur"});
    const auto begin_end = number_at({"_M_impl", "_M_start", "_M_last"});
    const auto begin_node = number_at({"_M_impl", "_M_start", "_M_node"});
    const auto end = number_at({"_M_impl", "_M_finish", "_M_cur"});
    const auto end_first = number_at({"_M_impl", "_M_finish", "_M_first"});
    const auto end_node = number_at({"_M_impl", "_M_finish", "_M_node"});
    if (!element || !field({"_M_impl", "_M_start", "_M_cur"})) return {};
    const uint64_t size = size_of(*element);
    if (!begin || !begin_end || !begin_node || !end || !end_first || !end_node || size == 0 ||
        *end_node < *begin_node || *begin_end < *begin || *end < *end_first)
      return unreadable();
    constexpr uint64_t buffer_bytes = 512;
    const uint64_t in_buffer = size < buffer_bytes ? buffer_bytes / size : 1;
    const uint64_t nodes = (*end_node - *begin_node) / word;
    if (nodes > largest_count || *begin_end - *begin > in_buffer * size) return unreadable();
    const uint64_t count = nodes == 0 ? (*end - *begin) / size
                                      : (*begin_end - *begin) / size + (nodes - 1) * in_buffer +
                                            (*end - *end_first) / size;
    std::vector<Element> all;
    uint64_t node = *begin_node;
    uint64_t left = (*begin_end - *begin) / size;
    uint64_t at = *begin;
    while (all.size() < std::min(count, most_elements)) {
      if (left == 0) {
        node += word;
        const auto next = number(node);
        if (!next) return unreadable();
        at = *next;
        left = in_buffer;
      }
      all.push_back({*element, at});
      at += size;
      left--;
    }
    return elements(std::move(all), count);
  }

  Found adaptor() {
    const auto found = field({"c"});
    return found ? one(found->type, at_ + found->offset) : Found();
  }

  // Each node has the address of the one before it as well; if not, what is there is no list (any
  // more), such as a place of clang's optimised code that has another use now.
  Found list() {
    const auto element = argument(0);
    const auto node = field({"_M_impl", "_M_node"});
    const auto count = number_at({"_M_impl", "_M_node", "_M_size"});
    if (!element || !node || !count) return {};
    const uint64_t header = at_ + node->offset;
    std::vector<Element> all;
    uint64_t before = header;
    std::optional<uint64_t> at = number(header);
    for (uint64_t i = 0; i < std::min(*count, most_elements); i++) {
      if (!at || number(*at + word) != before) return unreadable();
      all.push_back({*element, *at + 2 * word});
      before = *at;
      at = number(*at);
    }
    if (*count <= most_elements && at != header) return unreadable();
    return elements(std::move(all), *count);
  }

  Found forward_list() {
    const auto element = argument(0);
    const auto first = number_at({"_M_impl", "_M_head", "_M_next"});
    if (!element || !first) return {};
    std::vector<Element> all;
    uint64_t at = *first;
    for (; at != 0 && all.size() < most_elements; at = number(at).value_or(0))
      all.push_back({*element, at + word});
    StandardValue found{.form = Form::Elements, .elements = std::move(all)};
    found.count = found.elements.size();
    found.is_count_known = at == 0;
    return found;
  }

  // Nodes, each with the address of the next and, at `offset`, an element.
  Found chain(Dwarf_Die element, std::optional<uint64_t> first, uint64_t offset, uint64_t count,
              Form form) {
    std::vector<Element> all;
    uint64_t taken = 0;
    for (std::optional<uint64_t> at = first; taken < std::min(count, most_elements); taken++) {
      if (!at || *at == 0) return unreadable();
      if (!add_value(element, *at + offset, form, all)) return {};
      at = number(*at);
    }
    return elements(std::move(all), count, form);
  }

  // Of a map, the key and what it leads to.
  bool add_value(Dwarf_Die type, uint64_t address, Form form, std::vector<Element>& to) {
    if (form != Form::Pairs) {
      to.push_back({type, address});
      return true;
    }
    const auto key = member(type, "first");
    const auto mapped = member(type, "second");
    if (!key || !mapped) return false;
    to.push_back({key->type, address + key->offset});
    to.push_back({mapped->type, address + mapped->offset});
    return true;
  }

  Form form_of_map() const {
    return name_.find("map<") < name_.find('<') ? Form::Pairs : Form::Elements;
  }

  // A red-black tree: nodes have a colour, the parent, the left and the right one, and the element.
  Found tree() {
    const auto tree_type = field({"_M_t"});
    const auto header = field({"_M_t", "_M_impl", "_M_header"});
    const auto count = number_at({"_M_t", "_M_impl", "_M_node_count"});
    if (!tree_type || !header || !count) return {};
    const auto value = argument_of(tree_type->type, 1);
    if (!value) return {};
    const Form form = form_of_map();
    const uint64_t end = at_ + header->offset;
    const auto root = number(end + parent_node);
    if (!root || (*count != 0 && number(*root + parent_node) != end)) return unreadable();
    std::vector<Element> all;
    auto at = number(end + left_node);
    for (uint64_t i = 0; i < std::min(*count, most_elements); i++) {
      if (!at || *at == 0 || *at == end) return unreadable();
      if (!add_value(*value, *at + 4 * word, form, all)) return {};
      at = next_in_tree(*at);
    }
    return elements(std::move(all), *count, form);
  }

  static constexpr uint64_t parent_node = word;
  static constexpr uint64_t left_node = 2 * word;
  static constexpr uint64_t right_node = 3 * word;
  std::optional<uint64_t> next_in_tree(uint64_t node) const {
    constexpr int deepest = 100;  // of 2^50 nodes
    if (const auto right = number(node + right_node); !right || *right != 0) {
      std::optional<uint64_t> at = right;
      for (int i = 0; i < deepest && at; i++) {
        const auto left = number(*at + left_node);
        if (left == uint64_t{0}) return at;
        at = left;
      }
      return {};
    }
    std::optional<uint64_t> at = node;
    for (int i = 0; i < deepest && at; i++) {
      const auto parent = number(*at + parent_node);
      if (!parent || number(*parent + right_node) != at) return parent;
      at = parent;
    }
    return {};
  }

  Found hash_table() {
    const auto table = field({"_M_h"});
    const auto first = number_at({"_M_h", "_M_before_begin", "_M_nxt"});
    const auto count = number_at({"_M_h", "_M_element_count"});
    if (!table || !first || !count) return {};
    const auto value = argument_of(table->type, 1);
    return value ? chain(*value, first, word, *count, form_of_map()) : Found();
  }

  Found fixed_array() {
    const auto found = field({"_M_elems"});
    return found ? one(found->type, at_ + found->offset) : Found();
  }

  Found span() {
    const auto element = argument(0);
    const auto begin = number_at({"_M_ptr"});
    auto count = number_at({"_M_extent", "_M_extent_value"});
    if (!count && name_.find(',') != std::string::npos)
      count = number_behind(name_.substr(name_.rfind(',')), ", ");
    return element && begin && count ? array(*element, *begin, *count) : Found();
  }

  Found initializer_list() {
    const auto element = argument(0);
    const auto begin = number_at({"_M_array"});
    const auto count = number_at({"_M_len"});
    return element && begin && count ? array(*element, *begin, *count) : Found();
  }

  // The elements of a tuple, by their numbers.
  void add_heads(Dwarf_Die type, uint64_t offset, int depth,
                 std::vector<std::pair<uint64_t, Field>>& to) {
    constexpr int deepest = 40;
    type = plain_type(type);
    Dwarf_Die child;
    if (depth == deepest || dwarf_child(&type, &child) != 0) return;
    const auto number = number_behind(name_of(&type), "_Head_base<");
    do {
      if (!spend()) return;
      const int tag = dwarf_tag(&child);
      const uint64_t at = offset + number_of(&child, DW_AT_data_member_location).value_or(0);
      Dwarf_Die of;
      if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !type_of(&child, &of)) continue;
      if (tag == DW_TAG_member && number && name_of(&child) == "_M_head_impl")
        to.push_back({*number, {of, at}});
      if (tag == DW_TAG_inheritance) add_heads(of, at, depth + 1, to);
    } while (next_sibling(&child));
  }
  std::vector<std::pair<uint64_t, Field>> heads_of(Dwarf_Die type, uint64_t offset) {
    std::vector<std::pair<uint64_t, Field>> found;
    add_heads(type, offset, 0, found);
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    return found;
  }

  Found tuple() {
    const auto heads = heads_of(type_, 0);
    if (heads.empty() && name_ != "tuple<>") return {};
    std::vector<Element> all;
    for (const auto& [number, head] : heads)
      if (all.size() < most_elements) all.push_back({head.type, at_ + head.offset});
    return elements(std::move(all), heads.size());
  }

  Found unique_ptr() {
    const auto inner = field({"_M_t", "_M_t"});
    const auto pointee = argument(0);
    if (!inner || !pointee) return {};
    const auto heads = heads_of(inner->type, inner->offset);
    if (heads.empty() || heads.front().first != 0) return {};
    const auto target = number(at_ + heads.front().second.offset);
    if (!target) return unreadable();
    // Of an array, the number of elements is unknown.
    Dwarf_Die plain = plain_type(*pointee);
    if (dwarf_tag(&plain) == DW_TAG_array_type)
      return text_value(*target == 0 ? "nullptr" : hexadecimal(*target));
    return pointer(*pointee, *target);
  }

  // And weak_ptr, which may own nothing more.
  Found shared_ptr() {
    const auto pointee = argument(0);
    const auto target = number_at({"_M_ptr"});
    const auto control = number_at({"_M_refcount", "_M_pi"});
    if (!pointee || !target || !control) return {};
    constexpr uint64_t use_count = word;  // behind the address of virtual functions
    constexpr uint64_t one_owner = 1;
    const uint64_t uses = number(*control + use_count, 4).value_or(one_owner);
    if (name_.starts_with("weak_ptr<") && uses == 0) return text_value("expired");
    return pointer(*pointee, *target, uses > 1 ? " use count " + std::to_string(uses) : "");
  }

  Found optional() {
    const auto value = argument(0);
    const auto payload = field({"_M_payload", "_M_payload"});
    const auto has_value = number_at({"_M_payload", "_M_engaged"});
    if (!value || !payload || !has_value) return {};
    if (*has_value == 0) return text_value("nullopt");
    return *has_value == 1 ? one(*value, at_ + payload->offset) : unreadable();
  }

  Found variant() {
    const auto storage = field({"_M_u"});
    const auto index_field = field({"_M_index"});
    const auto index = number_at({"_M_index"});
    const std::vector<Dwarf_Die> types = arguments_of(type_);
    if (!storage || !index_field || !index || types.empty()) return {};
    const uint64_t none = size_of(index_field->type) == 1 ? 255 : 65535;
    if (*index == none) return text_value("valueless");
    if (*index >= types.size()) return unreadable();
    return one(types[*index], at_ + storage->offset, "[index " + std::to_string(*index) + "] ");
  }

  Found atomic() {
    for (const Path path : {Path{"_M_i"}, Path{"_M_base", "_M_i"}, Path{"_M_b", "_M_p"},
                            Path{"_M_fp"}, Path{"_M_b", "_M_i"}})
      if (const auto found = field(path)) return one(found->type, at_ + found->offset);
    return {};
  }

  Found coroutine_handle() {
    const auto target = number_at({"_M_fr_ptr"});
    if (!target) return {};
    return text_value(*target == 0 ? "nullptr" : hexadecimal(*target));
  }

  Found reference_wrapper() {
    const auto pointee = argument(0);
    const auto target = number_at({"_M_data"});
    return pointee && target ? pointer(*pointee, *target) : Found();
  }

  // "ms" of "duration<long, std::ratio<1, 1000> >".
  static std::string unit_of(std::string_view name) {
    constexpr std::pair<uint64_t, const char*> parts[] = {
        {1'000'000'000, "ns"}, {1'000'000, "us"}, {1000, "ms"}, {1, "s"}};
    constexpr std::pair<uint64_t, const char*> multiples[] = {
        {60, "min"}, {3600, "h"}, {86400, "d"}};
    const auto numerator = number_behind(name, "ratio<");
    if (!numerator) return "";
    const std::string_view behind = name.substr(name.find("ratio<"));
    const auto denominator = number_behind(behind, ", ");
    if (!denominator) return "";
    for (const auto& [value, text] : parts)
      if (*numerator == 1 && *denominator == value) return text;
    for (const auto& [value, text] : multiples)
      if (*numerator == value && *denominator == 1) return text;
    return " * " + std::to_string(*numerator) + '/' + std::to_string(*denominator) + " s";
  }

  Found duration() {
    const auto found = field({"__r"});
    return found ? one(found->type, at_ + found->offset, "", unit_of(name_)) : Found();
  }

  // Of the system's clock, a date in UTC; of others, since their beginning.
  Found time_point() {
    const auto inner = field({"__d"});
    const auto count = number_at({"__d", "__r"});
    if (!inner || !count) return {};
    Dwarf_Die type = plain_type(inner->type);
    const std::string unit = unit_of(name_of(&type));
    const auto value = static_cast<int64_t>(*count);
    const int64_t per_second = unit == "ns"   ? 1'000'000'000
                               : unit == "us" ? 1'000'000
                               : unit == "ms" ? 1000
                               : unit == "s"  ? 1
                                              : 0;
    constexpr int64_t latest = 253'402'300'799;  // in the year 9999
    if (per_second == 0 || name_.find("system_clock") == std::string::npos || value < 0 ||
        value / per_second > latest)
      return one(inner->type, at_ + inner->offset, "", " since epoch");
    const time_t seconds = value / per_second;
    tm parts = {};
    char text[40] = "";
    if (gmtime_r(&seconds, &parts) == nullptr ||
        std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts) == 0)
      return unreadable();
    const int64_t nanoseconds = value % per_second * (1'000'000'000 / per_second);
    std::string fraction = nanoseconds == 0 ? "" : std::to_string(1'000'000'000 + nanoseconds);
    if (!fraction.empty()) fraction[0] = '.';
    return text_value(text + fraction + " UTC");
  }

  // What they hold is known by the names of their functions.
  Found function() { return holder({"_M_invoker"}); }
  Found any() { return holder({"_M_manager"}); }
  Found holder(Path function) {
    const auto manager = number_at({"_M_manager"});
    const auto code = number_at(function);
    if (!manager || !code) return {};
    if (*manager == 0) return text_value("empty");
    const std::string type = names_ ? held_type(names_(*code)) : "";
    return text_value(type.empty() ? "not empty" : escaped(type));
  }

  const FrameMemory& memory_;
  const CodeNames& names_;
  Dwarf_Die type_;
  uint64_t at_;
  std::string name_;
  uint32_t left_ = 20'000;  // entries to read
};

const Reader::Shape Reader::shapes[] = {
    {"basic_string<char,", &Reader::string},
    {"basic_string_view<char,", &Reader::string_view},
    {"path", &Reader::path},
    {"vector<", &Reader::vector},
    {"deque<", &Reader::deque},
    {"queue<", &Reader::adaptor},
    {"stack<", &Reader::adaptor},
    {"priority_queue<", &Reader::adaptor},
    {"list<", &Reader::list},
    {"forward_list<", &Reader::forward_list},
    {"map<", &Reader::tree},
    {"multimap<", &Reader::tree},
    {"set<", &Reader::tree},
    {"multiset<", &Reader::tree},
    {"unordered_map<", &Reader::hash_table},
    {"unordered_multimap<", &Reader::hash_table},
    {"unordered_set<", &Reader::hash_table},
    {"unordered_multiset<", &Reader::hash_table},
    {"array<", &Reader::fixed_array},
    {"span<", &Reader::span},
    {"initializer_list<", &Reader::initializer_list},
    {"tuple<", &Reader::tuple},
    {"unique_ptr<", &Reader::unique_ptr},
    {"shared_ptr<", &Reader::shared_ptr},
    {"weak_ptr<", &Reader::shared_ptr},
    {"optional<", &Reader::optional},
    {"variant<", &Reader::variant},
    {"atomic<", &Reader::atomic},
    {"atomic_flag", &Reader::atomic},
    {"coroutine_handle<", &Reader::coroutine_handle},
    {"reference_wrapper<", &Reader::reference_wrapper},
    {"duration<", &Reader::duration},
    {"time_point<", &Reader::time_point},
    {"function<", &Reader::function},
    {"any", &Reader::any},
};

Found Reader::read() {
  for (const auto& [begin, show] : shapes)
    if (begin.back() == '<' || begin.back() == ',' ? name_.starts_with(begin) : name_ == begin)
      return (this->*show)();
  return {};
}

// The last argument of a template at the outermost depth, from the first '<' on.
std::string last_argument(std::string_view text) {
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); i++) {
    const char c = text[i];
    if (c == '<' || c == '(' || c == '{') depth++;
    if (c == '>' || c == ')' || c == '}') depth--;
    if (begin == 0 || (c == ',' && depth == 1)) begin = i + 1;
    if (depth == 0) {
      std::string_view found = text.substr(begin, i - begin);
      while (found.starts_with(' ')) found.remove_prefix(1);
      while (found.ends_with(' ')) found.remove_suffix(1);
      return std::string(found);
    }
  }
  return "";
}

}  // namespace

Dwarf_Die plain_type(Dwarf_Die type) {
  constexpr int deepest = 20;
  for (int i = 0; i < deepest && is_qualifier(dwarf_tag(&type)); i++)
    if (Dwarf_Die next; type_of(&type, &next))
      type = next;
    else
      break;
  return type;
}

std::string held_type(const std::string& function) {
  for (const char* name : {"_Function_handler<", "_Manager_internal<", "_Manager_external<"})
    if (const size_t at = function.find(name); at != std::string::npos)
      return last_argument(std::string_view(function).substr(at + std::strlen(name) - 1));
  return "";
}

std::optional<StandardValue> standard_value(const FrameMemory& memory, const CodeNames& names,
                                            Dwarf_Die type, uint64_t address) {
  return Reader(memory, names, type, address).read();
}

}  // namespace skein
