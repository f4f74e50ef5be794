// Names of functions, each kept once.
//
//   NameTable names;
//   const uint32_t id = names.add("main");  // 1; 0 is ""
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace skein {

class NameTable {
 public:
  NameTable() {
    names_.reserve(first_slots / 2);
    hashes_.reserve(first_slots / 2);
    add({});
  }

  // Not for hostile input that aims at collisions: these only cost time. A multiplication for each
  // eight bytes.
  static uint64_t hash(std::string_view name) {
    uint64_t hash = name.size() * 0x9e3779b97f4a7c15;
    const char* at = name.data();
    size_t left = name.size();
    uint64_t word = 0;
    for (; left >= 8; left -= 8, at += 8) {
      std::memcpy(&word, at, 8);
      hash = mix(hash ^ word);
    }
    word = 0;
    if (left != 0) std::memcpy(&word, at, left);
    return mix(hash ^ word);
  }

  uint32_t add(std::string_view name) { return add(name, hash(name)); }
  uint32_t add(std::string_view name, uint64_t hash) {
    size_t at = hash & (slots_.size() - 1);
    for (; slots_[at] != 0; at = (at + 1) & (slots_.size() - 1))
      if (hashes_[slots_[at] - 1] == hash && names_[slots_[at] - 1] == name) return slots_[at] - 1;
    names_.emplace_back(name);
    hashes_.push_back(hash);
    slots_[at] = static_cast<uint32_t>(names_.size());
    if (names_.size() * 2 > slots_.size()) grow();
    return static_cast<uint32_t>(names_.size() - 1);
  }

  size_t size() const { return names_.size(); }
  const std::string& operator[](uint32_t id) const { return names_[id]; }
  // Empties the table.
  std::vector<std::string> take() {
    slots_.assign(first_slots, 0);
    hashes_.clear();
    return std::move(names_);
  }

 private:
  static constexpr size_t first_slots = 64;  // many graphs are small; a large one grows in no time

  static uint64_t mix(uint64_t x) {
    x *= 0xff51afd7ed558ccd;
    return x ^ (x >> 32);
  }
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (uint32_t i = 0; i < hashes_.size(); i++) {
      size_t at = hashes_[i] & (slots_.size() - 1);
      while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = i + 1;
    }
  }

  std::vector<std::string> names_;
  std::vector<uint64_t> hashes_;
  std::vector<uint32_t> slots_ = std::vector<uint32_t>(first_slots);  // 0: empty; a name's id + 1
};

}  // namespace skein
