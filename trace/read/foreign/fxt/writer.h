// Writes the Fuchsia trace format (wire.h), for the exporter and for tests.
//
//   fxt::Writer writer([&](std::span<const uint8_t> bytes) { ... });
//   writer.event(EventType::Instant, 1000, {1, 2}, "category", "name", {Writer::number("n", 5)});
//
// Strings and threads are defined at their first use. If their tables are full, the oldest entries
// are replaced.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/read/foreign/fxt/wire.h"

namespace skein::fxt {

class Writer {
 public:
  // Called with one or more complete records.
  using Sink = std::function<void(std::span<const uint8_t>)>;

  struct Thread {
    uint64_t process = 0;
    uint64_t id = 0;
    auto operator<=>(const Thread&) const = default;
  };
  struct Argument {
    std::string_view name;
    ArgumentType type = ArgumentType::Null;
    uint64_t value = 0;
    std::string_view text = {};
  };
  static Argument number(std::string_view name, uint64_t value,
                         ArgumentType type = ArgumentType::Uint64) {
    return {.name = name, .type = type, .value = value};
  }
  static Argument string(std::string_view name, std::string_view text) {
    return {.name = name, .type = ArgumentType::String, .text = text};
  }
  using Arguments = std::span<const Argument>;

  explicit Writer(Sink sink) : sink_(std::move(sink)) { words({magic}); }

  // Number of strings that exceeded the format's limit and were truncated.
  uint64_t texts_cut() const { return texts_cut_; }

  void ticks_per_second(uint64_t ticks) {
    words({uint64_t(RecordType::Initialization) | 2 << 4, ticks});
  }

  void provider(uint32_t id, std::string_view name) {
    name = name.substr(0, 255);
    begin(RecordType::Metadata, uint64_t(MetadataType::ProviderInfo) << 16 | uint64_t{id} << 20 |
                                    uint64_t{name.size()} << 52);
    put(name);
    done();
    forget();
  }

  void event(EventType type, uint64_t time, Thread on, std::string_view category,
             std::string_view name, Arguments arguments = {}, uint64_t id = 0) {
    define(arguments);
    const uint64_t header = uint64_t(type) << 16 | arguments.size() << 20 | thread(on) << 24 |
                            text(category) << 32 | text(name) << 48;
    begin(RecordType::Event, header);
    put(time);
    put(arguments);
    if (has_id(type)) put(id);
    done();
  }

  void user_object(uint64_t pointer, Thread on, std::string_view name) {
    const uint64_t header = thread(on) << 16 | text(name) << 24;
    begin(RecordType::UserObject, header);
    put(pointer);
    done();
  }
  void kernel_object(uint32_t type, uint64_t koid, std::string_view name,
                     Arguments arguments = {}) {
    define(arguments);
    begin(RecordType::KernelObject,
          uint64_t{type} << 16 | text(name) << 24 | arguments.size() << 40);
    put(koid);
    put(arguments);
    done();
  }
  void wakeup(uint64_t time, uint32_t cpu, uint64_t id, Arguments arguments = {}) {
    define(arguments);
    begin(RecordType::Scheduling,
          arguments.size() << 16 | uint64_t{cpu} << 20 | uint64_t(SchedulingType::Wakeup) << 60);
    put(time);
    put(id);
    put(arguments);
    done();
  }
  void context_switch(uint64_t time, uint32_t cpu, uint64_t from, uint8_t state, uint64_t to) {
    begin(RecordType::Scheduling, uint64_t{cpu} << 20 | uint64_t{state} << 36 |
                                      uint64_t(SchedulingType::ContextSwitch) << 60);
    put(time);
    put(from);
    put(to);
    done();
  }
  void log(uint64_t time, Thread on, std::string_view message) {
    begin(RecordType::Log, message.size() << 16 | thread(on) << 32);
    put(time);
    put(message);
    done();
  }
  // Writes any record, even an invalid one.
  void words(std::initializer_list<uint64_t> words) {
    for (const uint64_t word : words) put(word);
    flush();
  }

