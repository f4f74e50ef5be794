#include "profile/flame/address_map.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

namespace skein {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Takes the next word and the blanks behind it from the beginning of `line`.
std::string_view take_word(std::string_view& line) {
  const size_t end = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  return word;
}

std::optional<uint64_t> hexadecimal(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool is_letter(std::string_view word) {
  return word.size() == 1 && std::isalpha(static_cast<unsigned char>(word[0])) != 0;
}
// A letter of nm: of code. 'i': chosen when the program starts.
bool is_code(char letter) {
  return std::string_view("tTwWi").find(letter) != std::string_view::npos;
}

struct Entry {
  uint64_t size = 0;
  std::string_view name = {};  // empty: of data
};

// What objdump -t prints behind an address: seven flags, section, tab, size, name.
std::optional<Entry> objdump_entry(std::string_view rest) {
  constexpr size_t flags = 7;
  const size_t tab = rest.find('\t');
  if (tab == rest.npos || tab < flags + 2 || rest[flags] != ' ') return std::nullopt;
  if (rest.substr(0, flags).find_first_not_of("lgu!wCWIidDFfO ") != rest.npos) return std::nullopt;
  const std::string_view section = rest.substr(flags + 1, tab - flags - 1);
  const char type = rest[flags - 1];
  const std::string_view kinds = rest.substr(0, flags);
  rest.remove_prefix(tab + 1);
  const std::optional<uint64_t> size = hexadecimal(take_word(rest));
  if (!size) return std::nullopt;
  for (const std::string_view visibility : {".hidden", ".protected", ".internal"})
    if (rest.starts_with(visibility) && rest.size() > visibility.size() &&
        is_blank(rest[visibility.size()]))
      take_word(rest);
  const bool is_section = kinds[5] == 'd';
  const bool is_function = !section.starts_with("*UND*") && !is_section &&
                           (type == 'F' || (type == ' ' && section.starts_with(".text")));
  return Entry{*size, is_function ? rest : std::string_view{}};
}

std::optional<Entry> entry_of(std::string_view rest) {
  if (const auto entry = objdump_entry(rest)) return entry;
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  if (rest.starts_with('<') && rest.ends_with(">:"))
    return Entry{0, rest.substr(1, rest.size() - 3)};
  std::string_view behind = rest;
  std::string_view word = take_word(behind);
  if (behind.empty()) return Entry{0, word};
  Entry entry;
  if (!is_letter(word)) {  // a size
    const std::optional<uint64_t> size = hexadecimal(word);
    if (!size) return Entry{0, rest};  // a name with spaces
    entry.size = *size;
    rest = behind;
    word = take_word(behind);
  }
  if (is_letter(word) && !behind.empty())
    entry.name = is_code(word[0]) ? behind : std::string_view{};
  else
    entry.name = rest;
  return entry;
}

// An address among the functions of a stack.
std::optional<uint64_t> address_of_frame(std::string_view frame) {
  const bool is_marked = frame.starts_with("0x") || frame.starts_with("0X");
  constexpr size_t least = 6;  // characters: "facade" and "add" are names
  if (!is_marked && (frame.size() < least || frame.find_first_of("0123456789") == frame.npos))
    return std::nullopt;
  return hexadecimal(frame);
}

}  // namespace

size_t AddressMap::add(std::string_view text, Demangle demangle) {
  size_t functions = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty() && (is_blank(line.back()) || line.back() == '\r')) line.remove_suffix(1);
    const size_t blank = line.find_first_of(" \t");
    if (blank == line.npos || blank == 0) continue;
    const std::optional<uint64_t> address = hexadecimal(line.substr(0, blank));
    if (!address) continue;
    const std::optional<Entry> entry = entry_of(line.substr(blank + 1));
    if (!entry) continue;
    std::string_view name = entry->name;
    name = name.substr(0, name.find('\t'));  // a module, or a file and line, follow
    symbols_.push_back({*address, entry->size,
                        name.empty() || demangle == nullptr ? std::string(name) : demangle(name)});
    functions += !name.empty();
  }
  return functions;
}

void AddressMap::finish() {
  // Of several names for one address the first with a size, or else the first, is kept.
  std::stable_sort(symbols_.begin(), symbols_.end(), [](const Symbol& a, const Symbol& b) {
    if (a.begin != b.begin) return a.begin < b.begin;
    return std::pair(a.name.empty(), a.size == 0) < std::pair(b.name.empty(), b.size == 0);
  });
}

std::string_view AddressMap::find(uint64_t address) const {
  auto after =
      std::upper_bound(symbols_.begin(), symbols_.end(), address,
                       [](uint64_t at, const Symbol& symbol) { return at < symbol.begin; });
  if (after == symbols_.begin()) return {};
  const uint64_t begin = (after - 1)->begin;
  const auto symbol =
      std::lower_bound(symbols_.begin(), after, begin,
                       [](const Symbol& one, uint64_t at) { return one.begin < at; });
  uint64_t size = symbol->size;
  if (size == 0) size = after == symbols_.end() ? last_size : after->begin - begin;
  return address - begin < size ? std::string_view(symbol->name) : std::string_view{};
}

uint64_t AddressMap::address_of(std::string_view name) const {
  for (const Symbol& symbol : symbols_)
    if (symbol.name == name) return symbol.begin;
  return 0;
}

NamedAddresses with_names(std::string_view folded, const AddressMap& map) {
  NamedAddresses result;
  result.folded.reserve(folded.size() * 2);
  while (!folded.empty()) {
    const size_t end = std::min(folded.find('\n'), folded.size());
    std::string_view line = folded.substr(0, end);
    folded.remove_prefix(std::min(end + 1, folded.size()));
    while (!line.empty()) {
      // The count follows the last function.
      const size_t stop = std::min(line.find(';'), line.size());
      const size_t size = std::min(line.find_first_of("; \t"), line.size());
      const std::string_view frame = line.substr(0, size);
      const std::optional<uint64_t> address = address_of_frame(frame);
      const std::string_view name = address ? map.find(*address) : std::string_view{};
      if (!name.empty()) {
        result.named++;
        for (const char c : name) result.folded += c == ';' ? ':' : c;
        result.folded += line.substr(size, stop - size);
      } else {
        if (address && result.unknown++ == 0) result.first_unknown = frame;
        result.folded += line.substr(0, stop);
      }
      if (stop < line.size()) result.folded += ';';
      line.remove_prefix(std::min(stop + 1, line.size()));
    }
    result.folded += '\n';
  }
  return result;
}

}  // namespace skein
