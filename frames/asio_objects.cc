#include "frames/asio_objects.h"

#include <utility>

namespace skein {

namespace {

bool is_aligned(uint64_t address) { return address >= 4096 && address % 8 == 0; }

// "..chrono_time_traits<std::chrono::steady_clock, ..>", mangled.
AsioObject::Clock clock_of(const std::string& service) {
  if (service.find("12steady_clock") != std::string::npos) return AsioObject::Clock::Steady;
  if (service.find("12system_clock") != std::string::npos) return AsioObject::Clock::System;
  return AsioObject::Clock::Other;
}

std::optional<AsioObject::Kind> kind_of(const std::string& service) {
  using enum AsioObject::Kind;
  constexpr std::pair<const char*, AsioObject::Kind> known[] = {
      {"22deadline_timer_service", Timer},
      {"23reactive_socket_service", Socket},
      {"23io_uring_socket_service", Socket},
      {"27reactive_descriptor_service", Descriptor},
      {"18signal_set_service", Signals},
      {"16resolver_service", Resolver},
      {"27io_uring_descriptor_service", Descriptor},
      {"15channel_service", Channel},
  };
  if (service.find("4asio6detail") == std::string::npos &&
      service.find("4asio12experimental6detail") == std::string::npos)
    return {};
  for (const auto& [name, kind] : known)
    if (service.find(name) != std::string::npos) return kind;
  return {};
}

}  // namespace

std::string_view name(AsioObject::Kind kind) {
  switch (kind) {
    case AsioObject::Kind::Timer:
      return "timer";
    case AsioObject::Kind::Socket:
      return "socket";
    case AsioObject::Kind::Descriptor:
      return "descriptor";
    case AsioObject::Kind::Signals:
      return "signal set";
    case AsioObject::Kind::Resolver:
      return "resolver";
    case AsioObject::Kind::Channel:
      return "channel";
  }
  return "";
}

// Itanium C++ ABI, 2.5.2: the word before a virtual table's first function is the address of the
// type_info, whose second word is that of its name.
const std::string& AsioObjects::name_of_type(uint64_t virtual_table) {
  static const std::string none;
  constexpr size_t most = 100'000;  // types
  const Mapping* mapping = find_mapping(target_.mappings(), virtual_table);
  if (!is_aligned(virtual_table) || mapping == nullptr || mapping->writable) return none;
  if (names_.size() >= most) names_.clear();
  const auto [at, is_new] = names_.try_emplace(virtual_table);
  if (!is_new) return at->second;
  const uint64_t type = memory_.word(virtual_table - 8);
  if (!is_aligned(type)) return at->second;
  const uint64_t name = memory_.word(type + 8);
  constexpr size_t longest = 256;
  for (uint64_t i = 0; i < longest && name != 0; i++) {
    char c = 0;
    if (!memory_.read(name + i, &c, 1) || c == 0) break;
    at->second += c;
  }
  return at->second;
}

// Whether the program may have an object at this address that it changes.
bool AsioObjects::may_be_object(uint64_t address) const {
  if (!is_aligned(address)) return false;
  const Mapping* mapping = find_mapping(target_.mappings(), address);
  return mapping != nullptr && mapping->writable;
}

std::optional<AsioObject> AsioObjects::at(uint64_t address) {
  const uint64_t service = memory_.word(address);
  if (!may_be_object(service)) return {};
  const std::string& name = name_of_type(memory_.word(service));
  const std::optional<AsioObject::Kind> kind = kind_of(name);
  if (!kind) return {};
  AsioObject found{.kind = *kind, .address = address};
  const uint64_t state = memory_.word(address + 8);
  if (kind == AsioObject::Kind::Timer) {
    found.clock = clock_of(name);
    found.expires = static_cast<int64_t>(state);
  } else if (kind == AsioObject::Kind::Socket || kind == AsioObject::Kind::Descriptor) {
    found.descriptor = static_cast<int32_t>(state);
  }
  return found;
}

bool AsioObjects::is_scheduler(uint64_t address) {
  return may_be_object(address) &&
         name_of_type(memory_.word(address)).ends_with("4asio6detail9schedulerE");
}

std::optional<AsioObject> AsioObjects::find(std::span<const uint64_t> words) {
  for (const uint64_t word : words)
    if (may_be_object(word))
      if (auto found = at(word)) return found;
  return {};
}

}  // namespace skein