 private:
  // Begins a record; precondition: everything it refers to has been defined.
  void begin(RecordType type, uint64_t header) {
    record_ = bytes_.size();
    put(uint64_t(type) | header);
  }
  void done() {
    const uint64_t size = (bytes_.size() - record_) / 8;
    uint64_t header;
    std::memcpy(&header, bytes_.data() + record_, sizeof header);
    header |= size << 4;
    std::memcpy(bytes_.data() + record_, &header, sizeof header);
    flush();
  }
  void flush() {
    sink_(bytes_);
    bytes_.clear();
  }
  void put(uint64_t word) {
    const size_t at = bytes_.size();
    bytes_.resize(at + sizeof word);
    std::memcpy(bytes_.data() + at, &word, sizeof word);
  }
  void put(std::string_view text) {
    const size_t at = bytes_.size();
    bytes_.resize(at + padded(text.size()));
    std::memcpy(bytes_.data() + at, text.data(), text.size());
  }
  void put(Arguments arguments) {
    for (const Argument& argument : arguments) {
      const bool is_small =
          argument.type == ArgumentType::Null || argument.type == ArgumentType::Bool ||
          argument.type == ArgumentType::Int32 || argument.type == ArgumentType::Uint32;
      const bool is_text = argument.type == ArgumentType::String;
      const uint64_t in_header = is_text    ? text(argument.text)
                                 : is_small ? argument.value & UINT32_MAX
                                            : 0;
      put(uint64_t(argument.type) | (is_text || is_small ? uint64_t{1} : uint64_t{2}) << 4 |
          text(argument.name) << 16 | in_header << 32);
      if (!is_text && !is_small) put(argument.value);
    }
  }

  void define(Arguments arguments) {
    for (const Argument& argument : arguments) {
      text(argument.name);
      if (argument.type == ArgumentType::String) text(argument.text);
    }
  }

  uint64_t text(std::string_view value) {
    if (value.size() > longest_text) {
      value = value.substr(0, longest_text);
      texts_cut_++;
    }
    if (value.empty()) return 0;
    const auto found = texts_.find(std::string(value));
    if (found != texts_.end()) return found->second;
    const auto index = static_cast<uint16_t>(next_text_);
    next_text_ = next_text_ == most_texts ? 1 : next_text_ + 1;
    if (!names_[index].empty()) texts_.erase(names_[index]);
    names_[index] = value;
    texts_.emplace(value, index);
    begin(RecordType::String, uint64_t{index} << 16 | uint64_t{value.size()} << 32);
    put(value);
    done();
    return index;
  }

  uint64_t thread(Thread value) {
    const auto found = threads_.find(value);
    if (found != threads_.end()) return found->second;
    const size_t index = next_thread_;
    next_thread_ = next_thread_ == most_threads ? 1 : next_thread_ + 1;
    if (threads_.size() == most_threads) threads_.erase(ids_[index]);
    ids_[index] = value;
    threads_.emplace(value, index);
    begin(RecordType::Thread, index << 16);
    put(value.process);
    put(value.id);
    done();
    return index;
  }

  void forget() {
    texts_.clear();
    threads_.clear();
    for (std::string& name : names_) name.clear();
  }

  static constexpr size_t most_texts = 0x7fff;
  static constexpr size_t most_threads = 0xff;

  Sink sink_;
  std::vector<uint8_t> bytes_;
  size_t record_ = 0;
  std::unordered_map<std::string, uint16_t> texts_;
  std::vector<std::string> names_ = std::vector<std::string>(most_texts + 1);
  size_t next_text_ = 1;
  std::map<Thread, size_t> threads_;
  std::array<Thread, most_threads + 1> ids_{};
  size_t next_thread_ = 1;
  uint64_t texts_cut_ = 0;
};

}  // namespace skein::fxt
