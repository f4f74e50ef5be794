// What Lines has found, by question: kept so that a question costs nothing the second time, and
// packed for the cache on disk.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "symbol/line_place.h"

namespace skein {

struct LineAnswers {
  // To be increased when Lines answers differently, or the packed form changes.
  static constexpr uint32_t version = 4;

  std::unordered_map<uint64_t, std::optional<LinePlace>> places = {};  // Lines::at()
  // Lines::inside(); without a name, Lines::declaration().
  std::map<std::pair<uint64_t, std::string>, std::optional<LinePlace>> insides = {};
  std::map<std::pair<uint64_t, std::string>, std::vector<InlinedCall>> calls = {};
  std::map<std::tuple<uint64_t, std::string, std::string>, std::optional<uint64_t>> members = {};

  std::unordered_map<uint64_t, bool> missing = {};  // Lines::is_partly_missing()

  size_t size() const {
    return places.size() + insides.size() + calls.size() + members.size() + missing.size();
  }
  std::vector<uint8_t> packed() const;
  // Nothing: damaged. O(bytes), also in memory.
  static std::optional<LineAnswers> unpack(std::span<const uint8_t> bytes);
};

}  // namespace skein
