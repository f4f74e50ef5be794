// Answers that took long to compute, kept on disk for the next run: small files by build id.
//
//   SymbolCache cache(SymbolCache::folder_of_this_user());
//   if (auto bytes = cache.load("1f0b24cc.lines", version)) use(*bytes);
//   else cache.store("1f0b24cc.lines", version, compute());
//
// A file is a header with a checksum, and the bytes. One that is damaged, of another version or of
// another user is ignored, and replaced by the next store(). Files are replaced atomically, so that
// several processes may use a folder. Nothing in it is trusted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace skein {

class SymbolCache {
 public:
  static constexpr uint64_t default_most = uint64_t{64} << 20;

  // `folder` is created by the first store(), with mode 0700; empty: nothing is kept. All files
  // together have at most `most` bytes: store() removes those that were used least recently.
  explicit SymbolCache(std::string folder = {}, uint64_t most = default_most)
      : folder_(std::move(folder)), most_(most) {}

  // $XDG_CACHE_HOME/skein or ~/.cache/skein; empty: the environment has neither.
  static std::string folder_of_this_user();

  // `key` consists of letters, digits, '.' and '-'. Nothing: there is no such file, or no usable
  // one. O(bytes).
  std::optional<std::vector<uint8_t>> load(const std::string& key, uint32_t version) const;
  // Fails if the folder cannot be written or belongs to another user; then nothing is changed.
  // O(bytes + files).
  Result<void> store(const std::string& key, uint32_t version,
                     std::span<const uint8_t> bytes) const;

  // The bytes of a file of the cache, without its header; nothing: it is damaged.
  static std::optional<std::span<const uint8_t>> unpack(std::span<const uint8_t> file,
                                                        uint32_t version);

 private:
  bool is_usable(int folder) const;
  void remove_oldest(int folder) const;

  std::string folder_;
  uint64_t most_;
};

}  // namespace skein
