#include "trace/read/ctf/metadata.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace skein::ctf {

namespace {

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

constexpr bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

// Splits the text into words, quoted strings and single characters; skips comments.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  // Moves to the next token. Returns false at the end of the text.
  bool next() {
    skip_space();
    quoted = false;
    value.clear();
    if (at_ == text_.size()) return false;
    const char first = text_[at_++];
    if (first == '"') {
      read_quoted();
    } else {
      value = first;
      if (is_word(first))
        while (at_ < text_.size() && is_word(text_[at_])) value += text_[at_++];
    }
    return true;
  }

  bool is(std::string_view word) const { return !quoted && value == word; }

  std::string value;
  bool quoted = false;

 private:
  void skip_space() {
    while (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_);
      if (is_space(rest.front()))
        at_++;
      else if (rest.starts_with("/*"))
        skip_past("*/");
      else if (rest.starts_with("//"))
        skip_past("\n");
      else
        return;
    }
  }

  void skip_past(std::string_view end) {
    const size_t found = text_.find(end, at_ + 2);
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
  }

  void read_quoted() {
    quoted = true;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) at_++;
      value += text_[at_++];
    }
    if (at_ < text_.size()) at_++;
  }

  std::string_view text_;
  size_t at_ = 0;
};

template <typename Number>
void read_number(const std::string& text, Number& to) {
  Number number{};
  const char* end = text.data() + text.size();
  if (std::from_chars(text.data(), end, number).ptr == end && !text.empty()) to = number;
}

std::optional<Uuid> read_uuid(std::string_view text) {
  Uuid uuid{};
  size_t digits = 0;
  for (const char c : text) {
    if (c == '-') continue;
    uint8_t value = 0;
    if (std::from_chars(&c, &c + 1, value, 16).ec != std::errc{} || digits == 32) return {};
    uuid[digits / 2] = static_cast<uint8_t>(uuid[digits / 2] << 4 | value);
    digits++;
  }
  if (digits != 32) return {};
  return uuid;
}

// Finds the entry and field of a key such as "process_1_name" (entry 1); null if the key does not
// have this form.
template <typename Entry>
Entry* find_entry(std::vector<Entry>& table, std::string_view prefix, std::string_view key,
                  std::string_view& field) {
  constexpr size_t most = 1 << 16;
  if (!key.starts_with(prefix)) return nullptr;
  key.remove_prefix(prefix.size());
  size_t index = most;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  if (error != std::errc() || index >= most) return nullptr;
  field = key.substr(static_cast<size_t>(end - key.data()));
  if (index >= table.size()) table.resize(index + 1);
  return &table[index];
}

// Parses "0 0 1 - 2".
std::vector<uint32_t> read_processes(std::string_view text) {
  std::vector<uint32_t> processes;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    uint32_t process = 0;
    if (text.front() == '-')
      process = no_process;
    else
      read_number(std::string(text.substr(0, end)), process);
    processes.push_back(process);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return processes;
}

void assign_process(Metadata& metadata, const std::string& key, const std::string& value) {
  std::string_view field;
  if (Machine* machine = find_entry(metadata.machines, "machine_", key, field)) {
    if (field == "_name") machine->name = value;
    if (field == "_boot_id") machine->boot_id = value;
  }
  if (Process* process = find_entry(metadata.processes, "process_", key, field)) {
    if (field == "_name") process->name = value;
    if (field == "_pid") read_number(value, process->pid);
    if (field == "_machine") read_number(value, process->machine);
  }
  if (key == "process_of_stream") metadata.process_of_stream = read_processes(value);
}

void assign(Metadata& metadata, const std::string& block, const std::string& key,
            const std::string& value) {
  if (block == "trace" && key == "uuid") metadata.uuid = read_uuid(value);
  if (block == "env") {
    if (key == "tracer_name") metadata.tracer = value;
    if (key == "tracer_major") read_number(value, metadata.version);
    if (key == "hostname") metadata.host = value;
    if (key == "boot_id") metadata.boot_id = value;
    if (key == "procname") metadata.program = value;
    if (key == "vpid") read_number(value, metadata.pid);
    assign_process(metadata, key, value);
    if (key == "origin") metadata.origin = value;
    if (key == "clock_source") metadata.clock_source = value;
  }
  if (block == "clock") {
    if (key == "freq") read_number(value, metadata.frequency);
    if (key == "offset_s") read_number(value, metadata.offset_s);
    if (key == "offset") read_number(value, metadata.offset), metadata.utc_known = true;
  }
}

}  // namespace

int64_t Metadata::utc_of_tick_0() const {
  using Wide = __int128;
  constexpr Wide second = 1'000'000'000;
  if (frequency == 0) return 0;
  const Wide ns = offset_s * second + static_cast<Wide>(offset) * second / frequency;
  constexpr Wide most = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(ns > most ? most : ns < -most ? -most : ns);
}

Result<Metadata> parse_metadata(std::string_view text, const std::string& file) {
  if (!text.starts_with(metadata_begin))
    return Error{.what = "not CTF 1.8 metadata in plain text", .file = file, .offset = 0};
  Metadata metadata;
  Tokens tokens(text);
  size_t depth = 0;
  std::string block, key, previous;
  while (tokens.next()) {
    if (tokens.is("{")) {
      if (depth++ == 0) block = previous;
      key.clear();
    } else if (tokens.is("}")) {
      if (depth > 0) depth--;
    } else if (tokens.is("=") && depth == 1) {
      key = previous;
    } else if (tokens.is(";") && depth == 1) {
      // Only complete values: if the text is truncated, the last value may be.
      if (!key.empty()) assign(metadata, block, key, previous);
      key.clear();
    }
    previous = tokens.value;
  }
  return metadata;
}

}  // namespace skein::ctf
